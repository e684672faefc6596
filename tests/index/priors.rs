//! Recency and frequency over the built-in cases: what is equally relevant is ordered by them, what is sure is not
//! touched.

use super::usage::engine;
use crate::support::ken::User;
use crate::support::request::session_at;
use kenning::engine::{Engine, Session};
use kenning::eval::{Case, CaseKind, builtin_cases};
use kenning::query::{LookupOptions, SearchOptions};
use kenning::types::{Authority, Item, Kind, Scope, State};

const DAY: i64 = 86_400_000;
const NOW: i64 = 20_000 * DAY;

fn session() -> Session<'static> {
    session_at(|| NOW)
}

fn use_often(user: &User, uids: &[String]) {
    let record = |uid: &String| {
        let usage = serde_json::json!({"type": "usage", "uid": uid, "days": 50, "last_day": 1, "served": 50,
            "last_served": 1, "confirmed": 0});
        format!("{usage}\n")
    };
    let records: String = uids.iter().map(record).collect();
    let head = "{\"type\":\"kenning\",\"format\":1,\"exported_at\":0}";
    let export = format!("{head}\n{records}{{\"type\":\"end\",\"records\":{}}}\n", uids.len());
    let ran = user.ken_with(&["import", "-"], export.as_bytes());
    assert_eq!(ran.code, 0, "{ran:?}");
}

fn cases(kind: CaseKind) -> Vec<Case> {
    builtin_cases().unwrap().into_iter().filter(|case| case.kind == kind && !case.expect.is_empty()).collect()
}

#[test]
fn the_newer_and_the_more_used_of_equals_come_first() {
    let user = User::new();
    let engine = engine(&user);
    let cases: Vec<Case> = cases(CaseKind::Paraphrase).into_iter().step_by(12).collect();
    assert!(cases.len() >= 60, "{}", cases.len());
    let item = |case: &Case, sort: &str, age_days: i64| {
        let packs = engine.packs(&session());
        let entry = packs.canon().entries()[packs.canon().index_of(&case.expect[0]).unwrap()].entry();
        Item {
            uid: format!("{sort}/{}", case.id),
            kind: Kind::Chunk,
            scope: Scope::global(),
            authority: Authority::Personal,
            state: State::Active,
            title: entry.title.clone(),
            body: format!("{}\n{}", entry.whole_cause(), entry.symptoms.join("\n")),
            attributes: serde_json::json!({}),
            path: None,
            span: None,
            created_at: 0,
            updated_at: NOW - age_days * DAY,
        }
    };
    // The order of the ids is against what is wanted.
    let all = cases.iter().flat_map(|case| [item(case, "a-old", 90), item(case, "b-used", 90), item(case, "c-new", 1)]);
    assert_eq!(engine.add_items(all, &session()).unwrap().0, 3 * cases.len());
    use_often(&user, &cases.iter().map(|case| format!("b-used/{}", case.id)).collect::<Vec<_>>());
    let mut found = 0;
    for case in &cases {
        let mut options =
            SearchOptions { min_relevance: Some(0.0), limit: 400, repeats: true, ..SearchOptions::default() };
        options.filter.kinds = vec![Kind::Chunk];
        let answer = engine.search(case.text.as_bytes(), &options, &session()).unwrap();
        let hit = |sort: &str| {
            let uid = format!("{sort}/{}", case.id);
            answer.results[0].hits.iter().enumerate().find(|(_, hit)| hit.id == uid)
        };
        let (Some(old), Some(used), Some(new)) = (hit("a-old"), hit("b-used"), hit("c-new")) else { continue };
        assert!(old.1.relevance == used.1.relevance && old.1.relevance == new.1.relevance, "{}", case.id);
        assert!(used.0 < old.0 && new.0 < old.0, "{}: old {}, used {}, new {}", case.id, old.0, used.0, new.0);
        found += 1;
    }
    assert!(found * 10 >= cases.len() * 9, "{found} of {} share a word with their entry", cases.len());
}

#[test]
fn an_exact_hit_is_never_lost_to_what_is_used() {
    let user = User::new();
    user.document("a.md", "A document, so that there is a database at all in this home directory.");
    user.ken(&["index", "."]);
    let cases: Vec<Case> = cases(CaseKind::Message).into_iter().step_by(3).collect();
    let answers = |engine: &Engine| -> Vec<Vec<String>> {
        let one = |case: &Case| {
            let answer = engine.lookup(case.text.as_bytes(), &LookupOptions::default(), &session()).unwrap();
            let hits = answer.results.into_iter().flat_map(|finding| finding.hits);
            hits.filter(|hit| hit.relevance == 1.0).map(|hit| hit.id).collect()
        };
        cases.iter().map(one).collect()
    };
    let before = answers(&engine(&user));
    assert!(before.iter().filter(|hits| !hits.is_empty()).count() >= 100);
    let right: Vec<&String> = before.iter().flatten().collect();
    let engine_now = engine(&user);
    let packs = engine_now.packs(&session());
    let others = packs.canon().entries().iter().map(|stored| stored.id().to_owned());
    use_often(&user, &others.filter(|id| !right.contains(&id)).collect::<Vec<_>>());
    assert_eq!(answers(&engine(&user)), before);
}
