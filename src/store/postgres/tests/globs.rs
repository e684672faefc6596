//! Patterns mean the same in both databases.

use super::*;
use crate::store::postgres::text::marked;
use crate::store::sql::{Dialect, SqlRow, SqlValue};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

const CASES: usize = 20_000;

/// The pattern, the name, and whether they match.
type Answer = (String, String, bool);

fn of_sqlite(cases: &[(String, String)]) -> Vec<Answer> {
    let connection = rusqlite::Connection::open_in_memory().unwrap();
    let mut statement = connection.prepare("SELECT ?1 GLOB ?2").unwrap();
    let ask = |(pattern, name): &(String, String)| {
        let matches = statement.query_row([name, pattern], |row| row.get(0)).unwrap();
        (pattern.clone(), name.clone(), matches)
    };
    cases.iter().map(ask).collect()
}

fn of_postgres(store: &SharedDatabase, cases: &[(String, String)]) -> Vec<Answer> {
    let list = |texts: Vec<String>| SqlValue::from(serde_json::Value::from(texts).to_string());
    let expression = |pattern: &String| match Dialect::Postgres.glob("name", pattern) {
        (sql, SqlValue::OwnText(expression)) if sql == "name ~ ?" => expression,
        other => panic!("{other:?}"),
    };
    let sql = "SELECT name COLLATE \"C\" ~ pattern FROM ROWS FROM (json_array_elements_text(CAST(?1 AS json)),
        json_array_elements_text(CAST(?2 AS json))) WITH ORDINALITY AS asked (name, pattern, place) ORDER BY place";
    let names = list(cases.iter().map(|(_, name)| marked(name).into_owned()).collect());
    let patterns = list(cases.iter().map(|(pattern, _)| expression(pattern)).collect());
    let matches = store.rows(sql, &[names, patterns], |row| Ok(row.integer(0)? != 0)).unwrap();
    cases.iter().zip(matches).map(|((pattern, name), matches)| (pattern.clone(), name.clone(), matches)).collect()
}

#[test]
fn a_pattern_matches_what_it_matches_in_sqlite() {
    let (_dir, _lock, store) = made();
    let part = "[abce\\-\\]^!é/\u{1}\u{2}.]";
    let class = format!("\\[\\^?{part}{{0,5}}\\]?");
    let pattern = prop::collection::vec(prop_oneof![class.as_str(), part, "[*?]"], 0..4);
    let one = (pattern.prop_map(|parts| parts.concat()), "[abcde\\-\\]^!é/\n\u{1}\u{2}.]{0,4}");
    let mut runner = TestRunner::deterministic();
    let mut cases: Vec<_> = (0..CASES).map(|_| one.new_tree(&mut runner).unwrap().current()).collect();
    for class in
        ["[a-c-e]", "[c-a]", "[]-a]", "[^]-a]", "[--a]", "[a-]", "[-a]", "[!a]", "[^^]", "[a", "[]", "[\u{1}-b]"]
    {
        for name in ["a", "b", "c", "d", "e", "-", "]", "^", "!", "[", "\u{1}", "\u{2}", "[a", "[]", ""] {
            cases.push((class.to_owned(), name.to_owned()));
        }
    }
    let (wanted, found) = (of_sqlite(&cases), of_postgres(&store, &cases));
    assert_eq!(found.len(), wanted.len());
    for (found, wanted) in found.iter().zip(&wanted) {
        assert_eq!(found, wanted);
    }
    let matching = wanted.iter().filter(|(.., matches)| *matches).count();
    assert!(matching > CASES / 50, "there are few that match: {matching}");
}
