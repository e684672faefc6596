//! Words, vectors and their changes, counters, the stamp, and noise.

use super::harness::{Made, Maker, hashes, item, made, source, three};
use super::memories::{memory, served};
use crate::store::{
    CountUsage, IndexModel, LogChanges, ReadChanges, ReadEvents, ReadItems, ReadNoise, ReadUsage, ReadVectors,
    ReadWords, Source, StoreError, WriteEvents, WriteExternal, WriteForgotten, WriteItems, WriteMemory, WriteNoise,
    WriteSources, WriteStore, WriteVectors,
};
use crate::text::{TextHash, text_hash, tokens};
use crate::types::{CONTEXT, CorpusNoise, FamilyNoise, Fingerprint, Item, SignalNoise, Span, State};
use std::collections::BTreeSet;

pub(super) fn words_and_texts_are_those_of_active_items<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let (ids, _) = three(&mut made);
    let disputed = Item { state: State::Disputed, ..item("chunk/8", "borrow") };
    let disputed = made.write(|batch| batch.put_item(&disputed, None));
    let store = &made.store;
    let texts = store.texts_of(&[ids[1], disputed, 999, ids[0]]).unwrap();
    assert_eq!(texts.iter().map(|text| text.id).collect::<Vec<_>>(), [ids[1], ids[0]]);
    assert_eq!((texts[0].title.as_str(), texts[0].body.as_str()), ("Title of chunk/1", "a lock is held"));
    assert_eq!(texts[0].text_hash, text_hash("Title of chunk/1\na lock is held"));
    let mut seen = Vec::new();
    let mut words = 0;
    let each = store.each_text(|text| {
        seen.push(text.id);
        words += tokens(&format!("{}\n{}", text.title, text.body)).len();
        Ok::<_, StoreError>(())
    });
    each.unwrap();
    assert_eq!(seen, ids, "in the order of rows");
    let corpus = store.corpus().unwrap();
    assert_eq!((corpus.items, corpus.words), (3, words));
    let stop = |_| Err(StoreError::Import { line: 3, what: "enough".to_owned() });
    assert!(matches!(store.each_text(stop), Err(StoreError::Import { line: 3, .. })));
}

/// A model of two components, and a vector for each of some texts.
pub(super) fn vectors<S: WriteStore>(made: &mut Made<S>, texts: &[TextHash]) -> IndexModel {
    made.write(|batch| {
        let model = batch.put_model(&Fingerprint::stored("m@01".to_owned()), 2)?;
        batch.put_vectors(&model, texts.iter().map(|hash| (*hash, &[0.6, 0.8][..])))?;
        batch.use_model(&model.fingerprint, Some("old"))?;
        Ok(model)
    })
}

pub(super) fn vectors_belong_to_texts_and_models<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let (ids, _) = three(&mut made);
    assert_eq!(made.store.index_model().unwrap(), None);
    assert_eq!(made.store.texts_without_vector(None).unwrap(), 3);
    let hashes = hashes(&made.store);
    let gone = text_hash("a text that no item has");
    let model = vectors(&mut made, &[hashes[0], hashes[1], gone]);
    let store = &made.store;
    assert_eq!(store.index_model().unwrap().as_ref(), Some(&model));
    assert_eq!(store.model(&model.fingerprint).unwrap().as_ref(), Some(&model));
    assert_eq!(store.pending_switch().unwrap(), Some(("old".to_owned(), "m".to_owned())));
    assert_eq!((store.embedded_texts().unwrap(), store.texts_without_vector(Some(&model)).unwrap()), (3, 1));
    assert!(store.has_vector(&model, &gone).unwrap() && !store.has_vector(&model, &hashes[2]).unwrap());
    let missing = store.unembedded(Some(&model), 9).unwrap();
    assert_eq!(missing, [(hashes[2], "Title of chunk/2\nthe borrow ends with the lock".to_owned())]);
    let mut seen = BTreeSet::new();
    let each = store.each_vector(&model, |hash, vector| {
        assert_eq!(vector, [0.6, 0.8]);
        seen.insert(*hash);
        Ok::<_, StoreError>(())
    });
    each.unwrap();
    assert_eq!(seen, store.vector_texts(&model).unwrap().into_iter().collect());
    assert_eq!(seen, [hashes[0], hashes[1], gone].into());
    let own = store.vectors_of(&model, &[ids[0], ids[2]]).unwrap();
    assert_eq!(own.embeddings, [(ids[0], 0, hashes[0]), (ids[2], 0, hashes[2])]);
    assert_eq!((own.rows.hashes, own.rows.data), (vec![hashes[0]], vec![0.6, 0.8]));
    assert_eq!(made.write(|batch| batch.end_switch().and_then(|()| batch.drop_unused_vectors())), 1);
    assert_eq!(made.store.pending_switch().unwrap(), None);
    assert!(!made.store.has_vector(&model, &gone).unwrap());
}

/// Whatever makes a text go takes its vectors along, those of all models. Vectors of other texts are not looked at:
/// also one that nothing uses stays until the store is cleaned up.
pub(super) fn vectors_go_with_the_last_item_of_their_text<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let (ids, file) = three(&mut made);
    let first = Item { uid: "item/t".to_owned(), ..item("chunk/0", "the borrow checker refuses") };
    let span =
        |line: usize| Some(Span { byte_start: line * 9, byte_end: line * 9 + 9, line_start: line, line_end: line + 1 });
    let behind = serde_json::json!({ CONTEXT: "is forgotten" });
    let behind = Item { attributes: behind, span: span(2), ..item("chunk/8", "comes after") };
    let (twin, before) = made.write(|batch| {
        let other = batch.put_source(&source("/docs/b.md"))?;
        let before = batch.put_item(&Item { span: span(1), ..item("chunk/7", "is forgotten") }, Some(other))?;
        batch.put_item(&behind, Some(other))?;
        Ok((batch.put_item(&first, None)?, before))
    });
    let mut learnt = memory("memory/a", "here", 3);
    made.write(|batch| batch.put_memory(&learnt, None, Some(&served(&learnt))));
    let stray = text_hash("a text that no item has");
    let texts: BTreeSet<TextHash> = hashes(&made.store).into_iter().chain([stray]).collect();
    let all: Vec<TextHash> = texts.iter().copied().collect();
    let model = vectors(&mut made, &all);
    let other = made.write(|batch| {
        let other = batch.put_model(&Fingerprint::stored("o@02".to_owned()), 2)?;
        batch.put_vectors(&other, all.iter().map(|hash| (*hash, &[0.6, 0.8][..])))?;
        Ok(other)
    });
    let mut known = texts;
    let mut goes = |made: &Made<M::Store>, gone: &[String], what: &str| {
        gone.iter().for_each(|text| assert!(known.remove(&text_hash(text)), "{what}"));
        for model in [&model, &other] {
            let found: BTreeSet<TextHash> = made.store.vector_texts(model).unwrap().into_iter().collect();
            assert_eq!(found, known, "{what}");
        }
    };
    made.write(|batch| batch.delete_items(&[ids[0]]));
    goes(&made, &[], "another item has the same text");
    made.write(|batch| batch.forget_item(twin, 7));
    goes(&made, &[first.passage()], "the last item of a text");
    made.write(|batch| batch.forget_item(before, 7));
    let gone = [item("chunk/7", "is forgotten").passage(), behind.passage()];
    goes(&made, &gone, "a text, and the one behind it that began with its end");
    made.write(|batch| batch.forget_source(file));
    let rest = [item("chunk/1", "a lock is held"), item("chunk/2", "the borrow ends with the lock")];
    goes(&made, &rest.map(|item| item.passage()), "a file");
    let said = served(&learnt).passage();
    made.write(|batch| {
        batch.put_memory(
            &memory("memory/b", "here", 3),
            None,
            Some(&Item { uid: "memory/b".to_owned(), ..served(&learnt) }),
        )
    });
    learnt.words.text = "Corrected".to_owned();
    made.write(|batch| batch.put_memory(&learnt, None, Some(&served(&learnt))));
    goes(&made, &[], "another memory says the same");
    made.write(|batch| batch.put_memory(&memory("memory/b", "here", 3), None, None));
    goes(&made, &[said], "a memory that is not served any more");
    assert_eq!(made.write(|batch| batch.drop_vectors_of(&[])), 0);
    assert_eq!(made.write(|batch| batch.drop_unused_vectors()), 2);
    goes(&made, &["a text that no item has".to_owned()], "the clean-up");
}

pub(super) fn changes_since_a_generation_are_known<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let (ids, _) = three(&mut made);
    let start = made.store.begin_generation().unwrap();
    assert_eq!(made.store.generation().unwrap(), start);
    assert_eq!(made.store.changed_since(start, 9).unwrap(), Some(Vec::new()));
    let hashes = hashes(&made.store);
    vectors(&mut made, &hashes[2..]);
    let added = made.write(|batch| {
        batch.remove_item(ids[0])?;
        batch.put_item(&item("chunk/7", "new"), None)
    });
    let changed = made.store.changed_since(start, 9).unwrap();
    assert_eq!(changed, Some(vec![ids[0], ids[2], added]), "each once, ascending");
    assert_eq!(made.store.changed_since(start, 2).unwrap(), None, "more than asked for");
    let other = crate::types::Generation { mark: start.mark ^ 1, ..start };
    assert_eq!(made.store.changed_since(other, 9).unwrap(), None, "of another history");
    let later = made.store.begin_generation().unwrap();
    made.store.forget_changes_before(later).unwrap();
    assert_eq!(made.store.logged_changes().unwrap(), 1);
    assert_eq!(made.store.changed_since(start, 9).unwrap(), None, "too old to be known");
    assert_eq!(made.store.changed_since(later, 9).unwrap(), Some(Vec::new()));
}

pub(super) fn usage_is_counted_by_days<M: Maker>(maker: &M) {
    const DAY_MS: i64 = 86_400_000;
    let mut made = made(maker);
    let (ids, _) = three(&mut made);
    let changes = made.store.stamp().unwrap();
    for at in [5 * DAY_MS, 5 * DAY_MS + 9, 4 * DAY_MS, 7 * DAY_MS] {
        made.store.count_served(&["chunk/1", "pack/entry"], at).unwrap();
    }
    let usage = made.store.usage(&["chunk/1", "pack/entry", "chunk/0"]).unwrap();
    assert_eq!(usage.len(), 2);
    let of = usage["chunk/1"];
    assert_eq!((of.days, of.served, of.last_served), (2, 4, 7 * DAY_MS), "a clock that went back adds no day");
    assert_eq!(made.store.stamp().unwrap(), changes, "counters change no search's candidates");
    made.write(|batch| batch.put_source(&Source { root: String::new(), ..source("/docs/a.md") }));
    let priors = made.store.priors(&[ids[1], 999, ids[0]]).unwrap();
    let seen: Vec<(&str, u32)> = priors.iter().map(|prior| (prior.uid.as_str(), prior.days)).collect();
    assert_eq!(seen, [("chunk/1", 2), ("chunk/0", 0)]);
    let first = &priors[0];
    assert_eq!((first.id, first.updated_at, first.path.as_deref()), (ids[1], 12, Some("/docs/a.md")));
    assert!(first.imported && first.text_hash == text_hash("Title of chunk/1\na lock is held"));
}

pub(super) fn the_stamp_changes_with_what_a_search_depends_on<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let (ids, file) = three(&mut made);
    let mut last = made.store.stamp().unwrap();
    let mut differs = |made: &Made<M::Store>, what: &str| {
        let now = made.store.stamp().unwrap();
        assert_ne!(now, last, "{what}");
        last = now;
    };
    made.write(|batch| batch.put_item(&item("chunk/7", "new"), Some(file)));
    differs(&made, "a new item");
    let span = Span { byte_start: 40, byte_end: 50, line_start: 8, line_end: 9 };
    made.write(|batch| batch.move_item(ids[0], &span));
    differs(&made, "an item that stands elsewhere");
    made.write(|batch| batch.move_source(file, &source("/docs/b.md")));
    differs(&made, "a file with another name");
    made.write(|batch| batch.describe_item(ids[1], &item("chunk/1", "a lock is held")));
    differs(&made, "what is known of an item");
    let hash = hashes(&made.store)[0];
    let model = vectors(&mut made, &[hash]);
    differs(&made, "a vector");
    made.write(|batch| batch.end_switch());
    differs(&made, "a change of the model that is complete");
    made.write(|batch| batch.use_model(&model.fingerprint, Some("x")));
    differs(&made, "a change of the model");
    made.write(|batch| batch.forget_item(ids[0], 1));
    differs(&made, "an item that was forgotten");
    made.write(|batch| batch.remove_item(ids[1]));
    differs(&made, "an item that went");
    let before = made.store.stamp().unwrap();
    made.write(|batch| batch.log(1, "nothing", &serde_json::Value::Null));
    assert_eq!(made.store.stamp().unwrap(), before, "nothing that a search depends on");
}

pub(super) fn what_was_measured_comes_back<M: Maker>(maker: &M) {
    let mut made = made(maker);
    assert_eq!(made.store.noise().unwrap(), None);
    let family = FamilyNoise::new((0..30).map(|at| at as f32 / -7.0).collect());
    let words = SignalNoise { short: vec![family], ..SignalNoise::default() };
    let noise = CorpusNoise { questions: "q".to_owned(), texts: 30, last: 31, both: None, words };
    let stamp = made.store.stamp().unwrap();
    made.write(|batch| batch.put_noise(Some(&noise)));
    assert_eq!(made.store.noise().unwrap(), Some(noise));
    assert_eq!(made.store.stamp().unwrap(), stamp, "nobody's snapshot of the texts is out of date");
    made.write(|batch| batch.put_noise(None));
    assert_eq!(made.store.noise().unwrap(), None);
}
