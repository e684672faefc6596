//! Questions that a set cannot answer, where it names none itself: those of other sets.
//!
//! Noise needs questions without an answer. A set about something else has them, as long as it is about something else:
//! that is for whoever names it to know.

use super::set::{Query, Set};
use crate::text::sha256_hex;
use std::collections::HashSet;

/// What the id of a question of another set begins with.
pub const FOREIGN: &str = "foreign/";
/// Questions that are taken at most.
const MOST: usize = 400;

/// Gives a set without unanswerable questions those of other sets. One that is the set itself is passed over.
///
/// They are always the same, in no order of theirs, and each has the metadata of one of the set's own questions, so
/// that it is asked of a group as these are.
pub fn add_foreign(set: &mut Set, others: &[Set]) {
    if !set.unanswerable.is_empty() {
        return;
    }
    let digest = set.digest();
    let own: HashSet<&str> = set.queries.iter().map(|query| query.text.trim()).collect();
    let others = others.iter().filter(|other| other.digest() != digest);
    let each = others.flat_map(|other| other.queries.iter().map(move |query| (other.name.as_str(), query)));
    let strange = each.filter(|(_, query)| !query.text.trim().is_empty() && !own.contains(query.text.trim()));
    let mut all: Vec<(String, &str, &Query)> =
        strange.map(|(name, query)| (sha256_hex(query.text.as_bytes()), name, query)).collect();
    all.sort_unstable_by(|a, b| (&a.0, a.1, &a.2.id).cmp(&(&b.0, b.1, &b.2.id)));
    all.dedup_by(|a, b| a.0 == b.0);
    let groups = set.queries.iter().map(|query| &query.metadata).cycle();
    let taken = all.into_iter().take(MOST).zip(groups).map(|((_, name, query), metadata)| Query {
        id: format!("{FOREIGN}{name}/{}", query.id),
        text: query.text.clone(),
        metadata: metadata.clone(),
    });
    set.unanswerable = taken.collect();
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn set(name: &str, texts: &[&str]) -> Set {
        let query = |(at, text): (usize, &&str)| Query {
            id: format!("q{at}"),
            text: (*text).to_owned(),
            metadata: json!({"group": format!("{name}{at}")}),
        };
        Set { name: name.to_owned(), queries: texts.iter().enumerate().map(query).collect(), ..Set::default() }
    }

    #[test]
    fn questions_of_others_have_no_answer_here() {
        let mut own = set("a", &["shared", "mine"]);
        let others = [own.clone(), set("b", &["shared", "theirs", "theirs", " "]), set("c", &["third"])];
        add_foreign(&mut own, &others);
        let mut found: Vec<(&str, &str)> =
            own.unanswerable.iter().map(|query| (query.id.as_str(), query.text.as_str())).collect();
        found.sort_unstable();
        assert_eq!(found, [("foreign/b/q1", "theirs"), ("foreign/c/q0", "third")]);
        let groups: Vec<&str> = own.unanswerable.iter().filter_map(|query| query.metadata["group"].as_str()).collect();
        assert_eq!(groups, ["a0", "a1"], "each is asked of a group of this set");
        let before = own.unanswerable.clone();
        add_foreign(&mut own, &[set("d", &["more"])]);
        assert_eq!(own.unanswerable, before, "a set's own are all that counts");
    }
}
