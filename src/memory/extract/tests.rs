//! Sessions with what they propose, what they must not, and what holds for any text.

use super::*;

fn proposed(text: &str) -> Vec<Proposal> {
    proposals(&read_turns(text))
}

/// Proposals as (kind, confidence, text).
fn short(text: &str) -> Vec<(Kind, Confidence, String)> {
    proposed(text).into_iter().map(|one| (one.kind, one.confidence, one.text)).collect()
}

fn talk(turns: &[(&str, &str)]) -> String {
    turns.iter().map(|(who, said)| format!("{who}: {said}\n")).collect()
}

#[track_caller]
fn user_says(text: &str, kind: Kind, confidence: Confidence, kept: &str) {
    let found = short(&talk(&[("User", text), ("Assistant", "Noted.")]));
    assert_eq!(found, [(kind, confidence, kept.to_owned())], "{text:?}");
}

#[test]
fn what_a_person_says_is_kept_without_what_asks_for_it() {
    use Confidence::{High, Low, Medium};
    use Kind::{Fact, Preference};
    for (text, kind, confidence, kept) in [
        ("Remember: we use tabs", Preference, High, "we use tabs"),
        ("Please remember that the staging DB is read-only.", Fact, High, "the staging DB is read-only."),
        (
            "From now on, commit messages are in English.",
            Preference,
            High,
            "From now on, commit messages are in English.",
        ),
        ("Please never push to main.", Preference, High, "Please never push to main."),
        ("For future reference, the bucket is in eu-west-1.", Fact, High, "the bucket is in eu-west-1."),
        ("No, use pnpm here.", Preference, Medium, "use pnpm here."),
        ("It should be a warning, not an error.", Preference, Medium, "It should be a warning, not an error."),
        ("We decided to keep Postgres.", Preference, Medium, "We decided to keep Postgres."),
        ("We decided to freeze the API until Friday.", Fact, Medium, "We decided to freeze the API until Friday."),
        ("Turns out the proxy strips the header.", Fact, Medium, "Turns out the proxy strips the header."),
        (
            "H100 machines are not available in eu-west-3.",
            Fact,
            Medium,
            "H100 machines are not available in eu-west-3.",
        ),
        ("All commits must be signed.", Preference, Medium, "All commits must be signed."),
        ("I prefer short functions. They read better.", Preference, Medium, "I prefer short functions."),
        ("I can\u{2019}t stand long meetings.", Preference, Medium, "I can\u{2019}t stand long meetings."),
        ("Our CI uses self-hosted runners.", Fact, Low, "Our CI uses self-hosted runners."),
    ] {
        user_says(text, kind, confidence, kept);
    }
}

#[test]
fn what_says_nothing_lasting_is_not_proposed() {
    for text in [
        "Fix the failing test.",
        "Can you run the tests?",
        "Thanks, looks good!",
        "Do you remember the port?",
        "Never mind.",
        "The name has to be changed.",
        "I like the idea of a cache.",
        "I'd like to see the log.",
        "Add a test for it.",
        "What should we use?",
        "Should we always use uuid v7 for primary keys?",
        "Why do we always use pnpm here?",
        "Must I always run make first?",
        "It works now.",
        "ok",
        "I never knew that.",
        "yes, go ahead",
        "```\nRemember that we use tabs\n```",
        "> Please never push to main.",
        "2026-01-02 10:00:00 remember: a",
    ] {
        assert_eq!(short(&talk(&[("User", text), ("Assistant", "Done.")])), [], "{text:?}");
    }
}

#[test]
fn notes_of_releases_propose_nothing() {
    let entries = "- We decided to keep the old flag.\n- Turns out the proxy strips the header.\n- Always use `--now`.";
    let said = format!("Intro. All commits must be signed.\n\n{entries}");
    assert!(short(&said).len() >= 2, "{:?}", short(&said));
    for text in [
        format!("# Changelog\n\nAll changes must be listed.\n\n## [1.2.0] - 2024-05-06\n\n### Changed\n\n{entries}"),
        format!("1.2.0 (2024-05-06)\n\n{entries}\n\n1.1.0 (2024-04-06)\n\n{entries}"),
    ] {
        assert_eq!(short(&text), [], "{text}");
    }
    // What stands before them is read.
    let text = format!("All commits must be signed.\n\n## v1.2.0\n\n{entries}\n\n## v1.1.0\n\n{entries}");
    assert_eq!(short(&text).iter().map(|one| one.2.as_str()).collect::<Vec<_>>(), ["All commits must be signed."]);
}

#[test]
fn announced_lists_are_kept_whole() {
    let text =
        "User: Please remember the following:\n- deploys need the VPN\n- use `make ship`\n\nThanks\nAssistant: ok";
    let kept: Vec<String> =
        proposed(text).into_iter().map(|one| format!("{:?} {}", one.confidence, one.text)).collect();
    assert_eq!(kept, ["High deploys need the VPN", "High use `make ship`"]);
    assert_eq!(proposed(text)[1].lines, (3, 3));
}

#[test]
fn what_one_line_of_json_holds_is_in_that_line() {
    let text = concat!(
        r#"{"role":"user","content":"Hi.\n\nRemember: we use tabs"}"#,
        "\n",
        r#"{"role":"assistant","content":"ok"}"#,
    );
    assert_eq!(proposed(text).iter().map(|one| one.lines).collect::<Vec<_>>(), [(1, 1)]);
}

#[test]
fn only_preferences_are_meant_for_all_projects() {
    let is_global = |text: &str| {
        proposed(&talk(&[("User", text), ("Assistant", "ok")])).iter().map(|p| p.is_global).collect::<Vec<_>>()
    };
    assert_eq!(is_global("In all my projects, I use British spelling."), [true]);
    assert_eq!(is_global("Always use tabs for indentation."), [true]);
    assert_eq!(is_global("We use pnpm."), [false]);
    assert_eq!(is_global("Turns out the proxy always strips it."), [false]);
}

#[test]
fn a_fix_that_a_person_confirms_is_certain() {
    let text = talk(&[
        ("User", "cargo build fails with error: linker `cc` not found"),
        ("Assistant", "The linker is missing. Install it with `apt-get install build-essential`."),
        ("User", "That fixed it, thanks!"),
    ]);
    let found = proposed(&text);
    assert_eq!(found.len(), 1, "{found:?}");
    let fix = &found[0];
    assert_eq!((fix.kind, fix.confidence, fix.trigger), (Kind::Tactic, Confidence::High, Trigger::ValidatedFix));
    assert_eq!(fix.worked, Some(true));
    assert_eq!(fix.text, "Install it with `apt-get install build-essential`.");
    assert_eq!(fix.error.as_deref(), Some("cargo build fails with error: linker `cc` not found"));
    assert_eq!(fix.lines, (2, 3));
}

#[test]
fn commands_that_were_run_are_what_was_tried() {
    let text = concat!(
        r#"{"type":"user","message":{"role":"user","content":"the tests do not start"}}"#,
        "\n",
        concat!(
            r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","input":{"comman"#,
            r#"d":"docker compose up -d db"}}]}}"#,
        ),
        "\n",
        concat!(
            r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"ok\nConnecti"#,
            r#"onError: refused by db"}]}}"#,
        ),
        "\n",
        r#"{"type":"user","message":{"role":"user","content":"works now"}}"#,
    );
    let found = proposed(text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].text.as_str(), found[0].lines), ("`docker compose up -d db`", (2, 4)));
    assert_eq!(found[0].error.as_deref(), Some("ConnectionError: refused by db"));
}

#[test]
fn what_did_not_help_is_a_failed_tactic() {
    let text = talk(&[
        ("User", "npm test crashes"),
        ("Assistant", "You should clear the cache first."),
        ("User", "That didn't help, same error."),
        ("Assistant", "Then upgrade node to version 20."),
        ("User", "Works now!"),
    ]);
    let found: Vec<_> = proposed(&text).into_iter().map(|p| (p.text, p.worked, p.confidence)).collect();
    let wanted = [
        ("You should clear the cache first.", Some(false), Confidence::Medium),
        ("Then upgrade node to version 20.", Some(true), Confidence::High),
    ];
    assert_eq!(found, wanted.map(|(text, worked, sure)| (text.to_owned(), worked, sure)));
}

#[test]
fn a_person_may_name_the_fix_themselves() {
    let found = proposed("The build failed with ECONNREFUSED.\n\nRestarting Docker fixed it.\n");
    assert_eq!((found[0].text.as_str(), found[0].confidence), ("Restarting Docker fixed it.", Confidence::High));
    assert_eq!(found[0].error.as_deref(), Some("The build failed with ECONNREFUSED."));
    // Content with work that was done is no fix.
    assert_eq!(
        short(&talk(&[("User", "Add a button"), ("Assistant", "I added a button."), ("User", "It works now.")])),
        []
    );
}

#[test]
fn programs_are_believed_when_the_person_agrees() {
    let said = "The root cause was a stale lock file.";
    let sure = |next: &str| proposed(&talk(&[("User", "why?"), ("Assistant", said), ("User", next)]))[0].confidence;
    assert_eq!(sure("Add a test."), Confidence::Low);
    assert_eq!(sure("Exactly."), Confidence::Medium);
    // A program has no preferences, and does not ask to keep things.
    assert_eq!(short(&talk(&[("User", "hi"), ("Assistant", "I prefer tabs. Remember that we use tabs.")])), []);
}

#[test]
fn documents_are_never_certain() {
    let note = "Remember that we use tabs.";
    assert_eq!(proposed(note)[0].confidence, Confidence::High);
    assert_eq!(proposed(&format!("# Guide\n\n{note}\n"))[0].confidence, Confidence::Medium);
    let long = format!("{note}\n\n{}", "A line of a log.\n".repeat(400));
    assert_eq!(proposed(&long)[0].confidence, Confidence::Medium);
}

#[test]
fn choices_take_the_words_of_the_option() {
    let text = talk(&[
        ("User", "Which one?"),
        ("Assistant", "There are two:\n1. A cache in memory\n2. A cache on disk"),
        ("User", "I'll take the second one. It survives restarts."),
    ]);
    let found = proposed(&text);
    assert_eq!(found[0].text, "I'll take the second one (A cache on disk) It survives restarts.");
    assert_eq!((found[0].confidence, found[0].lines), (Confidence::Low, (5, 5)));
}

#[test]
fn acts_are_told_by_what_was_said_before() {
    for (text, before, wanted) in [
        ("No, use pnpm here.", "I'll install the dependencies with npm.", Act::Correction),
        ("Actually make it 10 seconds.", "Done. The timeout is now 30 seconds.", Act::Correction),
        ("Use `httpx` instead.", "I used `requests` for it.", Act::Correction),
        ("7 pm", "A table for two at 6 pm, is that correct?", Act::Correction),
        ("7 pm", "When do you want to eat?", Act::New),
        ("We use Python 3.11.", "", Act::New),
        ("Postgres 15 on port 5433", "Which database do you use?", Act::New),
        ("thanks", "Done.", Act::None),
        ("What does it do?", "I added a flag.", Act::None),
        ("", "", Act::None),
    ] {
        assert_eq!(act_of(text, (!before.is_empty()).then_some(before)), wanted, "{text:?} after {before:?}");
    }
}

#[test]
fn repeats_are_proposed_once_and_not_too_many() {
    let twice = short(&talk(&[("User", "We use tabs."), ("Assistant", "ok"), ("User", "Remember: we use tabs!")]));
    assert_eq!(twice, [(Kind::Preference, Confidence::High, "we use tabs!".to_owned())]);
    let many: String = (0..2000).map(|n| format!("User: We use tool number{n}.\nAssistant: ok\n")).collect();
    let found = proposed(&(many + "User: Remember: we use tabs\n"));
    assert_eq!(found.len(), MAX_PROPOSALS);
    assert_eq!(found.last().map(|one| one.text.as_str()), Some("we use tabs"));
}

/// A small seeded generator (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((x ^ (x >> 31)) % limit as u64).unwrap_or(0)
    }
}

#[test]
fn any_text_has_proposals_within_its_lines() {
    const PARTS: [&str; 45] = [
        "User:",
        "Assistant:",
        "## User",
        "> ",
        "⏺ ",
        "\n",
        "\n\n",
        "\r\n",
        "```",
        "- ",
        "1. ",
        "remember",
        "that",
        "we",
        "use",
        "tabs",
        "No,",
        "not",
        "but",
        "it",
        "works",
        "now",
        "That",
        "fixed",
        "error:",
        "ValueError:",
        "`ls -l`",
        "$ x",
        "I",
        "prefer",
        "語",
        "’",
        "e.g.",
        "?",
        "!",
        ".",
        "option 2",
        "{\"role\":\"user\",\"content\":\"a\"}",
        "\n{\"role\":\"user\",\"content\":\"a\\n\\nwe use tabs\"}\n",
        "{",
        "]",
        "\u{0}",
        "\t",
        "İ",
        "the following:",
    ];
    let mut random = Random(7);
    for _ in 0..4000 {
        let parts: Vec<&str> = (0..random.below(24)).map(|_| PARTS[random.below(PARTS.len())]).collect();
        let text = parts.join([" ", "", "\n"][random.below(3)]);
        let lines = text.lines().count().max(1);
        let turns = read_turns(&text);
        for turn in &turns {
            assert!(1 <= turn.line_start && turn.line_start <= turn.line_end && turn.line_end <= lines, "{text:?}");
            assert!(!turn.text.trim().is_empty(), "{text:?}");
        }
        assert!(turns.windows(2).all(|pair| pair[0].line_start <= pair[1].line_start), "{text:?}");
        let found = proposals(&turns);
        assert_eq!(found, proposals(&turns));
        for one in found {
            assert!(1 <= one.lines.0 && one.lines.0 <= one.lines.1 && one.lines.1 <= lines, "{one:?} of {text:?}");
            assert!(!one.text.is_empty() && !one.text.contains('\n'), "{one:?} of {text:?}");
            assert!(one.worked.is_none() || one.kind == Kind::Tactic);
        }
        let _ = act_of(&text, Some(&text));
    }
}

#[test]
fn long_texts_are_read_too() {
    for part in [
        "a",
        "a ",
        ".",
        "no. ",
        "\n",
        "- a\n",
        "User: a\nAssistant: b\n",
        "works now. ",
        "User: works now\nAssistant: I added a.\n",
        "`a b` ",
        "remember that ",
        "{\"role\":\"user\",\"content\":\"we use a\"}\n",
        "[",
        "error: x\n\n",
        "not a but b ",
        "**",
        "the the ",
    ] {
        let text = part.repeat((1 << 19) / part.len());
        // Quadratic work on half a megabyte would not come back.
        let _ = proposals(&read_turns(&text));
        let _ = act_of(&text, Some(&text));
    }
}

#[test]
fn what_was_tried_among_several_ways_is_not_certain() {
    let text = talk(&[
        ("Human", "The deploy failed with exit code 137."),
        ("Assistant", "You have a few options:\n1. Increase the memory limit\n2. Use fewer workers"),
        ("Human", "That fixed it, thanks!"),
    ]);
    assert_eq!(short(&text), [(Kind::Tactic, Confidence::Medium, "Use fewer workers".to_owned())]);
}
