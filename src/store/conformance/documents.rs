//! Files and items, which of them may answer, and what was forgotten.

use super::harness::{Maker, item, made, source, three, uids};
use crate::store::{
    CountUsage, ItemFilter, PathFilter, ReadExternal, ReadForgotten, ReadItems, ReadSources, ReadUsage, ReadWords,
    Source, Stat, WriteExternal, WriteForgotten, WriteItems, WriteSources, external_uid,
};
use crate::types::{Access, Attributes, CONTEXT, ExternalItem, Item, Kind, Scope, Span, State, StoredItem};
use std::path::Path;

pub(super) fn items_come_back_as_they_were_put<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let (ids, file) = three(&mut made);
    let store = &made.store;
    assert_eq!(store.items(&ids[..1]).unwrap(), [(ids[0], item("chunk/0", "the borrow checker refuses"))]);
    assert_eq!(
        uids(store, &[ids[2], 999, ids[0]]),
        ["chunk/2", "chunk/0"],
        "in the order asked, what is gone left out"
    );
    assert_eq!(store.item_id("chunk/1").unwrap(), Some(ids[1]));
    assert_eq!(store.item_id("chunk/9").unwrap(), None);
    let anchors = store.anchors(file).unwrap();
    assert_eq!(anchors.iter().map(|anchor| anchor.id).collect::<Vec<_>>(), ids);
    assert!(anchors.iter().all(|anchor| anchor.active && anchor.span.is_some()));
    assert_eq!(store.inventory().unwrap().total(), 3);
    // The same public id with another text.
    let twin = made.write(|batch| batch.put_item(&item("chunk/0", "another text"), None));
    assert_eq!(uids(&made.store, &[twin]), ["chunk/0-2"]);
}

pub(super) fn items_move_change_and_go<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let (ids, file) = three(&mut made);
    let span = Span { byte_start: 40, byte_end: 50, line_start: 8, line_end: 9 };
    let described = Item { attributes: serde_json::json!({"tags": []}), ..item("chunk/1", "a lock is held") };
    made.write(|batch| {
        batch.move_item(ids[0], &span)?;
        batch.describe_item(ids[1], &described)?;
        batch.remove_item(ids[2])
    });
    let found = made.store.items(&ids).unwrap();
    assert_eq!((found[0].1.span, &found[1].1, found.len()), (Some(span), &described, 2));
    assert_eq!(made.store.item_id("chunk/2").unwrap(), None);
    let moved = Source { scope: Scope::repository("abc"), ..source("/docs/b.md") };
    made.write(|batch| batch.move_source(file, &moved));
    assert_eq!(made.store.sources().unwrap(), [(file, moved)]);
    let item = made.store.items(&ids[..1]).unwrap().remove(0).1;
    assert_eq!((item.path.as_deref(), item.scope.as_str()), (Some("/docs/b.md"), "abc"));
    made.write(|batch| batch.remove_source(file));
    assert!(made.store.sources().unwrap().is_empty() && made.store.items(&ids).unwrap().is_empty());
    assert_eq!(made.store.corpus().unwrap(), crate::store::Corpus::default());
}

pub(super) fn files_are_remembered<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let (bare, brought) = made.write(|batch| {
        batch.put_repository("/docs", &Scope::repository("first"))?;
        let brought = Source { root: String::new(), ..source("/elsewhere.md") };
        Ok((batch.put_source(&source("/docs/z.md"))?, batch.put_source(&brought)?))
    });
    let store = &made.store;
    let paths: Vec<String> = store.sources().unwrap().into_iter().map(|(_, source)| source.path).collect();
    assert_eq!(paths, ["/docs/z.md", "/elsewhere.md"], "by path");
    assert_eq!(store.bare_sources().unwrap(), [bare, brought].into());
    assert_eq!(store.source_root("/elsewhere.md").unwrap().as_deref(), Some(""));
    assert_eq!(store.source_root("/docs/z.md").unwrap().as_deref(), Some("/docs"));
    assert_eq!(store.source_root("/docs/none.md").unwrap(), None);
    assert_eq!(store.repository("/docs").unwrap(), Some(Scope::repository("first")));
    assert_eq!((store.repository("/").unwrap(), store.cut_label().unwrap()), (None, None));
    made.write(|batch| batch.cut_anew("by lines"));
    assert_eq!(made.store.cut_label().unwrap().as_deref(), Some("by lines"));
    let sizes: Vec<i64> = made.store.sources().unwrap().iter().map(|(_, source)| source.stat.size).collect();
    assert_eq!(sizes, [-1, 3], "one that an import brought has no file to be cut");
    let again = Source { stat: Stat { size: 8, mtime_ns: 8 }, ..source("/docs/z.md") };
    assert_eq!(made.write(|batch| batch.put_source(&again)), bare, "the same path is the same file");
}

pub(super) fn filters_admit_what_they_name<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let (ids, _) = three(&mut made);
    let alone = made.write(|batch| {
        let file = batch.put_source(&source("/docs/sub_a/ä.md"))?;
        let fact = Item { kind: Kind::Fact, scope: Scope::repository("abc"), ..item("fact/1", "a fact") };
        batch.put_item(&Item { state: State::Disputed, ..item("chunk/8", "said to be wrong") }, Some(file))?;
        batch.put_item(&fact, Some(file))
    });
    let admitted = |filter: ItemFilter| made.store.admitted(&filter, None).unwrap();
    let any = ItemFilter::default;
    let all: Vec<i64> = ids.iter().copied().chain([alone]).collect();
    assert_eq!(admitted(any()), all, "active items, ascending");
    assert_eq!(admitted(ItemFilter { kinds: vec![Kind::Fact, Kind::Tool], ..any() }), [alone]);
    assert_eq!(admitted(ItemFilter { scopes: vec![Scope::global()], ..any() }), ids);
    assert_eq!(admitted(ItemFilter { tags: vec!["rust".to_owned(), "CHUNK/1".to_owned()], ..any() }), [ids[1]]);
    assert_eq!(admitted(ItemFilter { provider: Some("ACME".to_owned()), ..any() }), all);
    let under = |path: &str| ItemFilter { paths: vec![PathFilter::Under(path.to_owned())], ..any() };
    assert_eq!(admitted(under("/docs/")), all);
    assert_eq!(admitted(under("/docs/a.md")), ids);
    assert_eq!(admitted(under("/docs/sub")), [0; 0], "a folder's name counts as a whole");
    assert_eq!(admitted(under("/docs/sub%a")), [0; 0], "nothing in a path is a pattern");
    let glob = PathFilter::glob("*/[s]ub?a/*.md").unwrap();
    assert_eq!(admitted(ItemFilter { paths: vec![glob], ..any() }), [alone]);
    let without = |place: PathFilter| ItemFilter { without: vec![place], ..any() };
    assert_eq!(admitted(without(PathFilter::Under("/docs/a.md".to_owned()))), [alone]);
    assert_eq!(admitted(without(PathFilter::glob("*/sub_a/*").unwrap())), ids);
    assert_eq!(admitted(without(PathFilter::Under("/docs/sub".to_owned()))), all);
    let both = ItemFilter { paths: under("/docs").paths, ..without(PathFilter::Under("/docs/sub_a".to_owned())) };
    assert_eq!(admitted(both), ids);
    let ending = |ending: &str| ItemFilter { endings: vec!["rs".to_owned(), ending.to_owned()], ..any() };
    assert_eq!((admitted(ending("md")), admitted(ending("d")), admitted(ending("x"))), (all, vec![], vec![]));
    assert_eq!(admitted(ItemFilter { kinds: vec![Kind::Fact], tags: vec!["none".to_owned()], ..any() }), [0; 0]);
}

pub(super) fn only_what_may_be_seen_is_admitted<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let of = |scope: &str| Item { scope: Scope::repository(scope), ..item(scope, scope) };
    let ids = made.write(|batch| Ok([batch.put_item(&of("a"), None)?, batch.put_item(&of("b"), None)?]));
    let admitted = |seen: &[&str], asked: &[&str]| {
        let scopes = |names: &[&str]| names.iter().map(|name| Scope::repository(*name)).collect::<Vec<_>>();
        let access = Access::only(scopes(seen));
        made.store.admitted(&ItemFilter { access, scopes: scopes(asked), ..ItemFilter::default() }, None).unwrap()
    };
    assert_eq!((admitted(&["a"], &[]), admitted(&["a", "b"], &["b"])), (vec![ids[0]], vec![ids[1]]));
    assert_eq!((admitted(&["a"], &["b"]), admitted(&[], &[])), (vec![], vec![]));
}

pub(super) fn items_of_programs_are_listed_by_id_and_deleted<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let own = |id: &str, scope: &str| {
        let scope = Scope::repository(scope);
        let item = ExternalItem {
            id: id.to_owned(),
            scope: scope.clone(),
            kind: Kind::Fact,
            title: String::new(),
            text: format!("The text of {id} in {scope}"),
            tags: vec!["t".to_owned()],
            provider: None,
            attributes: Attributes::default(),
        };
        item.into_item(external_uid(&scope, id), 1, 2)
    };
    let places = [("b", "x"), ("a", "y"), ("a", "x"), ("C", "x"), ("ä", "x")];
    made.write(|batch| {
        batch.put_item(&item("chunk/1", "of a file"), None)?;
        places.iter().try_for_each(|(id, scope)| batch.put_item(&own(id, scope), None).map(drop))
    });
    let listed = |store: &M::Store, filter: &ItemFilter, after: Option<(&str, &str)>, most: usize| {
        let after = after.map(|(id, scope)| (id, Scope::repository(scope)));
        let after = after.as_ref().map(|(id, scope)| (*id, scope));
        let rows = store.external_items(filter, after, most).unwrap();
        let found = store.items(&rows).unwrap().into_iter();
        found
            .map(|(_, item)| StoredItem::of(item).unwrap().item)
            .map(|item| format!("{} {}", item.id, item.scope))
            .collect::<Vec<_>>()
    };
    let all = ItemFilter::default();
    assert_eq!(listed(&made.store, &all, None, 9), ["C x", "a x", "a y", "b x", "ä x"], "and nothing of a file");
    assert_eq!(listed(&made.store, &all, Some(("a", "x")), 2), ["a y", "b x"]);
    assert_eq!(listed(&made.store, &all, Some(("aa", "")), 9), ["b x", "ä x"], "behind one that is gone");
    let seen = ItemFilter { access: Access::only(vec![Scope::repository("y")]), ..ItemFilter::default() };
    assert_eq!(listed(&made.store, &seen, None, 9), ["a y"]);
    assert_eq!(made.store.external_scopes("a").unwrap(), [Scope::repository("x"), Scope::repository("y")]);
    let row = made.store.item_id(&external_uid(&Scope::repository("x"), "a")).unwrap().unwrap();
    made.write(|batch| batch.delete_items(&[row]));
    assert_eq!(listed(&made.store, &all, None, 9), ["C x", "a y", "b x", "ä x"]);
    assert_eq!((made.store.external_scopes("a").unwrap().len(), made.store.forgotten().unwrap().len()), (1, 0));
}

pub(super) fn what_is_forgotten_stays_away<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let (ids, file) = three(&mut made);
    made.store.count_served(&["chunk/0"], 1).unwrap();
    made.write(|batch| batch.forget_item(ids[0], 77));
    let store = &made.store;
    assert!(store.is_forgotten("chunk/0").unwrap() && !store.is_forgotten("chunk/1").unwrap());
    assert!(!store.has_text(ids[0]).unwrap() && store.has_text(ids[1]).unwrap());
    assert!(store.usage(&["chunk/0"]).unwrap().is_empty());
    assert!(store.priors(&ids[..1]).unwrap().is_empty() && store.texts_of(&ids[..1]).unwrap().is_empty());
    let passages = store.forgotten().unwrap();
    assert_eq!((passages.len(), passages[0].id.as_str(), passages[0].forgotten_at), (1, "chunk/0", Some(77)));
    assert_eq!((passages[0].path.as_deref(), passages[0].lines), (Some("/docs/a.md"), Some(2)));
    let (sketches, known) = store.sketches().unwrap();
    let found = sketches.find("the borrow checker refuses");
    assert_eq!(found.iter().map(|found| known[&found.which].as_str()).collect::<Vec<_>>(), ["chunk/0"]);
    let which = found[0].which;
    made.write(|batch| batch.keep_out(file, &[which]));
    assert_eq!(made.store.forgotten().unwrap()[0].kept_out_of, 1);
    assert_eq!(made.write(|batch| batch.forget_places_under(Path::new("/docs"))), 1);
    assert_eq!(made.store.forgotten().unwrap()[0].path, None);
    assert_eq!(made.write(|batch| batch.undo_forget("chunk/0")), Some(1));
    assert_eq!(made.write(|batch| batch.undo_forget("chunk/0")), None);
    assert_eq!(made.write(|batch| batch.forget_source(file)), 2);
    assert!(made.store.sources().unwrap().is_empty());
}

pub(super) fn what_follows_a_forgotten_item_keeps_its_other_attributes<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let mut random = 1u64;
    let number = |_| {
        // xorshift: floats of all sizes, among them such as a reader of JSON may take for a neighbour.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        f64::from_bits(random)
    };
    let numbers: Vec<f64> = (0..300).map(number).filter(|number| number.is_finite()).collect();
    let mut attributes = serde_json::json!({
        "z": [1.0000000000000002, 1e21, 5e-324, 0.1 + 0.2],
        CONTEXT: "the end of what was before",
        "numbers": numbers,
        "a": "\0 ä",
    });
    let (ids, file) = made.write(|batch| {
        let file = batch.put_source(&source("/docs/a.md"))?;
        let gone = batch.put_item(&item("chunk/0", "is forgotten"), Some(file))?;
        let span = Some(Span { byte_start: 9, byte_end: 19, line_start: 3, line_end: 4 });
        let after = Item { attributes: attributes.clone(), span, ..item("chunk/1", "comes after") };
        Ok(([gone, batch.put_item(&after, Some(file))?], file))
    });
    made.write(|batch| batch.forget_item(ids[0], 77));
    attributes.as_object_mut().unwrap().shift_remove(CONTEXT);
    let anchors = made.store.anchors(file).unwrap();
    let after = anchors.iter().find(|anchor| anchor.id == ids[1]).unwrap();
    assert_eq!(after.attributes, attributes.to_string());
}
