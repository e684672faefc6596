//! Schemas: forward, all in one transaction, with a backup of what was there before.
//!
//! `PRAGMA user_version` is the number of the last migration that was applied. The backup lies beside the database
//! until `ken gc`, named after the schema it holds.

use super::header::APPLICATION_ID;
use super::{StoreError, copies};
use crate::platform::sync_folder;
use crate::store::folder::beside;
use crate::store::passages::passages;
use crate::text::{text_hash, tokens};
use crate::types::titled;
use rusqlite::backup::Backup;
use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// One step from a schema to the next.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// The schema that it leads to; the first is 1.
    pub number: i64,
    /// What is done.
    pub sql: &'static str,
}

/// All steps there are, in order. A released one is never edited.
pub const MIGRATIONS: &[Migration] = &[
    Migration { number: 1, sql: include_str!("../../../index/migrations/0001_first.sql") },
    Migration { number: 2, sql: include_str!("../../../index/migrations/0002_stems.sql") },
    Migration { number: 3, sql: include_str!("../../../index/migrations/0003_changes.sql") },
    Migration { number: 4, sql: include_str!("../../../index/migrations/0004_forgotten.sql") },
    Migration { number: 5, sql: include_str!("../../../index/migrations/0005_no_keywords.sql") },
    Migration { number: 6, sql: include_str!("../../../index/migrations/0006_stretches.sql") },
    Migration { number: 7, sql: include_str!("../../../index/migrations/0007_external.sql") },
    Migration { number: 8, sql: include_str!("../../../index/migrations/0008_memory.sql") },
    Migration { number: 9, sql: include_str!("../../../index/migrations/0009_outcomes.sql") },
    Migration { number: 10, sql: include_str!("../../../index/migrations/0010_tools.sql") },
    Migration { number: 11, sql: include_str!("../../../index/migrations/0011_learning.sql") },
    Migration { number: 12, sql: include_str!("../../../index/migrations/0012_calls.sql") },
];

/// The schema of a database; 0 for a new one.
pub(super) fn schema(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// The schema that `migrations` lead to.
pub(super) fn latest(migrations: &[Migration]) -> i64 {
    migrations.last().map_or(0, |migration| migration.number)
}

/// Where the backup of a database of this schema lies.
pub(super) fn backup_path(database: &Path, schema: i64) -> PathBuf {
    let mut name = database.file_name().unwrap_or_default().to_owned();
    name.push(format!(".schema{schema}.backup"));
    database.with_file_name(name)
}

/// Brings a database to the latest of `migrations`; the caller holds the writer's lock.
///
/// # Errors
/// [`StoreError::Newer`] for a schema beyond the latest; otherwise whatever failed, and then the database is as it was.
pub fn migrate(connection: &mut Connection, path: &Path, migrations: &[Migration]) -> Result<(), StoreError> {
    let sqlite = StoreError::sqlite(path);
    let found = schema(connection).map_err(&sqlite)?;
    let known = latest(migrations);
    if found > known {
        return Err(StoreError::Newer { path: path.to_owned(), found, known });
    }
    if found == known {
        return Ok(());
    }
    if found > 0 {
        back_up(connection, path, found)?;
    }
    apply(connection, migrations, found).map_err(&sqlite)
}

/// Runs the migrations after schema `found`, all or none.
pub(super) fn apply(connection: &mut Connection, migrations: &[Migration], found: i64) -> rusqlite::Result<()> {
    connection.create_scalar_function("keywords", 2, FunctionFlags::SQLITE_DETERMINISTIC, |arguments| {
        let text = titled(&arguments.get::<String>(0)?, &arguments.get::<String>(1)?);
        Ok(tokens(&text).join(" "))
    })?;
    connection.create_scalar_function("passage_hash", 4, FunctionFlags::SQLITE_DETERMINISTIC, |arguments| {
        let (title, body) = (arguments.get::<String>(0)?, arguments.get::<String>(1)?);
        // Attributes that cannot be read belong to no stretch.
        let attributes = serde_json::from_str(&arguments.get::<String>(2)?).unwrap_or_default();
        let part = arguments.get::<i64>(3)?;
        let texts = passages(&title, &body, &attributes);
        Ok(usize::try_from(part).ok().and_then(|part| texts.get(part)).map(|text| text_hash(text)))
    })?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for migration in migrations.iter().filter(|migration| migration.number > found) {
        transaction.execute_batch(migration.sql)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", latest(migrations))?;
    transaction.commit()
}

/// What the schema of a database says, table by table.
pub(super) fn schema_of(connection: &Connection) -> rusqlite::Result<Vec<(String, String)>> {
    // Tables of SQLite's own statistics come and go.
    let sql = "SELECT name, coalesce(sql, '') FROM sqlite_master WHERE name NOT LIKE 'sqlite_stat%' ORDER BY name";
    let mut statement = connection.prepare(sql)?;
    statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// A whole copy, written aside, synced and renamed.
fn back_up(connection: &Connection, path: &Path, schema: i64) -> Result<(), StoreError> {
    let target = backup_path(path, schema);
    let folder = path.parent().unwrap_or(Path::new("."));
    let name = copies::free_name(path, copies::BACKUP);
    copies::announce(path, &[name.clone(), beside(&name, "-journal"), target.clone()])?;
    let prefix = name.file_name().unwrap_or_default();
    let builder = tempfile::Builder::new().prefix(prefix).rand_bytes(0).tempfile_in(folder);
    let aside = builder.map_err(StoreError::io(folder))?;
    let copy = || -> rusqlite::Result<()> {
        let mut to = Connection::open(aside.path())?;
        Backup::new(connection, &mut to)?.run_to_completion(1024, Duration::ZERO, None)
    };
    copy().map_err(StoreError::sqlite(&target))?;
    aside.as_file().sync_all().map_err(StoreError::io(&target))?;
    aside.persist(&target).map_err(|e| StoreError::Io { path: target.clone(), source: e.error })?;
    sync_folder(folder).map_err(StoreError::io(folder))?;
    copies::strike(path, &[beside(&name, "-journal"), name])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::folder::DATABASE;
    use crate::store::sqlite::Database;
    use crate::store::{
        ReadForgotten, ReadVectors, ReadWords, Source, SourceKind, Stat, WriteForgotten, WriteItems, WriteSources,
        WriteVectors, WriterLock,
    };
    use crate::text::{TextHash, sha256_hex, text_hash};
    use crate::types::{Authority, Fingerprint, Item, Kind, Scope, State};

    /// A released migration is never edited: somebody's database was made by it.
    #[test]
    fn released_migrations_stay_as_they_are() {
        let released = [
            "4c88302c7e25555f48df2fa997c96ccc411655f7922e1d50fb9e99c786f95cbc",
            "31c16893b50cef16701cc82fd8f0dee8b97ac8dc6661a1439e03a75d0fdec4ba",
            "8bff9fc60107c9ef672aff94f5b67cf782380c6f635f8c3a9ebc4ca3d1d6ec69",
            "f0647333034d1d9f5114b4dad902e56b6fd8f72ee03004298acd78bbc9b01102",
            "fed250452ca6ac68f27d340f2b966bc789b284dbc89be1d770e3a70301116558",
            "55e90392bbc3c3e97205ae052a6b4dc609eb80c65cbddb2ca2e8128cc4dbfdd0",
            "882ba77ead78c4cd5dce3766e8561ee5cf20cef227999e4db922b5de343ed182",
            "20b2c384312a3f05e60fe28963ec0a52adc1f81c1478b8dcdfcd5aa33a77cd09",
            "3af0bf6a44dcb81867519c7fe7bbd64dea1a1d600960dfd58c149b67441b51f4",
            "e24677c3d02617765dc49599a25267ee51a50623a971c6ce8fb871cabc92a389",
            "9204349bfe55fa5063eea02270112c8d7c9e970d5d12c0662b1243d921f74daa",
            "ca323b7f75cf6e3667d2bee712c7259ef6f87b70b1e197c8444ebe0f54ff1667",
        ];
        for (migration, hash) in MIGRATIONS.iter().zip(released) {
            assert_eq!(sha256_hex(migration.sql.as_bytes()), hash, "migration {}", migration.number);
        }
        assert_eq!(released.len(), MIGRATIONS.len());
        assert!(MIGRATIONS.iter().enumerate().all(|(at, migration)| migration.number == at as i64 + 1));
    }

    #[test]
    fn a_failing_migration_leaves_everything_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("k.db");
        let mut connection = Connection::open(&path).unwrap();
        let first = Migration { number: 1, sql: "CREATE TABLE a (x); INSERT INTO a VALUES (7);" };
        migrate(&mut connection, &path, &[first]).unwrap();
        assert!(!backup_path(&path, 0).exists(), "a new database needs no backup");
        let bad = Migration { number: 2, sql: "DELETE FROM a; CREATE TABLE a (y);" };
        assert!(migrate(&mut connection, &path, &[first, bad]).is_err());
        assert_eq!(schema(&connection).unwrap(), 1);
        assert_eq!(connection.query_row("SELECT x FROM a", [], |r| r.get::<_, i64>(0)).unwrap(), 7);
        let good = Migration { number: 2, sql: "UPDATE a SET x = 8;" };
        migrate(&mut connection, &path, &[first, good]).unwrap();
        let kept = Connection::open(backup_path(&path, 1)).unwrap();
        assert_eq!(kept.query_row("SELECT x FROM a", [], |r| r.get::<_, i64>(0)).unwrap(), 7);
        assert!(matches!(migrate(&mut connection, &path, &[first]), Err(StoreError::Newer { found: 2, known: 1, .. })));
    }

    /// Words that were cut by the stemmer of schema 1 are cut again.
    #[test]
    fn stems_are_made_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("k.db");
        let mut connection = Connection::open(&path).unwrap();
        migrate(&mut connection, &path, &MIGRATIONS[..1]).unwrap();
        let item = "INSERT INTO item (uid, kind, scope, authority, state, title, body, text_hash, words, attributes,
                created_at, updated_at)
            VALUES ('a', 'chunk', 'global', 'personal', 'active', 'Policies', 'of locking', zeroblob(16), 2, '{}', 0, 0)";
        connection.execute(item, []).unwrap();
        connection.execute("INSERT INTO item_fts (rowid, words) VALUES (1, 'policy lock')", []).unwrap();
        migrate(&mut connection, &path, &MIGRATIONS[..2]).unwrap();
        let found = |word: &str| {
            let sql = "SELECT count(*) FROM item_fts WHERE item_fts MATCH ?1";
            connection.query_row(sql, [word], |row| row.get::<_, i64>(0)).unwrap()
        };
        assert_eq!((found("polici"), found("lock"), found("policy")), (1, 1, 0));
    }

    /// A long text of schema 5 gets the parts that one of schema 6 is stored with.
    #[test]
    fn long_texts_get_their_stretches() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("k.db");
        let mut connection = Connection::open(&path).unwrap();
        migrate(&mut connection, &path, &MIGRATIONS[..5]).unwrap();
        let (short, long) = ("of locking".to_owned(), "One thing is said. Then another one is.\n\n".repeat(40));
        for (id, body) in [(1, &short), (2, &long)] {
            let item = "INSERT INTO item (id, uid, kind, scope, authority, state, title, body, text_hash, words,
                    attributes, created_at, updated_at)
                VALUES (?1, ?1, 'chunk', 'global', 'personal', 'active', 'T', ?2, zeroblob(16), 2, '{}', 0, 0)";
            connection.execute(item, (id, body)).unwrap();
            connection.execute("INSERT INTO embedding VALUES (?1, 0, ?2)", (id, [0u8; 16])).unwrap();
        }
        migrate(&mut connection, &path, MIGRATIONS).unwrap();
        let mut parts = connection.prepare("SELECT item_id, part, text_hash FROM embedding WHERE part > 0").unwrap();
        let parts = parts.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
        let parts: Vec<(i64, i64, TextHash)> = parts.unwrap().map(Result::unwrap).collect();
        let texts = passages("T", &long, &serde_json::json!({}));
        let expected = (0i64..).zip(&texts).skip(1).map(|(part, text)| (2, part, text_hash(text)));
        assert!(texts.len() > 2);
        assert_eq!(parts, expected.collect::<Vec<_>>());
    }

    fn source() -> Source {
        Source {
            path: "/a.md".to_owned(),
            root: "/".to_owned(),
            kind: SourceKind::Text,
            scope: Scope::global(),
            sha256: [1; 32],
            stat: Stat { size: 9, mtime_ns: 9 },
            indexed_at: 0,
        }
    }

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
            span: None,
            created_at: 0,
            updated_at: 0,
        }
    }

    /// A database of schema 4 with a file, four items of which one was forgotten and one removed, a vector and a
    /// counter; its keyword index holds words that stand nowhere else, one of them of the item that was removed.
    fn with_keyword_index(lock: &WriterLock) -> (Vec<String>, TextHash) {
        let mut database = Database::open_with(lock, &MIGRATIONS[..4]).unwrap();
        let batch = database.begin(lock).unwrap();
        let file = batch.put_source(&source()).unwrap();
        let put = |uid: &str| batch.put_item(&item(uid), Some(file)).unwrap();
        let (_, two, _, four) = (put("one"), put("two"), put("three"), put("four"));
        let hash = text_hash(&item("one").passage());
        let model = batch.put_model(&Fingerprint::stored("m@01".to_owned()), 2).unwrap();
        batch.put_vectors(&model, [(hash, &[0.6, 0.8][..])]).unwrap();
        batch.use_model(&model.fingerprint, None).unwrap();
        batch.execute("INSERT INTO usage VALUES ('one', 1, 1, 1, 1, 0)", []).unwrap();
        crate::store::sql::leave_traces(&batch).unwrap();
        crate::store::sql::remember_forgotten(&batch, two, 5).unwrap();
        let retire =
            "UPDATE item SET state = 'retired', title = '', body = '', attributes = '{}', words = 0 WHERE id = ?1";
        batch.execute("DELETE FROM embedding WHERE item_id = ?1", [two]).unwrap();
        batch.execute(retire, [two]).unwrap();
        for (id, words) in [(1, "aardvarkish text"), (3, "platypusish text"), (four, "wombatish text")] {
            batch.execute("INSERT INTO item_fts (rowid, words) VALUES (?1, ?2)", (id, words)).unwrap();
        }
        batch.commit().unwrap();
        let batch = database.begin(lock).unwrap();
        batch.remove_item(four).unwrap();
        batch.commit().unwrap();
        (records(&database), hash)
    }

    /// Items, files and counters, of whatever schema.
    fn records(database: &Database) -> Vec<String> {
        let sql =
            "SELECT uid || state || title || body || attributes FROM item UNION ALL SELECT path || scope FROM source
            UNION ALL SELECT uid || days || served FROM usage ORDER BY 1";
        let mut statement = database.connection.prepare(sql).unwrap();
        let all = statement.query_map([], |row| row.get(0)).unwrap();
        all.map(Result::unwrap).collect()
    }

    /// The keyword index of schema 4 goes, with every word in it, and nothing else does.
    #[test]
    fn the_keyword_index_goes_without_a_trace() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(DATABASE);
        let lock = WriterLock::take(dir.path(), "test", Duration::ZERO).unwrap();
        let (before, hash) = with_keyword_index(&lock);
        let holds = |word: &str| {
            let bytes = std::fs::read(&path).unwrap();
            bytes.windows(word.len()).any(|window| window == word.as_bytes())
        };
        let words = ["aardvarkish", "platypusish", "wombatish"];
        assert!(words.iter().all(|word| holds(word)), "removed ones too, until the index is merged");
        drop(lock);

        let database = Database::open(dir.path()).unwrap().unwrap();
        assert_eq!(records(&database), before);
        assert_eq!(database.check().unwrap(), []);
        let model = database.index_model().unwrap().unwrap();
        assert!(database.has_vector(&model, &hash).unwrap());
        assert_eq!(database.forgotten().unwrap().len(), 1);
        let left = "SELECT count(*) FROM sqlite_master WHERE name LIKE 'item_fts%' OR name = 'item_word'";
        assert_eq!(database.connection.query_row(left, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
        assert!(backup_path(&path, 4).exists());
        drop(database);
        assert!(!words.iter().any(|word| holds(word)));

        // The backup goes when the traces of what was forgotten do, and the triggers still count.
        let lock = WriterLock::take(dir.path(), "test", Duration::ZERO).unwrap();
        let mut database = Database::open_to_write(&lock).unwrap();
        assert!(database.erase_traces(&lock, Duration::ZERO).unwrap() && !backup_path(&path, 4).exists());
        let batch = database.begin(&lock).unwrap();
        batch.remove_item(1).unwrap();
        batch.forget_item(3, 6).unwrap();
        batch.put_item(&item("five"), None).unwrap();
        batch.commit().unwrap();
        assert_eq!(database.corpus().unwrap().items, 1);
        assert_eq!(database.check().unwrap(), []);
    }
}
