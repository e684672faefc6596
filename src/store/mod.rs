//! What is kept on disk: files, items, vectors, counters, events; one writer at a time, readers never wait. Canon's
//! vectors lie elsewhere (`ann`), because a lookup must not need a database.
//!
//! Decides how things are stored and what survives; knows nothing of models, files on disk or scores. Whoever reads
//! or writes asks for the traits of its concern: `documents`, `forgetting`, `vectors`, `words`, `usage`, `noise`,
//! `events`, `memory`, `outcome`, or all of them, `access`. `sql` implements them once for both databases.
//!
//! - `sqlite` and `postgres` are the two databases. In a build without the feature `postgres`, the module
//!   `without_postgres` takes the place of `postgres`. `shared` has the types that every build needs.
//! - `postings` are the words inside a store. Only `postgres` keeps them.
//! - `copying` copies a whole store to another data directory, or to a database in PostgreSQL.
//!
//! Every layout is in `index/FORMAT.md`.

mod access;
#[cfg(test)]
mod conformance;
mod copying;
mod database;
mod documents;
mod error;
mod events;
mod external;
mod filter;
mod folder;
mod forgetting;
mod learning;
mod lock;
mod markdown;
mod memory;
mod mirror;
mod nearest;
mod noise;
mod outcome;
mod passages;
mod pool;
#[cfg(feature = "postgres")]
mod postgres;
mod postings;
mod shared;
mod sql;
mod sqlite;
mod tools;
mod usage;
mod vectors;
#[cfg(not(feature = "postgres"))]
mod without_postgres;
mod words;

pub use access::{ReadStore, Snapshot, WriteBatch, WriteStore};
pub use copying::{StorePlace, compare_stores, copy_store};
pub use database::{Batch, Database, Place, Shared, SharedStore};
pub use documents::{
    Anchor, FolderCount, Inventory, Prior, ReadItems, ReadSources, ScopeCount, Source, SourceKind, Stat, WriteItems,
    WriteSources, chunk_uid,
};
pub use error::StoreError;
pub use events::{ReadEvents, Stamp, WriteEvents};
pub use external::{ReadExternal, WriteExternal, external_uid};
pub use filter::{ItemFilter, PathFilter};
pub use folder::{DATABASE, WRITER_LOCK, exposed, keep_private, make_private};
pub use forgetting::{Forgotten, ForgottenPassage, ReadForgotten, WriteForgotten};
pub use learning::{
    CapabilityUse, KeepLearning, ReadLearning, SessionCall, StoredCapability, StoredSuggestion, StoredTask,
    StoredThreshold, StoredTrace, SuggestionKind, UnreadSession,
};
pub use lock::{Lent, WRITER_WAIT, WriterLock, current_writer};
pub use markdown::{item_from_markdown, item_to_markdown, read_front_matter, with_front_matter};
pub use memory::{MemoryCount, MemoryFilter, MemoryView, ReadMemory, StoredMemory, WriteMemory};
pub use mirror::{Mirrored, MirroredTable};
pub use nearest::{KeepNearest, NearText, NearestCertificate, NearestIndex, NearestSearch, ReadNearest};
pub use noise::{ReadNoise, WriteNoise};
pub use outcome::{
    BatchState, FOUND, KeepOutcomes, OutcomeBatch, OutcomeCounts, OutcomeCursor, OutcomeFilter, OutcomeSession,
    PatternFilter, ReadOutcomes, SessionForgotten, StoredPattern, WriteOutcomes,
};
pub use passages::passages_of;
pub use pool::{Pool, PooledReader};
pub use postgres::{ServerError, SharedBatch, SharedDatabase, SharedJobs, TlsError};
pub use postings::{FindWords, ItemVersion, ItemWords, KeepWords, Posting, TermCounts, WordTotals, WordsOf};
pub use shared::{PostgresAccess, StoredJob, Turn, is_address};
pub use sql::{Cleaned, Fault, Faults, Imported, Record};
pub use sqlite::{MIGRATIONS, Migration, Salvaged, copies, remove_copies};
pub use tools::{ReadTools, StoredTool, ToolCall, WriteTools};
pub use usage::{CountUsage, ReadUsage, Usage};
pub use vectors::{IndexModel, ItemVectors, LogChanges, ReadChanges, ReadVectors, VectorRows, WriteVectors};
pub use words::{Corpus, ItemText, ReadWords};

use access::until_error;
#[cfg(not(feature = "postgres"))]
use without_postgres as postgres;
