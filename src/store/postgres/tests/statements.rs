//! Statements that are kept prepared.

use super::*;
use crate::store::ReadVectors;
use crate::store::sql::{ReadSql, SqlRow, values};
use std::ops::ControlFlow;

fn prepared(store: &SharedDatabase) -> i64 {
    store.one("SELECT count(*) FROM pg_prepared_statements", &[], |row| row.integer(0)).unwrap()
}

#[test]
fn any_number_of_rows_takes_few_statements() {
    let (_dir, lock, mut store) = made();
    let before = prepared(&store);
    let batch = store.begin(&lock).unwrap();
    let row = batch.put_item(&item("chunk/1"), None).unwrap();
    let mut wanted = Vec::new();
    for count in (1..=60).chain([250]) {
        let of = |at: i64| (format!("{count}\0{at}"), at, (at % 2 == 0).then_some(0.5));
        let rows: Vec<_> = (0..count).map(of).collect();
        wanted.extend(rows.iter().cloned());
        let rows = rows.into_iter().map(|(key, part, number)| values![row, key, part, "number", number]);
        batch.insert_all("attribute (item_id, key, part, kind, number)", rows, "ON CONFLICT DO NOTHING").unwrap();
    }
    batch.commit().unwrap();
    assert!(prepared(&store) - before < 12, "{}", prepared(&store));
    let sql = "SELECT key, part, number FROM attribute WHERE item_id = ?1 AND kind = 'number'";
    let mut found = store
        .rows(sql, &values![row], |row| Ok((row.text(0)?, row.integer(1)?, SqlRow::get::<Option<f64>>(row, 2)?)))
        .unwrap();
    found.sort_by(|one, other| one.partial_cmp(other).unwrap());
    wanted.sort_by(|one, other| one.partial_cmp(other).unwrap());
    assert_eq!(found, wanted);
    let before = prepared(&store);
    for _ in 0..20 {
        store.visit("SELECT uid FROM item", |_| Ok(ControlFlow::Continue(()))).unwrap();
    }
    assert!(prepared(&store) <= before, "what reads from a cursor is not kept");
    assert_eq!(store.embedded_texts().unwrap(), 1);
}
