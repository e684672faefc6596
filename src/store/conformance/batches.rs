//! Batches and snapshots: all or nothing, of one moment.

use super::harness::{Maker, item, made, three};
use crate::store::{ReadEvents, ReadItems, ReadStore, ReadWords, WriteEvents, WriteItems, WriteSources, WriteStore};
use std::collections::BTreeSet;

pub(super) fn a_batch_is_all_or_nothing<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let (ids, file) = three(&mut made);
    let before = (made.store.stamp().unwrap(), made.store.changes().unwrap());
    {
        let batch = made.store.begin(&made.lock).unwrap();
        batch.remove_source(file).unwrap();
        batch.put_item(&item("fact/1", "new"), None).unwrap();
        batch.log(1, "dropped", &serde_json::Value::Null).unwrap();
    }
    assert_eq!((made.store.stamp().unwrap(), made.store.changes().unwrap()), before);
    assert_eq!(made.store.items(&ids).unwrap().len(), 3);
    made.write(|batch| batch.log(1, "kept", &serde_json::json!({"items": 3})));
    assert!(made.store.changes().unwrap() > before.1);
}

pub(super) fn a_snapshot_is_of_one_moment<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let (ids, file) = three(&mut made);
    let reader = maker.reader(made.dir.path());
    let snapshot = reader.snapshot().unwrap();
    let before = reader.stamp().unwrap();
    made.write(|batch| batch.remove_source(file));
    assert_eq!(made.store.items(&ids).unwrap(), [], "who writes sees it");
    assert_eq!((reader.items(&ids).unwrap().len(), reader.stamp().unwrap()), (3, before.clone()));
    drop(snapshot);
    assert_eq!(reader.items(&ids).unwrap(), []);
    assert_ne!(reader.stamp().unwrap(), before);
}

/// Each of many batches puts two items and takes the two before away; readers in threads never see one without the
/// other.
pub(super) fn readers_in_threads_see_whole_batches<M: Maker>(maker: &M) {
    let mut made = made(maker);
    three(&mut made);
    let readers = [maker.reader(made.dir.path()), maker.reader(made.dir.path())];
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for reader in readers {
            let done = &done;
            scope.spawn(move || {
                let mut seen = BTreeSet::new();
                while !done.load(std::sync::atomic::Ordering::Acquire) {
                    let _moment = reader.snapshot().unwrap();
                    let pairs: Vec<usize> =
                        (0..40).filter(|at| reader.item_id(&format!("left/{at}")).unwrap().is_some()).collect();
                    for at in &pairs {
                        assert!(reader.item_id(&format!("right/{at}")).unwrap().is_some(), "half a batch");
                    }
                    assert!(pairs.len() <= 1, "{pairs:?}");
                    assert_eq!(reader.corpus().unwrap().items, 3 + 2 * pairs.len());
                    seen.extend(pairs);
                }
                seen.len()
            });
        }
        let mut last: Vec<i64> = Vec::new();
        for at in 0..40 {
            last = made.write(|batch| {
                last.iter().try_for_each(|id| batch.remove_item(*id))?;
                let put = |side: &str| batch.put_item(&item(&format!("{side}/{at}"), "one of a pair"), None);
                Ok(vec![put("left")?, put("right")?])
            });
        }
        done.store(true, std::sync::atomic::Ordering::Release);
    });
}
