//! Whether everything is as it should be: SQLite's own check, then what must hold of all rows (`store::sql`).

use super::StoreError;
use super::database::Database;
use super::header::unreadable;
use super::migrate::{MIGRATIONS, schema_of};
use crate::store::error::is_damage;
use crate::store::sql::{Fault, Faults, RunSql, row_faults};

impl Database {
    /// Looks at everything. Reads all pages, so it takes a while on a large database.
    ///
    /// # Errors
    /// [`StoreError`] when the database cannot be read for a reason that is no damage.
    pub fn check(&self) -> Result<Faults, StoreError> {
        let faults = self.found_faults()?;
        // SQLite calls a page that the disk does not give damaged.
        if faults.iter().any(|fault| fault.damage)
            && let Some(source) = unreadable(self.path())
        {
            return Err(StoreError::io(self.path())(source));
        }
        Ok(faults)
    }

    fn found_faults(&self) -> Result<Faults, StoreError> {
        let mut faults = self.pages()?;
        faults.extend(self.schema_fault()?);
        if !faults.is_empty() {
            // What the tables say counts for nothing on damaged pages.
            return Ok(faults);
        }
        match self.references(&mut faults).and_then(|()| row_faults(self, &mut faults)) {
            Err(StoreError::Sqlite { source, .. }) if is_damage(&source) => {
                faults.push(Fault { name: "pages", what: source.to_string(), damage: true });
                Ok(faults)
            }
            other => other.map(|()| faults),
        }
    }

    fn pages(&self) -> Result<Faults, StoreError> {
        let ask = || -> rusqlite::Result<Vec<String>> {
            let mut statement = self.connection.prepare("PRAGMA integrity_check(20)")?;
            statement.query_map([], |row| row.get(0))?.collect()
        };
        let lines = match ask() {
            Err(error) if is_damage(&error) => vec![error.to_string()],
            other => self.sql(other)?,
        };
        let fault = |line: String| Fault { name: "pages", what: line.replace('\n', " "), damage: true };
        Ok(lines.into_iter().filter(|line| line != "ok").map(fault).collect())
    }

    /// What the schema says against what our migrations make.
    fn schema_fault(&self) -> Result<Option<Fault>, StoreError> {
        let found = schema_of(&self.connection);
        let wanted = self.sql(rusqlite::Connection::open_in_memory().and_then(|mut made| {
            super::migrate::apply(&mut made, MIGRATIONS, 0)?;
            schema_of(&made)
        }))?;
        let what = match found {
            Ok(found) if found == wanted => return Ok(None),
            Ok(_) => "the schema is not what it was made as".to_owned(),
            Err(error) if is_damage(&error) => error.to_string(),
            Err(error) => return self.sql(Err(error)),
        };
        Ok(Some(Fault { name: "schema", what, damage: true }))
    }

    /// Rows that point to others. Whether keys are heeded is for each connection to say, so SQLite takes such rows.
    fn references(&self, faults: &mut Faults) -> Result<(), StoreError> {
        let found = self.counted("SELECT count(*) FROM pragma_foreign_key_check", &[])?;
        if found > 0 {
            let what = format!("{found} rows point to rows that are not there");
            faults.push(Fault { name: "references", what, damage: false });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Diagnose, ErrorKind};
    use crate::store::{
        ReadForgotten, ReadItems, ReadSources, ReadUsage, Source, SourceKind, Stat, WriteForgotten, WriteItems,
        WriteSources, WriterLock,
    };
    use crate::types::{Authority, Item, Kind, Scope, Span, State};
    use std::path::Path;
    use std::time::Duration;

    fn item(uid: &str) -> Item {
        Item {
            uid: uid.to_owned(),
            kind: Kind::Chunk,
            scope: Scope::global(),
            authority: Authority::Personal,
            state: State::Active,
            title: String::new(),
            body: format!("the text of {uid}"),
            attributes: serde_json::json!({}),
            path: None,
            span: Some(Span { byte_start: 1, byte_end: 9, line_start: 1, line_end: 2 }),
            created_at: 0,
            updated_at: 0,
        }
    }

    /// A file with two items, one item that was forgotten, counters of one.
    fn made(folder: &Path) -> (Database, WriterLock) {
        let lock = WriterLock::take(folder, "test", Duration::from_secs(9)).unwrap();
        let mut database = Database::open_to_write(&lock).unwrap();
        let batch = database.begin(&lock).unwrap();
        let source = Source {
            path: "/a.md".to_owned(),
            root: "/".to_owned(),
            kind: SourceKind::Text,
            scope: Scope::global(),
            sha256: [1; 32],
            stat: Stat { size: 9, mtime_ns: 9 },
            indexed_at: 0,
        };
        let file = batch.put_source(&source).unwrap();
        let ids = ["one", "two", "three"].map(|uid| batch.put_item(&item(uid), Some(file)).unwrap());
        batch.forget_item(ids[2], 5).unwrap();
        batch.execute("INSERT INTO usage VALUES ('one', 1, 1, 1, 1, 0)", []).unwrap();
        batch.execute("INSERT INTO link VALUES ('one', 'two', 'see', 0.5)", []).unwrap();
        batch.commit().unwrap();
        (database, lock)
    }

    /// Reads everything.
    fn read(database: &Database) -> Result<(), StoreError> {
        database.items(&[1, 2])?;
        database.anchors(1)?;
        database.sources()?;
        database.usage(&["one"])?;
        database.forgotten()?;
        database.sketches()?;
        crate::store::sql::export(database, 0, |_| Ok::<_, StoreError>(()))?;
        Ok(())
    }

    #[test]
    fn rows_of_attributes_that_drifted_apart_are_found_and_made_again() {
        let dir = tempfile::tempdir().unwrap();
        let (mut database, lock) = made(dir.path());
        let batch = database.begin(&lock).unwrap();
        let attributes = serde_json::json!({"external_id": "a", "fields": {"n": 0.1, "l": ["x", "y"], "b": true}});
        batch.put_item(&Item { attributes, span: None, ..item("item/1") }, None).unwrap();
        batch.commit().unwrap();
        assert_eq!(database.check().unwrap(), []);
        for change in [
            "UPDATE attribute SET number = 0.2 WHERE key = 'n'",
            "DELETE FROM attribute WHERE text = 'y'",
            "DELETE FROM external_item",
            "UPDATE external_item SET scope = 'other'",
            "UPDATE external_item SET id = 'b'",
            "INSERT INTO attribute VALUES (1, 'k', 0, 'text', 'of an item that has none', NULL)",
        ] {
            database.connection.execute_batch(change).unwrap();
            let faults = database.check().unwrap();
            assert!(faults.len() == 1 && faults[0].name == "attributes" && !faults[0].damage, "{change}: {faults:?}");
            database.rebuild(&lock).unwrap();
            assert_eq!(database.check().unwrap(), [], "{change}");
        }
        // What is forgotten leaves none behind, though its row stays.
        let batch = database.begin(&lock).unwrap();
        let attributes = serde_json::json!({"fields": {"l": "a secret"}});
        let row = batch.put_item(&Item { attributes, ..item("four") }, Some(1)).unwrap();
        batch.forget_item(row, 6).unwrap();
        batch.commit().unwrap();
        assert_eq!(database.check().unwrap(), []);
    }

    #[test]
    fn values_that_nobody_wrote_are_named_found_and_mended() {
        for (change, told) in [
            ("UPDATE item SET byte_start = -4 WHERE id = 1", "item one: byte_start is -4"),
            ("UPDATE item SET line_end = NULL WHERE id = 1", "item one: byte_start and what belongs to it"),
            ("UPDATE item SET byte_end = 0 WHERE id = 1", "item one: byte_start and what follows it end before"),
            ("UPDATE item SET kind = 'page' WHERE id = 2", "item two: kind is \"page\""),
            ("UPDATE item SET authority = 'crowd' WHERE id = 2", "item two: authority is \"crowd\""),
            ("UPDATE item SET state = 'lost' WHERE id = 2", "item two: state is \"lost\""),
            ("UPDATE item SET attributes = '{' WHERE id = 2", "item two: attributes is no JSON"),
            // SQLite takes what our reader does not.
            ("UPDATE item SET attributes = '\"\\ud800\"' WHERE id = 2", "item two: attributes is no JSON"),
            ("UPDATE source SET kind = 'page'", "file /a.md: kind is \"page\""),
            ("UPDATE source SET size = -7", "file /a.md: size is -7"),
            ("UPDATE usage SET days = -1", "usage of one: -1 is out of range"),
            ("UPDATE usage SET confirmed = 1 << 40", "usage of one: 1099511627776 is out of range"),
            ("UPDATE link SET weight = 9e999", "relation from one to two: weight is no number"),
            ("UPDATE forgotten SET lines = -3", "forgotten passage three: lines is -3"),
            ("UPDATE forgotten SET word_count = -1", "forgotten passage three: word_count is -1"),
        ] {
            let dir = tempfile::tempdir().unwrap();
            let (mut database, lock) = made(dir.path());
            read(&database).unwrap();
            assert_eq!(database.check().unwrap(), []);
            let change =
                format!("PRAGMA ignore_check_constraints = ON; {change}; PRAGMA ignore_check_constraints = OFF;");
            database.connection.execute_batch(&change).unwrap();
            let error = read(&database).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Damaged, "{change}");
            assert!(matches!(&error, StoreError::Damaged { what, .. } if what.starts_with(told)), "{change}: {error}");
            let faults = database.check().unwrap();
            assert!(faults.iter().any(|fault| fault.damage), "{change}: {faults:?}");
            // As a check-up does: what the tables' own rules forbid is left behind in the damaged database.
            if faults.iter().all(|fault| fault.name == "values") {
                assert!(faults[0].what.contains(told), "{change}: {faults:?}");
                database.rebuild(&lock).unwrap();
                assert_eq!(database.items(&[1, 2]).unwrap().len(), 2, "{change}: nothing is lost");
            } else {
                drop(database);
                Database::salvage(&lock).unwrap();
                database = Database::open(dir.path()).unwrap().unwrap();
            }
            read(&database).unwrap();
            assert_eq!(database.check().unwrap(), [], "{change}");
        }
    }
}
