use crate::support::ken::User;
use crate::support::request::session_at;
use kenning::engine::{Engine, EngineSettings, Session};
use kenning::query::SearchOptions;
use std::cell::Cell;

const DAY: i64 = 86_400_000;

thread_local! {
    static NOW: Cell<i64> = const { Cell::new(0) };
}

/// An engine over a user's index, packs built in, no model.
pub(super) fn engine(user: &User) -> Engine {
    Engine::new(EngineSettings {
        data: Some(user.home()),
        shared: None,
        cache: None,
        config: None,
        user_packs: None,
        repository_packs: None,
        calibration: None,
        reranker: String::new(),
        vectors: None,
        model: "none".into(),
        recall_target: 0.99,
        max_noise: 0.03,
        remembers: false,
        models: None,
        later: None,
    })
}

fn session() -> Session<'static> {
    session_at(|| NOW.get())
}

fn usage(user: &User) -> Vec<(u64, u64)> {
    let all = user.exported().into_iter().filter(|record| record["type"] == "usage");
    all.map(|record| (record["days"].as_u64().unwrap(), record["served"].as_u64().unwrap())).collect()
}

#[test]
fn days_count_and_dry_runs_do_not() {
    let user = User::new();
    user.document("a.md", "The first paragraph is about the harvest of the early apples in autumn.");
    user.ken(&["index", "."]);
    let search = ["search", "--min-relevance", "0.01", "--kind", "chunk", "harvest of the early apples in autumn"];
    assert_eq!(user.ken(&[&search[..], &["--dry-run"]].concat()).code, 0);
    assert!(usage(&user).is_empty());
    user.ken(&search);
    user.ken(&search);
    assert_eq!(usage(&user), [(1, 2)]);
}

/// A lookup counts what it guessed, and what is used comes first of what is equally relevant; a sure answer opens no
/// database.
#[test]
fn lookups_count_their_guesses() {
    let user = User::new();
    for pack in ["aa", "bb"] {
        let added = user.ken(&[
            "canon",
            "add",
            "--pack",
            pack,
            "--title",
            "Frobnicator of the quux is jammed by gnarl",
            "--cause",
            "Gnarl.",
            "--fix",
            "Remove it.",
            "--symptom",
            "the frobnicator of the quux is jammed and gnarl is in it",
        ]);
        assert_eq!(added.code, 0, "{added:?}");
    }
    user.document("a.md", "A document, so that there is a database at all in this home directory.");
    user.ken(&["index", "."]);
    let first = || {
        let ran =
            user.ken(&["lookup", "--json", "--explain", "--dry-run", "quux frobnicator jammed with gnarl inside"]);
        let hit = ran.json()["results"][0]["hits"][0].clone();
        (hit["source"].as_str().unwrap_or_default().to_owned(), hit["tier"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(first(), ("user:aa".to_owned(), "close".to_owned()));
    let listed = user.ken(&["canon", "search", "--json", "frobnicator"]).out;
    let start = listed.find("bb/").unwrap();
    let id: String = listed[start..].chars().take_while(|c| *c != '"').collect();
    let record = format!(
        "{{\"type\":\"usage\",\"uid\":\"{id}\",\"days\":9,\"last_day\":1,\"served\":9,\"last_served\":1,\"confirmed\":0}}"
    );
    let export = format!(
        "{{\"type\":\"kenning\",\"format\":1,\"exported_at\":0}}\n{record}\n{{\"type\":\"end\",\"records\":1}}\n"
    );
    assert_eq!(user.ken_with(&["import", "-"], export.as_bytes()).code, 0);
    assert_eq!(first().0, "user:bb");
}

/// A table of cases under a fixed clock: what is equally relevant is ordered by age and use, nothing else is.
#[test]
fn recency_and_frequency_break_ties_only() {
    let user = User::new();
    let now = 20_000 * DAY;
    NOW.set(now);
    let document = |name: &str, text: &str, age_days: u64| {
        let path = user.document(name, text);
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_millis(now as u64 - age_days * DAY as u64);
        std::fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    };
    // Alike to the last word, which no question has.
    document("old.md", "Rotate the signing keys of the gateway every quarter, says the red team.", 90);
    document("new.md", "Rotate the signing keys of the gateway every quarter, says the sea team.", 1);
    document("used.md", "Rotate the signing keys of the gateway every quarter, says the ops team.", 90);
    document("exact.md", "Rotate the signing keys of the gateway: ask Miriam for the hardware token first.", 900);
    engine(&user).index(&[user.work()], &kenning::ingest::IndexOptions::default(), &session()).unwrap();
    let order = |question: &str, at: i64| -> Vec<(String, f32, f32)> {
        NOW.set(at);
        let engine = engine(&user);
        let options = SearchOptions { min_relevance: Some(0.0), limit: 4, ..SearchOptions::default() };
        let mut options = options;
        options.filter.kinds = vec![kenning::types::Kind::Chunk];
        let answer = engine.search(question.as_bytes(), &options, &session()).unwrap();
        let name = |hit: &kenning::types::Hit| match &hit.content {
            kenning::types::Content::Passage(passage) => {
                passage.path.clone().unwrap().rsplit('/').next().unwrap().trim_end_matches(".md").to_owned()
            }
            other => panic!("{other:?}"),
        };
        answer.results[0].hits.iter().map(|hit| (name(hit), hit.relevance, hit.score)).collect()
    };
    let names = |found: &[(String, f32, f32)]| found.iter().map(|(name, ..)| name.clone()).collect::<Vec<_>>();
    let question = "rotate signing keys gateway every quarter";
    let first = order(question, now);
    assert_eq!(first[0].0, "new", "{first:?}");
    assert!(first[..3].windows(2).all(|pair| pair[0].1 == pair[1].1), "equally relevant: {first:?}");

    // Served on ten days: ahead of the one that is as old; the new one has both.
    for day in 0..10 {
        NOW.set(now + day * DAY);
        let engine = engine(&user);
        let mut options = SearchOptions { min_relevance: Some(0.0), limit: 1, ..SearchOptions::default() };
        let used = user.work().canonicalize().unwrap().join("used.md").display().to_string();
        options.filter.paths = vec![kenning::store::PathFilter::Under(used)];
        let answer = engine.search(question.as_bytes(), &options, &session()).unwrap();
        engine.count_served(&answer, &session());
        engine.count_served(&answer, &session());
    }
    let used = order(question, now + 10 * DAY);
    let place = |found: &[(String, f32, f32)], name: &str| found.iter().position(|(n, ..)| n == name).unwrap();
    assert!(place(&used, "used") < place(&used, "old"), "{used:?}");
    // Long after, only use tells.
    let later = order(question, now + 900 * DAY);
    assert_eq!(names(&later)[0], "used", "{later:?}");

    // Neither admits nor outranks what is more relevant.
    let better = order("signing keys gateway ask Miriam hardware token", now + 10 * DAY);
    assert_eq!(better[0].0, "exact", "{better:?}");
    assert!(better.iter().all(|(_, relevance, score)| score <= relevance && *score >= relevance * 0.8 - 1e-6));

    // The clock went back: nothing breaks, no day is counted twice.
    NOW.set(now);
    let answer = engine(&user).search(question.as_bytes(), &SearchOptions::default(), &session()).unwrap();
    engine(&user).count_served(&answer, &session());
    assert!(usage(&user).iter().any(|(days, served)| *days == 10 && *served >= 20));
}
