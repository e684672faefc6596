//! Whether everything is as it should be: SQLite's own check, then what must hold between the tables.

use super::StoreError;
use super::database::Database;
use super::header::unreadable;
use super::migrate::{MIGRATIONS, schema_of};
use super::transfer::{COUNTERS, LINKS};
use super::value::{cause, odd_value};
use crate::store::error::is_damage;
use crate::store::sql::{
    CAPABILITIES, Derived, EVENTS, ITEM_COLUMNS, OUTCOMES, PASSAGES, PATTERNS, SOURCE_COLUMNS, SUGGESTIONS, TASKS,
    THRESHOLDS, TOOLS, TRACES, count, json, read_capability, read_event, read_item, read_memory, read_outcome,
    read_passage, read_pattern, read_sketches, read_source, read_suggestion, read_task, read_threshold, read_tool,
    read_trace,
};
use crate::text::text_hash;
use crate::types::titled;
use rusqlite::Row;

/// A vector may be this far from length 1, for rounding.
const LENGTH_TOLERANCE: f64 = 1e-3;

/// One kind of fault.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Fault {
    /// Short name.
    pub name: &'static str,
    /// What is wrong, for people.
    pub what: String,
    /// Whether bytes are damaged; otherwise tables have only drifted apart.
    pub damage: bool,
}

/// What was found.
pub type Faults = Vec<Fault>;

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
        let mut run = || -> rusqlite::Result<()> {
            self.between_tables(&mut faults)?;
            self.values(&mut faults)?;
            self.texts(&mut faults)?;
            self.derived_rows(&mut faults)?;
            self.vectors_of_all(&mut faults)
        };
        match run() {
            Err(error) if is_damage(&error) => {
                faults.push(Fault { name: "pages", what: error.to_string(), damage: true });
                Ok(faults)
            }
            other => self.sql(other).map(|()| faults),
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

    fn between_tables(&self, faults: &mut Faults) -> rusqlite::Result<()> {
        let checks: &[(&str, &str, &str)] = &[
            ("references", "rows point to rows that are not there", "SELECT count(*) FROM pragma_foreign_key_check"),
            (
                "embedding-missing",
                "items have no text to embed",
                "SELECT count(*) FROM item WHERE state = 'active' AND id NOT IN (SELECT item_id FROM embedding)",
            ),
            (
                "embedding-left",
                "removed items still have a text to embed",
                "SELECT count(*) FROM embedding WHERE item_id NOT IN (SELECT id FROM item WHERE state = 'active')",
            ),
            (
                "forgotten-text",
                "forgotten items still have text",
                "SELECT count(*) FROM item WHERE state = 'retired' AND (body <> '' OR title <> '')",
            ),
            (
                "corpus",
                "counts are wrong",
                "SELECT count(*) FROM corpus, (SELECT count(*) AS items, coalesce(sum(words), 0) AS words FROM item
                    WHERE state = 'active') AS real WHERE corpus.items <> real.items OR corpus.words <> real.words",
            ),
            (
                "outcomes",
                "sessions or kinds of failures are counted wrongly",
                "SELECT (SELECT count(*) FROM error_log WHERE count <> ifnull(
                        (SELECT sum(count) FROM error_session WHERE error = error_log.id), 0))
                    + (SELECT count(*) FROM (SELECT session, count(*) AS kept, max(sequence) AS last FROM tool_outcome
                        GROUP BY session) AS real LEFT JOIN outcome_session USING (session)
                        WHERE outcome_session.kept IS NOT real.kept OR outcome_session.rows < real.last)",
            ),
            (
                "capabilities",
                "capabilities are counted wrongly",
                "SELECT count(*) FROM (SELECT scope, id, count(*) AS uses, sum(is_ok) AS ok FROM capability_use
                    GROUP BY scope, id) AS real FULL JOIN capability USING (scope, id)
                    WHERE capability.uses IS NOT real.uses OR capability.ok IS NOT real.ok",
            ),
            (
                "active-model",
                "the index's model is not known",
                "SELECT count(*) FROM meta WHERE key = 'active_model' AND value NOT IN (SELECT fingerprint FROM model)",
            ),
        ];
        for (name, what, sql) in checks {
            let count: i64 = self.connection.query_row(sql, [], |row| row.get(0))?;
            if count > 0 {
                faults.push(Fault { name, what: format!("{count} {what}"), damage: false });
            }
        }
        Ok(())
    }

    /// Values that read as nothing that was ever written, though their column takes them.
    fn values(&self, faults: &mut Faults) -> rusqlite::Result<()> {
        let (mut odd, mut first) = (0, None);
        let mut note = |what: String| {
            odd += 1;
            first.get_or_insert(what);
        };
        let items = format!("SELECT {ITEM_COLUMNS} FROM item LEFT JOIN source ON source.id = item.source_id");
        self.each_odd(&items, |row| read_item(row).map(drop), &mut note)?;
        let sources = format!("SELECT {SOURCE_COLUMNS} FROM source");
        self.each_odd(&sources, |row| read_source(row).map(drop), &mut note)?;
        for (sql, read) in [COUNTERS, LINKS] {
            self.each_odd(sql, |row| read(row).map(drop), &mut note)?;
        }
        self.each_odd(EVENTS, |row| read_event(row).map(drop), &mut note)?;
        self.each_odd("SELECT id, data FROM memory", |row| read_memory(row).map(drop), &mut note)?;
        self.each_odd(OUTCOMES, |row| read_outcome(row).map(drop), &mut note)?;
        self.each_odd(PATTERNS, |row| read_pattern(row).map(drop), &mut note)?;
        self.each_odd(TOOLS, |row| read_tool(row).map(drop), &mut note)?;
        self.each_odd(TASKS, |row| read_task(row).map(drop), &mut note)?;
        self.each_odd(SUGGESTIONS, |row| read_suggestion(row).map(drop), &mut note)?;
        self.each_odd(THRESHOLDS, |row| read_threshold(row).map(drop), &mut note)?;
        self.each_odd(CAPABILITIES, |row| read_capability(row).map(drop), &mut note)?;
        self.each_odd(TRACES, |row| read_trace(row).map(drop), &mut note)?;
        self.each_odd(PASSAGES, |row| read_passage(row).map(drop), &mut note)?;
        if let Err(error) = read_sketches(self).map_err(cause) {
            note(odd_value(error)?);
        }
        if let Some(first) = first {
            let what = format!("{odd} rows hold values that nobody wrote, such as {first}");
            faults.push(Fault { name: "values", what, damage: true });
        }
        Ok(())
    }

    /// Reads every row of a query; `note` gets what is odd about those that cannot be read.
    fn each_odd(
        &self,
        sql: &str,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<()>,
        note: &mut impl FnMut(String),
    ) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if let Err(error) = read(row) {
                note(odd_value(error)?);
            }
        }
        Ok(())
    }

    /// Every text against its hash.
    fn texts(&self, faults: &mut Faults) -> rusqlite::Result<()> {
        let mut statement =
            self.connection.prepare("SELECT title, body, text_hash, uid FROM item WHERE state <> 'retired'")?;
        let mut rows = statement.query([])?;
        let (mut wrong, mut first) = (0, None);
        while let Some(row) = rows.next()? {
            if !is_as_stored(row)? {
                wrong += 1;
                first.get_or_insert_with(|| row.get::<_, String>(3).unwrap_or_else(|_| "one without an id".to_owned()));
            }
        }
        if let Some(first) = first {
            let what = format!("{wrong} items hold other text than was stored, {first} among them");
            faults.push(Fault { name: "texts", what, damage: true });
        }
        Ok(())
    }

    /// The ids of programs and the attributes, against what the items say.
    fn derived_rows(&self, faults: &mut Faults) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare("SELECT id, attributes, scope FROM item")?;
        let mut rows = statement.query([])?;
        let (mut wrong, mut expected) = (0, 0);
        while let Some(row) = rows.next()? {
            // What is no JSON is told among the values.
            let derived = json(row, 1).map(|attributes| Derived::of(&attributes)).unwrap_or_default();
            if derived.count() > 0 {
                expected += derived.count();
                wrong += usize::from(Derived::stored(self, row.get(0)?).map_err(cause)? != derived);
            }
        }
        let found = self.connection.query_row(
            "SELECT (SELECT count(*) FROM external_item JOIN item ON item.id = item_id AND item.scope = external_item.scope)
                + (SELECT count(*) FROM attribute)",
            [],
            |row| count(row, 0),
        )?;
        if wrong > 0 || found != expected {
            let what = format!("attributes of {} items are not indexed as they are", wrong.max(1));
            faults.push(Fault { name: "attributes", what, damage: false });
        }
        Ok(())
    }

    /// Every vector: its length in bytes, finite, of length 1.
    fn vectors_of_all(&self, faults: &mut Faults) -> rusqlite::Result<()> {
        let mut statement = self
            .connection
            .prepare("SELECT vector.data, model.dims FROM vector JOIN model ON model.id = vector.model_id")?;
        let mut rows = statement.query([])?;
        let mut wrong = 0;
        while let Some(row) = rows.next()? {
            let data = row.get_ref(0)?.as_blob().unwrap_or_default();
            wrong += usize::from(!is_unit_vector(data, count(row, 1)?));
        }
        if wrong > 0 {
            faults.push(Fault { name: "vectors", what: format!("{wrong} vectors are damaged"), damage: true });
        }
        Ok(())
    }
}

/// Whether title, body and hash, the first three columns of a row, belong together.
pub(super) fn is_as_stored(row: &Row<'_>) -> rusqlite::Result<bool> {
    let text = |at: usize| -> rusqlite::Result<Option<String>> {
        // Not every damaged byte is one that SQLite would see: text need not be UTF-8 there.
        Ok(row.get_ref(at)?.as_str().ok().map(str::to_owned))
    };
    let (Some(title), Some(body)) = (text(0)?, text(1)?) else { return Ok(false) };
    let hash = row.get_ref(2)?.as_blob().unwrap_or_default().to_vec();
    Ok(text_hash(&titled(&title, &body)) == hash[..])
}

pub(super) fn is_unit_vector(data: &[u8], dims: usize) -> bool {
    let values = data.chunks_exact(4).map(|b| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])));
    let square: f64 = values.map(|value| value * value).sum();
    data.len() == dims * 4 && (square.sqrt() - 1.0).abs() <= LENGTH_TOLERANCE
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
        database.export(0, |_| Ok::<_, StoreError>(()))?;
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
