//! Files and their items: what a store tells of them, and what a batch does to them.

use super::{ItemFilter, MemoryView, StoreError};
use crate::text::{TextHash, hex, sha256};
use crate::types::{Item, Scope, Span};
use std::collections::{BTreeMap, HashSet};

/// How a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SourceKind {
    /// Markdown: headings and fences mean something.
    Markdown,
    /// Anything else that is text.
    Text,
}

impl SourceKind {
    /// As it is stored.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Text => "text",
        }
    }

    /// The kind with this name, if there is one.
    pub fn of(name: &str) -> Option<Self> {
        [Self::Markdown, Self::Text].into_iter().find(|kind| kind.name() == name)
    }
}

/// What tells whether a file is still the same, without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// Size in bytes; -1 for a file that is to be read again whatever its size.
    pub size: i64,
    /// Time of the last change, nanoseconds since 1970.
    pub mtime_ns: i64,
}

/// A file that is indexed.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// Absolute path.
    pub path: String,
    /// The path that was given when it was indexed; empty for a file that came with an import.
    pub root: String,
    /// How it is read.
    pub kind: SourceKind,
    /// Where its items count.
    pub scope: Scope,
    /// SHA-256 of its bytes.
    pub sha256: [u8; 32],
    /// Its size and time.
    pub stat: Stat,
    /// When it was indexed, milliseconds since 1970.
    pub indexed_at: i64,
}

impl Source {
    /// Whether the file itself was given when it was indexed, not a folder above it.
    pub fn is_named(&self) -> bool {
        self.path == self.root
    }
}

/// What the comparison of a file with its items needs of each.
#[derive(Debug, Clone, PartialEq)]
pub struct Anchor {
    /// Row id.
    pub id: i64,
    /// Hash of title and body.
    pub text_hash: TextHash,
    /// Whether it is served.
    pub active: bool,
    /// Where it stands.
    pub span: Option<Span>,
    /// What else is known of it, as JSON.
    pub attributes: String,
}

/// What ranks an active item before its text is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prior {
    /// Row id.
    pub id: i64,
    /// Public id.
    pub uid: String,
    /// Hash of title and body: equal texts have equal hashes.
    pub text_hash: TextHash,
    /// When its text came to be as it is, milliseconds since 1970.
    pub updated_at: i64,
    /// Distinct days on which it was served; 0 for one that never was.
    pub days: u32,
    /// Where it counts.
    pub scope: Scope,
    /// The file it stands in.
    pub path: Option<String>,
    /// Whether that file came with an import and was never on this machine.
    pub imported: bool,
}

/// Files and items of a scope.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ScopeCount {
    /// The scope.
    pub scope: String,
    /// Its files.
    pub files: usize,
    /// Its active items.
    pub items: usize,
}

/// Files below a folder that was given when they were indexed.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct FolderCount {
    /// The folder.
    pub path: String,
    /// Its files.
    pub files: usize,
}

/// What there is, counted.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct Inventory {
    /// Indexed files.
    pub files: usize,
    /// Active items by kind.
    pub items: BTreeMap<String, usize>,
    /// By scope.
    pub scopes: Vec<ScopeCount>,
    /// By the folder that was given when they were indexed, in the order of their paths.
    pub folders: Vec<FolderCount>,
    /// Files that were given themselves.
    pub named_files: usize,
    /// Vectors of the index's model.
    pub vectors: usize,
    /// Texts that have none.
    pub without_vector: usize,
    /// Vectors of other models, and of texts that are gone.
    pub unused_vectors: usize,
    /// Size of the store on disk, in bytes.
    pub bytes: u64,
    /// When a file was indexed last, milliseconds since 1970.
    pub last_indexed: Option<i64>,
}

impl Inventory {
    /// Active items of all kinds.
    pub fn total(&self) -> usize {
        self.items.values().sum()
    }
}

/// The public id of a piece of a document: the same for the same text at the same place in the same file.
/// `nth` tells equal texts of one file apart.
pub fn chunk_uid(path: &str, text: &TextHash, nth: usize) -> String {
    let digest = sha256(format!("{path}\0{}\0{nth}", hex(text)).as_bytes());
    format!("chunk/{}", hex(&digest[..8]))
}

/// Reads items.
pub trait ReadItems {
    /// What is known of the items of a file, in the order of the file.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses, or holds values that nobody wrote.
    fn anchors(&self, source: i64) -> Result<Vec<Anchor>, StoreError>;

    /// Items by row id, in the order asked; those that are gone are left out.
    ///
    /// # Errors
    /// As [`ReadItems::anchors`], and [`StoreError::Damaged`] for a text that is not what was stored.
    fn items(&self, ids: &[i64]) -> Result<Vec<(i64, Item)>, StoreError>;

    /// What ranks active items before their texts are read, in the order asked; others are left out.
    ///
    /// # Errors
    /// As [`ReadItems::anchors`].
    fn priors(&self, ids: &[i64]) -> Result<Vec<Prior>, StoreError>;

    /// The row id of an item by its public id.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn item_id(&self, uid: &str) -> Result<Option<i64>, StoreError>;

    /// Whether an item is there with its text.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn has_text(&self, item: i64) -> Result<bool, StoreError>;

    /// Whether an item is a memory that may not be seen by whoever has this view.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn is_hidden(&self, id: i64, view: &MemoryView) -> Result<bool, StoreError>;

    /// Row ids of the active items that pass, ascending.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn admitted(&self, filter: &ItemFilter, view: Option<&MemoryView>) -> Result<Vec<i64>, StoreError>;

    /// Whether this active item passes; whether any does, if none is named.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn passes(&self, filter: &ItemFilter, view: Option<&MemoryView>, id: Option<i64>) -> Result<bool, StoreError>;

    /// How many active items there are up to this row id, and how many behind it.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn counted_around(&self, id: u64) -> Result<(usize, usize), StoreError>;

    /// The greatest row id of an active item; 0 if there is none.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn last_item(&self) -> Result<u64, StoreError>;
}

/// Reads what is known of files.
pub trait ReadSources {
    /// All files with their row ids, by path.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses, or holds values that nobody wrote.
    fn sources(&self) -> Result<Vec<(i64, Source)>, StoreError>;

    /// Files of which nothing is indexed, by row id.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn bare_sources(&self) -> Result<HashSet<i64>, StoreError>;

    /// Whether other machines keep what they index here too, so that a file may lie on one of them.
    fn is_shared(&self) -> bool;

    /// The path that was given when this file was indexed; empty for one that came with an import and was never on this
    /// machine. `None` if it is not indexed.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn source_root(&self, path: &str) -> Result<Option<String>, StoreError>;

    /// The id of a repository, if it was found before.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn repository(&self, root: &str) -> Result<Option<Scope>, StoreError>;

    /// By which rules and for which model files were cut, if any was.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn cut_label(&self) -> Result<Option<String>, StoreError>;

    /// Counts what there is.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn inventory(&self) -> Result<Inventory, StoreError>;
}

/// Changes items. What it does becomes true with its batch.
pub trait WriteItems {
    /// Adds an item; gives its row id. A public id that is taken by another text gets a suffix.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn put_item(&self, item: &Item, source: Option<i64>) -> Result<i64, StoreError>;

    /// Says where an item stands now.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn move_item(&self, id: i64, span: &Span) -> Result<(), StoreError>;

    /// Gives an item, whose text stays, what else is known of it now.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn describe_item(&self, id: i64, item: &Item) -> Result<(), StoreError>;

    /// Removes an item. Its counters stay: the same text may come back.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn remove_item(&self, id: i64) -> Result<(), StoreError>;
}

/// Changes what is known of files. What it does becomes true with its batch.
pub trait WriteSources {
    /// Adds a file, or replaces what is known of one at this path; gives its row id. Its items stay.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn put_source(&self, source: &Source) -> Result<i64, StoreError>;

    /// Gives a file another path, and its items the scope of that path.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn move_source(&self, id: i64, to: &Source) -> Result<(), StoreError>;

    /// Removes a file with its items.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn remove_source(&self, id: i64) -> Result<(), StoreError>;

    /// Has every file cut anew when it is met, and says by which rules and for which model.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn cut_anew(&self, label: &str) -> Result<(), StoreError>;

    /// Remembers a repository's id.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn put_repository(&self, root: &str, scope: &Scope) -> Result<(), StoreError>;
}
