use crate::support::ken::{User, section};
use std::fs;

const MODEL: &str = "bge-small-en-v1.5-int8";
const RETRY: &str = "Requests to the billing service are retried three times with exponential back-off and jitter.";
const ROTATE: &str = "The signing keys are rotated every ninety days by a job that runs on the first Monday.";

fn indexed() -> User {
    let user = User::new().with_model(MODEL);
    user.document(
        "docs/retry.md",
        format!("# Billing\n\n{}{}", section(1, RETRY), section(2, "Invoices are printed on Mondays.")),
    );
    user.document("docs/keys.md", format!("# Keys\n\n{}", section(1, ROTATE)));
    assert_eq!(user.ken(&["index", "."]).code, 0);
    user
}

const ASK: &[&str] =
    &["pack", "--task", "change how requests to billing are retried", "--as-of", "2026-11-22", "--dry-run"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    ASK.iter().copied().chain(more.iter().copied()).collect()
}

#[test]
fn a_frame_cites_what_is_there_and_says_the_same_twice() {
    let user = indexed();
    let ran = user.ken(ASK);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.out.starts_with("---\nkenning: 1\ntask: \"change how requests to billing are retried\"\nbudget: 15000\n"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("\n## `docs/retry.md`\n```") && ran.out.contains(RETRY), "{}", ran.out);
    assert_eq!(user.ken(ASK).out, ran.out, "the same inputs, the same bytes");
    let json = user.ken(&with(&["--json"])).json();
    assert_eq!(json["text"].as_str(), Some(ran.out.as_str()));
    let piece = &json["sections"][1]["items"][0];
    assert_eq!((piece["state"].as_str(), piece["line_start"].as_u64()), (Some("fresh"), Some(5)));
    let cited = fs::read_to_string(user.work().join("docs/retry.md")).unwrap();
    assert!(cited.lines().nth(4).unwrap().starts_with(RETRY));
    // Nothing was counted; without --dry-run it is.
    let served = |user: &User| user.exported().iter().filter(|record| record["type"] == "usage").count();
    assert_eq!(served(&user), 0);
    user.ken(&ASK[..5]);
    assert!(served(&user) > 0);
}

#[test]
fn what_a_file_no_longer_holds_stays_out() {
    let user = indexed();
    let text = fs::read_to_string(user.work().join("docs/retry.md")).unwrap();
    user.document("docs/retry.md", format!("# New\n\nA line before.\n\n{text}"));
    let json = user.ken(&with(&["--json"])).json();
    let piece = &json["sections"][1]["items"][0];
    assert_eq!((piece["state"].as_str(), piece["line_start"].as_u64()), (Some("moved"), Some(9)), "{json}");
    let found = user.ken(&["search", "--json", "--kind", "chunk", "--min-relevance", "0", RETRY]).json();
    let hit = &found["results"][0]["hits"][0];
    assert_eq!((hit["state"].as_str(), hit["line_start"].as_u64()), (Some("moved"), Some(9)), "{found}");
    user.document("docs/retry.md", text.replace("three times", "once"));
    let ran = user.ken(&with(&["--explain"]));
    assert!(!ran.out.contains("exponential") && ran.err.contains("its file changed"), "{ran:?}");
    let found = user.ken(&["search", "--json", "--kind", "chunk", "--min-relevance", "0", RETRY]).json();
    assert_eq!(found["results"][0]["hits"][0]["state"], "changed", "{found}");
    fs::remove_file(user.work().join("docs/retry.md")).unwrap();
    let ran = user.ken(&with(&["--include", "docs"]));
    assert!(!ran.out.contains("exponential"), "{ran:?}");
}

#[test]
fn state_instructions_and_filters_have_their_place() {
    let user = indexed();
    user.document("state.txt", "Half of it is done.\n");
    user.document("rules.md", "Answer in one sentence.\n");
    let ran = user.ken(&with(&["--state", "state.txt", "--instructions", "rules.md", "--include", "docs/keys.md"]));
    assert!(!ran.out.contains(RETRY), "{ran:?}");
    // What changes from call to call stands behind all of it.
    let (stable, last) = ran.out.rsplit_once("\n<!-- as_of: 2026-11-22T00:00:00Z, tokens: ").unwrap();
    assert!(
        stable.ends_with("# State\n\nHalf of it is done.\n\n# Instructions\n\nAnswer in one sentence.\n"),
        "{ran:?}"
    );
    assert!(last.ends_with(" -->\n") && last.lines().count() == 1, "{ran:?}");
    for tokenizer in ["cl100k", "o200k", "model", "chars"] {
        let json = user.ken(&with(&["--json", "--budget", "300", "--tokenizer", tokenizer])).json();
        assert!(json["tokens"].as_u64().unwrap() <= 300, "{json}");
    }
}

#[test]
fn no_frame_is_over_budget_by_anybodys_count() {
    let user = User::new().with_model(MODEL);
    let fenced = "````\n```rust\nfn retry() {}\n```\n````";
    let texts = [
        "Größe und Übertragung der Anfragen.",
        "请求会重试三次。",
        "naïve café 🚀🚀 \u{1F469}\u{200D}\u{1F4BB}",
        fenced,
        RETRY,
    ];
    for (at, text) in texts.iter().cycle().take(10).enumerate() {
        let more =
            (0..at * 4).map(|line| format!("Requests to billing, case {at}.{line}: {text}\n\n")).collect::<String>();
        user.document(
            &format!("docs/{at}-a file of retries.md"),
            format!("# Retries {at}\n\n{text}\n\n## Cases\n\n{more}"),
        );
    }
    user.document("state.txt", "Half of it is done, größtenteils.\n".repeat(60));
    user.document("rules.md", "Answer in one sentence.\n".repeat(40));
    assert_eq!(user.ken(&["index", "docs"]).code, 0);
    let folder = user.ken(&["model", "path", MODEL]).out;
    let mut words = tokenizers::Tokenizer::from_file(format!("{}/tokenizer.json", folder.trim())).unwrap();
    words.with_padding(None).with_truncation(None).unwrap();
    for tokenizer in ["cl100k", "o200k", "model", "chars"] {
        for budget in [0, 40, 90, 150, 333, 1_000, 4_000, 4_001, 15_000, 200_000] {
            let (budget_said, given) = (budget.to_string(), ["--state", "state.txt", "--instructions", "rules.md"]);
            let more = ["--json", "--budget", &budget_said, "--tokenizer", tokenizer];
            let ran = user.ken(&with(&[&more[..], &given[if budget % 2 == 0 { 0 } else { 4 }..]].concat()));
            if ran.code == 2 {
                assert!(budget < 200 && ran.out.contains("the task alone takes"), "{ran:?}");
                continue;
            }
            let frame = ran.json();
            let text = frame["text"].as_str().unwrap();
            let said = frame["tokens"].as_u64().unwrap() as usize;
            assert!(said <= budget, "{tokenizer} {budget}: {said}");
            let count = match tokenizer {
                "model" => words.encode(text, false).unwrap().len(),
                "chars" => text.chars().count().div_ceil(4),
                _ => continue,
            };
            // A number may cost a token more than the one that would be right in its place.
            assert!(said == count || said == count + 1, "{tokenizer} {budget}: {said}, not {count}");
        }
    }
}

/// Whoever asks for the same again, later and after it was used, gets the same but for the last line.
#[test]
fn a_frame_begins_as_the_last_one_did() {
    let user = indexed();
    let at = |moment: &str| {
        let ran = user.ken(&["pack", "--task", "change how requests to billing are retried", "--as-of", moment]);
        let (stable, last) = ran.out.trim_end().rsplit_once('\n').unwrap();
        (stable.to_owned(), last.to_owned())
    };
    let (first, second) = (at("2026-11-22"), at("2026-12-24"));
    assert_eq!(first.0, second.0);
    assert!(first.1.starts_with("<!-- as_of: 2026-11-22T") && second.1.starts_with("<!-- as_of: 2026-12-24T"));
    assert!(first.0.starts_with("---\nkenning: 1\n") && first.0.contains("\ntokenizer: cl100k\n---\n"), "{}", first.0);
}

#[test]
fn what_is_excluded_is_in_no_frame_and_pieces_have_their_text() {
    let user = indexed();
    let json = user.ken(&with(&["--json"])).json();
    let piece = &json["sections"][1]["items"][0];
    assert!(piece["text"].as_str().unwrap().starts_with(RETRY), "{piece}");
    for left_out in ["docs/retry.md", "*/retry.*"] {
        let ran = user.ken(&with(&["--exclude", left_out]));
        assert!(!ran.out.contains(RETRY), "{left_out}: {ran:?}");
    }
    assert!(user.ken(&with(&["--exclude", "docs/keys.md"])).out.contains(RETRY));
}

#[test]
fn what_cannot_be_packed_is_refused() {
    let user = indexed();
    let ran = user.ken(&["pack", "--task", "x", "--budget", "20"]);
    assert!(ran.code == 2 && ran.err.contains("the task alone takes") && ran.err.contains("--budget"), "{ran:?}");
    for (arguments, code) in [
        (&["pack"][..], 2),
        (&["pack", "--task", "  "], 2),
        (&["pack", "--task", "x", "--as-of", "yesterday"], 2),
        (&["pack", "--task", "x", "--tokenizer", "gpt"], 2),
        (&["pack", "--task", "x", "--state", "none.txt"], 9),
    ] {
        assert_eq!(user.ken(arguments).code, code, "{arguments:?}");
    }
    fs::write(user.work().join("binary"), [0u8, 1, 2, 255]).unwrap();
    assert_eq!(user.ken(&["pack", "--task", "x", "--instructions", "binary"]).code, 2);
    // Nothing of use: the frame holds the task alone, and the exit code says so.
    let ran = user.ken(&["pack", "--kind", "chunk", "--task", "bake sourdough bread with rye flour"]);
    assert!(ran.code == 1 && ran.out.contains("Nothing is known"), "{ran:?}");
}

#[test]
fn frames_are_compared() {
    let user = indexed();
    user.document("a.md", user.ken(ASK).out);
    user.document("docs/retry.md", format!("# Billing\n\n{}", section(1, &RETRY.replace("three", "nine"))));
    user.ken(&["index", "docs"]);
    user.document("b.md", user.ken(ASK).out);
    assert_eq!(user.ken(&["pack", "diff", "a.md", "a.md"]).code, 0);
    let ran = user.ken(&["pack", "diff", "a.md", "b.md"]);
    assert!(ran.code == 8 && ran.out.contains("docs/retry.md:5"), "{ran:?}");
    assert_eq!(user.ken(&["pack", "diff", "a.md", "docs/retry.md"]).code, 2);
}

#[test]
fn histories_of_changes_stand_behind_unless_they_are_asked_for() {
    let user = indexed();
    user.document("CHANGELOG.md", format!("# Changelog\n\n{}", section(1, &format!("Billing: {RETRY}"))));
    assert_eq!(user.ken(&["index", "."]).code, 0);
    let first = |task: &str| {
        let frame = user.ken(&["pack", "--json", "--dry-run", "--task", task]).json();
        frame["sections"][1]["items"][0]["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned()
    };
    let retry = "requests to the billing service are retried with back-off: make it five times";
    assert_eq!(first(retry), "retry.md");
    assert_eq!(first("which release says that billing requests are retried three times"), "CHANGELOG.md");
}
