//! A set to label, made of what is indexed: documents as they are, questions that are only proposed.
//!
//! A proposal is a known-item question: it is made of a text's own words and has that text for an answer. That is
//! easier than what people ask, so each is marked until somebody has written it anew. The questions without an answer
//! are those that gates are fitted with, marked likewise.

use super::proposal::{Origin, place, proposal, sections};
use super::set::{Query, SPLIT};
use crate::query::foreign_questions;
use crate::text::{sha256_hex, text_hash};
use crate::types::{Item, heading};
use serde_json::json;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::Hash;

/// Questions without an answer.
const FOREIGN: usize = 200;

/// The files of a set and what they hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Draft {
    /// Paths in the set's folder and texts; what makes it a set comes last.
    pub files: Vec<(String, String)>,
    /// Documents.
    pub documents: usize,
    /// Questions that people said what answers.
    pub labelled: usize,
    /// Questions that are proposed.
    pub questions: usize,
    /// Questions without an answer.
    pub unanswerable: usize,
}

/// Whether a question is still as it was proposed.
pub fn is_proposed(query: &Query) -> bool {
    query.metadata.get("proposed").and_then(serde_json::Value::as_bool).unwrap_or(false)
}

/// Makes a set of these items. `labels` are pairs of a question and the public id of an item that answers it; labels of
/// other items are skipped. At most `questions` proposals are added, spread over the files and always the same.
pub fn draft(items: &[Item], labels: &[(String, String)], questions: usize) -> Draft {
    let ids = ids(items);
    let line = |record: serde_json::Value| record.to_string() + "\n";
    let corpus: String = items.iter().zip(&ids).map(|(item, id)| line(document(item, id))).collect();
    let sections = sections(items);
    let twins = by(items, |item| text_hash(&item.body));
    let parts = by(items, place);
    let (mut asked, mut judged) = (String::new(), String::from("query-id\tcorpus-id\tscore\n"));
    let mut seen = HashSet::new();
    let labelled = labelled(items, labels);
    for (at, (question, right)) in labelled.iter().enumerate() {
        let id = format!("l{}", at + 1);
        seen.insert(question.to_lowercase());
        asked.push_str(&line(json!({"_id": id, "text": question, "metadata": {"from": "ken search --good"}})));
        let same = right.iter().flat_map(|right| twins.get(&text_hash(&items[*right].body)).into_iter().flatten());
        let right: BTreeSet<usize> = same.copied().collect();
        right.iter().for_each(|right| judged.push_str(&format!("{id}\t{}\t1\n", ids[*right])));
    }
    let mut count = 0;
    for at in spread(items) {
        if count == questions {
            break;
        }
        let item = &items[at];
        let is_own = sections.get(&heading(&item.title).trim().to_lowercase()).is_some_and(Option::is_some);
        let Some((text, from)) = proposal(item, count % 2 == 0, is_own) else { continue };
        if !seen.insert(text.to_lowercase()) {
            continue;
        }
        count += 1;
        let id = format!("q{count}");
        let metadata = json!({"proposed": true, "from": from.name(), "path": item.path});
        asked.push_str(&line(json!({"_id": id, "text": text, "metadata": metadata})));
        let same = twins.get(&text_hash(&item.body)).into_iter().flatten();
        let parts = parts.get(&place(item)).filter(|_| from == Origin::Heading).into_iter().flatten();
        let mut right: Vec<usize> = same.chain(parts).copied().collect();
        right.sort_unstable();
        right.dedup();
        right.iter().for_each(|right| judged.push_str(&format!("{id}\t{}\t1\n", ids[*right])));
    }
    let foreign = foreign();
    let unanswerable: String = foreign
        .iter()
        .enumerate()
        .map(|(at, text)| line(json!({"_id": format!("u{}", at + 1), "text": text, "metadata": {"proposed": true}})))
        .collect();
    let files = [
        ("README.md".to_owned(), README.to_owned()),
        ("corpus.jsonl".to_owned(), corpus),
        ("queries.jsonl".to_owned(), asked),
        ("unanswerable.jsonl".to_owned(), unanswerable),
        (format!("qrels/{SPLIT}.tsv"), judged),
    ];
    let (documents, unanswerable) = (items.len(), foreign.len());
    Draft { files: files.into(), documents, labelled: labelled.len(), questions: count, unanswerable }
}

/// The labelled questions in the order in which they came, each with the places of the items that answer it.
fn labelled<'l>(items: &[Item], labels: &'l [(String, String)]) -> Vec<(&'l str, Vec<usize>)> {
    let places: HashMap<&str, usize> = items.iter().enumerate().map(|(at, item)| (item.uid.as_str(), at)).collect();
    let mut out: Vec<(&str, Vec<usize>)> = Vec::new();
    for (question, id) in labels {
        let Some(place) = places.get(id.as_str()) else { continue };
        match out.iter_mut().find(|(known, _)| known == question) {
            Some((_, right)) => right.push(*place),
            None => out.push((question, vec![*place])),
        }
    }
    out
}

fn document(item: &Item, id: &str) -> serde_json::Value {
    let lines = item.span.map(|span| [span.line_start, span.line_end]);
    let metadata = json!({"path": item.path, "lines": lines, "kind": item.kind.name(), "scope": item.scope});
    json!({"_id": id, "title": item.title, "text": item.body, "metadata": metadata})
}

/// Ids as sets may have them: the items' own, which `ken search --json` names too, unless white space is in them.
fn ids(items: &[Item]) -> Vec<String> {
    let one =
        |item: &Item| match item.uid.contains(|c: char| c.is_whitespace() || c.is_control()) || item.uid.is_empty() {
            true => format!("item/{}", &sha256_hex(item.uid.as_bytes())[..16]),
            false => item.uid.clone(),
        };
    items.iter().map(one).collect()
}

/// Items by something that they share: each of those with the text or in the section that is asked about answers.
fn by<'i, K: Hash + Eq>(items: &'i [Item], key: impl Fn(&'i Item) -> K) -> HashMap<K, Vec<usize>> {
    let mut out: HashMap<K, Vec<usize>> = HashMap::new();
    for (at, item) in items.iter().enumerate() {
        out.entry(key(item)).or_default().push(at);
    }
    out
}

/// All items, one of each file before the second of any, in no other order of theirs.
fn spread(items: &[Item]) -> Vec<usize> {
    let hash = |at: usize| sha256_hex(items[at].uid.as_bytes());
    let mut all: Vec<(String, usize)> = (0..items.len()).map(|at| (hash(at), at)).collect();
    all.sort_unstable();
    let mut of_file: HashMap<Option<&str>, usize> = HashMap::new();
    let turn = |(hash, at): (String, usize)| {
        let count = of_file.entry(items[at].path.as_deref()).or_default();
        *count += 1;
        (*count, hash, at)
    };
    let mut turns: Vec<(usize, String, usize)> = all.into_iter().map(turn).collect();
    turns.sort_unstable();
    turns.into_iter().map(|(.., at)| at).collect()
}

/// Questions that hardly any index speaks about, always the same.
fn foreign() -> Vec<String> {
    let mut all: Vec<(String, String)> =
        foreign_questions().into_iter().map(|one| (sha256_hex(one.text.as_bytes()), one.text)).collect();
    all.sort_unstable();
    all.truncate(FOREIGN);
    all.into_iter().map(|(_, text)| text).collect()
}

/// What to do with the set.
const README: &str = include_str!("draft.md");

#[cfg(test)]
mod tests {
    use super::super::set::read_set;
    use super::*;
    use crate::types::{Authority, Kind, Scope, State};

    fn item(uid: &str, path: &str, title: &str, body: &str) -> Item {
        Item {
            uid: uid.to_owned(),
            kind: Kind::Chunk,
            scope: Scope::global(),
            authority: Authority::Personal,
            state: State::Active,
            title: title.to_owned(),
            body: body.to_owned(),
            attributes: json!({}),
            path: Some(path.to_owned()),
            span: None,
            created_at: 0,
            updated_at: 0,
        }
    }

    fn items() -> Vec<Item> {
        let mut all = vec![
            item("chunk/1", "a.md", "A > Rotating the keys", "The keys are changed by whoever is on call."),
            item("chunk/2", "a.md", "A > Rotating the keys", "The second part of that section is longer than one."),
            item("with space", "b.md", "B > Backups", "Every night a copy of all data is made."),
            item("chunk/4", "c.md", "C > Backups", "Every night a copy of all data is made."),
        ];
        all.extend(
            (0..9).map(|at| item(&format!("d{at}"), "d.md", "D", &format!("In room {at} nobody was seen at night."))),
        );
        all
    }

    #[test]
    fn a_draft_is_a_set() {
        let draft = draft(&items(), &[], 8);
        assert_eq!((draft.documents, draft.questions, draft.unanswerable), (13, 8, FOREIGN));
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("qrels")).unwrap();
        draft.files.iter().for_each(|(name, text)| std::fs::write(dir.path().join(name), text).unwrap());
        let set = read_set(dir.path()).unwrap();
        assert_eq!((set.documents.len(), set.queries.len(), set.unanswerable.len()), (13, 8, FOREIGN));
        assert!(set.queries.iter().chain(&set.unanswerable).all(is_proposed));
        assert_eq!(set.documents[0].metadata["path"], "a.md");
        // Each file has its turn before any has two.
        let files: HashSet<_> = set.queries[..4].iter().map(|query| query.metadata["path"].to_string()).collect();
        assert!(files.len() >= 3, "two hold the same text: {:?}", set.queries);
        let known: HashSet<&str> = set.documents.iter().map(|document| document.id.as_str()).collect();
        assert!(set.judgements.values().flat_map(|judged| judged.keys()).all(|id| known.contains(id.as_str())));
        // Equal texts and all parts of a section answer alike.
        let copies = set.queries.iter().find(|query| query.text.starts_with("Every night"));
        let copies = copies.map(|query| set.judgements[&query.id].len());
        assert!(copies.is_none_or(|count| count == 2));
        for query in set.queries.iter().filter(|query| query.text == "Rotating the keys") {
            assert_eq!(set.judgements[&query.id].len(), 2);
        }
        assert_eq!(super::draft(&items(), &[], 8), draft, "always the same");
    }

    #[test]
    fn no_more_is_asked_than_there_is() {
        let asked = |questions| draft(&items(), &[], questions).questions;
        assert_eq!((asked(0), asked(3)), (0, 3));
        assert!(asked(100) > 8 && asked(100) <= 13);
        assert_eq!(draft(&[], &[], 5).questions, 0);
    }

    #[test]
    fn what_people_called_good_is_labelled() {
        let label = |question: &str, id: &str| (question.to_owned(), id.to_owned());
        let labels = [
            label("who may change keys", "chunk/1"),
            label("copies of data", "with space"),
            label("who may change keys", "d3"),
            label("of nothing", "gone"),
        ];
        let draft = draft(&items(), &labels, 2);
        assert_eq!((draft.labelled, draft.questions), (2, 2));
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("qrels")).unwrap();
        draft.files.iter().for_each(|(name, text)| std::fs::write(dir.path().join(name), text).unwrap());
        let set = read_set(dir.path()).unwrap();
        let asked: Vec<(&str, bool)> = set.queries.iter().map(|one| (one.text.as_str(), is_proposed(one))).collect();
        assert_eq!(asked[..2], [("who may change keys", false), ("copies of data", false)]);
        assert!(asked[2].1 && asked[3].1);
        assert_eq!(set.judgements["l1"].keys().map(String::as_str).collect::<BTreeSet<_>>(), ["chunk/1", "d3"].into());
        assert_eq!(set.judgements["l2"].len(), 2, "equal texts answer alike");
    }
}
