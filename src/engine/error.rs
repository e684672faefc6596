//! What a use case can fail with: the failure of a layer below, or one that only shows here.

use crate::canon::EditError;
use crate::embed::EmbedError;
use crate::error::{Diagnose, ErrorKind, Face, hint_through, io_kind};
use crate::ingest::IngestError;
use crate::pack::PackError;
use crate::query::SearchError;
use crate::screen::{shown, shown_text};
use crate::store::StoreError;
use crate::terraform::ReadError;
use crate::text::DecodeError;
use crate::types::Fingerprint;
use std::io;
use std::path::PathBuf;

/// A use case failed.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The input is no text.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The model failed or could not be had.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// Stored vectors failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Indexing failed.
    #[error(transparent)]
    Ingest(#[from] IngestError),
    /// A folder that should be new holds something.
    #[error("{} is not empty", shown(path))]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// A file that no export wrote.
    #[error("{}: {what}", shown(path))]
    NoExport {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// A tool that is not there, or may not be seen.
    #[error("there is no tool {}", shown_text(name))]
    NoTool {
        /// What was asked for.
        name: String,
    },
    /// There is no frame.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// What should be a plan or a validation of Terraform is none.
    #[error(transparent)]
    Terraform(#[from] ReadError),
    /// A pack could not be changed.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// There is no home to keep anything in.
    #[error("there is no home directory to keep data in")]
    NoHome,
    /// A model is needed and none is installed.
    #[error("the model {model} is not installed")]
    NoModel {
        /// The model.
        model: String,
    },
    /// No entry of the packs has what a filter asks for.
    #[error("no entry has the {what} {name}")]
    NoEntryWith {
        /// What the filter asks for: `pack`, `provider` or `tag`.
        what: &'static str,
        /// Its name.
        name: String,
        /// Names that are near.
        near: Vec<String>,
    },
    /// No such entry.
    #[error("no entry is called {id}")]
    NoEntry {
        /// What was asked for.
        id: String,
        /// Ids that are near.
        near: Vec<String>,
    },
    /// No answer of this terminal is known.
    #[error("no answer of this terminal is known")]
    NoLastAnswer,
    /// Nothing is indexed in a scope.
    #[error("nothing is indexed in the scope {name}")]
    NoScope {
        /// What was asked for.
        name: String,
        /// Scopes that are near.
        near: Vec<String>,
    },
    /// Nothing is known by this id or path.
    #[error("nothing is indexed under {id}")]
    NoItem {
        /// What was asked for.
        id: String,
    },
    /// Several scopes have an item of this id.
    #[error("several scopes have an item {id}")]
    SeveralItems {
        /// The id that a program gave each.
        id: String,
    },
    /// An item has no vector to search by.
    #[error("{id} has no vector yet")]
    NoVector {
        /// The item.
        id: String,
    },
    /// A vector that nothing can be compared with.
    #[error("the vector cannot be compared: {what}")]
    WrongVector {
        /// What is wrong with it.
        what: String,
    },
    /// An item of a batch cannot be stored.
    #[error("item {number} of the batch: {what}")]
    BadItem {
        /// Which of the batch; the first is 1.
        number: usize,
        /// What is wrong with it.
        what: String,
    },
    /// A scope that whoever asks may not see.
    #[error("the scope {scope} may not be written to")]
    NoAccess {
        /// The scope.
        scope: String,
    },
    /// Everything would be deleted.
    #[error("the filter is empty, so every item would be deleted")]
    EmptyFilter,
    /// A list cannot go on from there.
    #[error("{cursor:?} is not where a page of a list ends")]
    BadCursor {
        /// What was given.
        cursor: String,
    },
    /// There is no such memory, or it may not be seen.
    #[error("no memory is called {id}")]
    NoMemory {
        /// What was asked for.
        id: String,
    },
    /// The beginning of an id is that of several memories.
    #[error("several memories begin with {id}")]
    SeveralMemories {
        /// What was asked for.
        id: String,
    },
    /// Something cannot be remembered.
    #[error("it cannot be remembered: {what}")]
    BadMemory {
        /// What is wrong with it.
        what: String,
    },
    /// A file of memories that cannot be read.
    #[error("{}, line {line}: {what}", shown(path))]
    BadMemoryFile {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// A memory that cannot be a team's.
    #[error("{id} cannot be promoted: {what}")]
    NotPromoted {
        /// The memory.
        id: String,
        /// Why not.
        what: &'static str,
    },
    /// No pattern of outcomes has this id, or several begin so.
    #[error("no pattern, or more than one, has an id that begins with {id}")]
    NoPattern {
        /// What was asked for.
        id: String,
    },
    /// A pattern is not sure enough to become a tactic.
    #[error("{id} is {confidence:.2} sure, 0.70 are needed")]
    PatternNotSure {
        /// The pattern.
        id: String,
        /// How sure it is, in \[0, 1\].
        confidence: f64,
        /// Sessions in which it has to work besides.
        missing: usize,
    },
    /// A pattern tells of nothing that makes a failure go away.
    #[error("{id} is no fix: its kind is {kind}")]
    PatternIsNoFix {
        /// The pattern.
        id: String,
        /// Its kind.
        kind: &'static str,
    },
    /// That cannot be decided of a memory as it stands.
    #[error("{id} is {state}")]
    WrongState {
        /// The memory.
        id: String,
        /// How it stands.
        state: &'static str,
    },
    /// Only a person can decide that.
    #[error("only a person can confirm, approve or promote a memory, or change what a team stands behind")]
    NeedsPerson,
    /// What is to come back was not forgotten.
    #[error("{id} was not forgotten")]
    NotForgotten {
        /// What was asked for.
        id: String,
    },
    /// Nothing is indexed at all.
    #[error("nothing is indexed")]
    NothingIndexed,
    /// The index and the model in use do not belong together.
    #[error("the index was made with {index}, the model in use is {model}")]
    ModelMismatch {
        /// The index's model.
        index: Fingerprint,
        /// The model in use.
        model: Fingerprint,
        /// How the user names it: a name or a folder.
        given: String,
        /// Whether other machines use the same index.
        is_shared: bool,
    },
    /// The input could not be read.
    #[error("the input: {0}")]
    Input(io::Error),
    /// The output could not be written.
    #[error("the output: {0}")]
    Output(io::Error),
    /// A name that cannot be a pack's.
    #[error("{0:?} is no name for a pack")]
    PackName(String),
    /// The model has no calibration, so its similarities mean nothing.
    #[error("{model} is not calibrated")]
    NotCalibrated {
        /// The model.
        model: String,
    },
    /// The user ended it.
    #[error("stopped before the file of vectors was made; nothing is lost, but searches are slower")]
    Stopped,
    /// Whoever asked wants no answer any more.
    #[error("the request was cancelled")]
    Cancelled,
    /// The time that the request was given is over.
    #[error("there was not enough time for an answer")]
    DeadlinePassed,
    /// Reading or writing failed.
    #[error("{}: {source}", shown(path))]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

impl Diagnose for EngineError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Decode(e) => e.kind(),
            Self::Embed(e) => e.kind(),
            Self::Store(e) => e.kind(),
            Self::Ingest(e) => e.kind(),
            Self::Input(e) | Self::Output(e) => io_kind(e),
            Self::NothingIndexed => ErrorKind::NoIndex,
            Self::ModelMismatch { .. } => ErrorKind::Mismatch,
            Self::Edit(e) => e.kind(),
            Self::Pack(e) => e.kind(),
            Self::Terraform(e) => e.kind(),
            Self::NotEmpty { .. } | Self::NoExport { .. } | Self::NoTool { .. } => ErrorKind::Usage,
            Self::NoHome
            | Self::NoEntryWith { .. }
            | Self::NoEntry { .. }
            | Self::NoItem { .. }
            | Self::SeveralItems { .. }
            | Self::WrongVector { .. }
            | Self::BadItem { .. }
            | Self::NoAccess { .. }
            | Self::EmptyFilter
            | Self::BadCursor { .. }
            | Self::NoMemory { .. }
            | Self::SeveralMemories { .. }
            | Self::BadMemory { .. }
            | Self::BadMemoryFile { .. }
            | Self::NotPromoted { .. }
            | Self::NoPattern { .. }
            | Self::PatternNotSure { .. }
            | Self::PatternIsNoFix { .. }
            | Self::WrongState { .. }
            | Self::NeedsPerson
            | Self::NotForgotten { .. }
            | Self::NoLastAnswer
            | Self::NoScope { .. }
            | Self::PackName(_) => ErrorKind::Usage,
            Self::NoModel { .. } | Self::NoVector { .. } | Self::NotCalibrated { .. } => ErrorKind::NoModel,
            Self::Stopped | Self::Cancelled => ErrorKind::Interrupted,
            Self::DeadlinePassed => ErrorKind::Busy,
            Self::Io { source, .. } => io_kind(source),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Decode(e) => e.hint(),
            Self::Embed(e) => e.hint(),
            Self::Store(e) => e.hint(),
            Self::Ingest(e) => e.hint(),
            Self::Terraform(e) => e.hint(),
            Self::Input(_) | Self::Output(_) => None,
            Self::NoItem { .. } => Some("`ken search --json QUESTION` shows ids, `ken status --json` paths".to_owned()),
            Self::NoScope { near, .. } if near.is_empty() => {
                Some("`here` is this repository, `global` what is in none; `ken status` lists the others".to_owned())
            }
            Self::NoScope { near, .. } => Some(format!("did you mean {}?", near.join(" or "))),
            Self::SeveralItems { .. } => Some("name the scope of the one that is meant".to_owned()),
            Self::NoVector { .. } => Some("`ken index` makes vectors of what has none".to_owned()),
            Self::WrongVector { .. } => Some("give one that the index's model has made".to_owned()),
            Self::BadItem { .. } => Some("nothing of the batch was stored; correct it and put it in again".to_owned()),
            Self::NoAccess { .. } => Some("choose a scope that your token names".to_owned()),
            Self::EmptyFilter => Some("say which items: a scope, kind, tag or condition".to_owned()),
            Self::NoMemory { .. } => {
                Some("`ken memory list` shows those of this repository and the global ones".to_owned())
            }
            Self::SeveralMemories { .. } => Some("give more of the id".to_owned()),
            Self::BadMemory { .. } => Some("`ken remember --help` shows what can be".to_owned()),
            Self::BadMemoryFile { hint, .. } => hint.clone(),
            Self::NotPromoted { .. } => {
                Some("`ken memory list` shows what there is, `ken remember` writes it down here".to_owned())
            }
            Self::NoPattern { .. } => Some("`ken patterns list` shows those of this repository".to_owned()),
            Self::PatternNotSure { missing, .. } => Some(format!(
                "it has to work in {missing} more {}, or say it yourself: `ken remember TEXT --error FILE --worked`",
                if *missing == 1 { "session" } else { "sessions" }
            )),
            Self::PatternIsNoFix { .. } => Some("`ken patterns list --kind recovery` shows fixes".to_owned()),
            Self::WrongState { .. } => Some("`ken memory history ID` tells what happened to it".to_owned()),
            Self::NeedsPerson => Some("run it yourself in a terminal, or with --author person".to_owned()),
            Self::BadCursor { .. } => Some("give the `next` of the page before".to_owned()),
            Self::NoLastAnswer => Some("name the entry: `ken lookup --worked ID`".to_owned()),
            Self::NotForgotten { .. } => Some("`ken forget --list` shows what was".to_owned()),
            Self::NotEmpty { .. } => Some("name a folder that does not exist yet".to_owned()),
            Self::NoTool { .. } => Some("`ken tools list` shows the tools".to_owned()),
            Self::NoExport { .. } => Some("give a folder that `ken export --markdown` wrote".to_owned()),
            Self::NothingIndexed => Some("ken index PATH".to_owned()),
            Self::ModelMismatch { index, is_shared: true, .. } => {
                Some(format!("`ken model use {}` uses the model of all who share this store", index.name()))
            }
            Self::ModelMismatch { index, given, .. } => Some(format!(
                "`ken model use {}` makes the index again with it; or search with --model {}",
                shown_text(given),
                index.name()
            )),
            Self::Edit(e) => e.hint(),
            Self::Pack(e) => e.hint(),
            Self::NoHome => Some("set HOME, or KEN_HOME to a directory of its own".to_owned()),
            Self::NoEntryWith { near, .. } if near.is_empty() => {
                Some("`ken canon list` names all entries, `ken canon show ID` all of one".to_owned())
            }
            Self::NoEntryWith { near, .. } => Some(format!("did you mean {}?", near.join(" or "))),
            Self::NoEntry { near, .. } if near.is_empty() => Some("`ken canon list` names all entries".to_owned()),
            Self::NoEntry { near, .. } => Some(format!("did you mean {}?", near.join(" or "))),
            Self::PackName(_) => Some("use lower-case letters, digits and hyphens, such as my-team".to_owned()),
            Self::NoModel { model } => Some(format!("`ken model pull {model}` gets it; `ken model list` shows all")),
            Self::NotCalibrated { .. } => {
                Some("only calibrated models compare meaning: `ken model use bge-small-en-v1.5`".to_owned())
            }
            Self::Stopped => Some("ken gc".to_owned()),
            Self::DeadlinePassed => Some("ask again, and give it more time".to_owned()),
            Self::Cancelled | Self::Io { .. } => None,
        }
    }

    fn hint_for(&self, face: Face) -> Option<String> {
        let hint = match (self, face) {
            (Self::NoItem { .. }, Face::Http) => "hits of `/v1/search` have ids",
            (Self::NoItem { .. }, Face::Agent) => "the tool search shows ids",
            (Self::NoMemory { .. }, Face::Http) => "`GET /v1/memories` lists those that your token may see",
            (Self::NoMemory { .. }, Face::Agent) => "the tools remember and search show ids of memories",
            (Self::BadMemory { .. }, Face::Http) => "`/openapi.json` describes what can be",
            (Self::BadMemory { .. }, Face::Agent) => "the schema of the tool remember describes what can be",
            (Self::WrongState { .. }, Face::Http) => "`GET /v1/memories/{id}` tells what happened to it",
            (Self::NeedsPerson, Face::Http) => "a person decides it, in a terminal or with an admin token",
            (Self::NeedsPerson, Face::Agent) => "ask the person whom you work for",
            (Self::NoTool { .. }, Face::Http) => "`GET /v1/tools` lists the tools",
            (Self::NothingIndexed, Face::Http) => "`PUT /v1/items` takes texts, `POST /v1/index` folders",
            _ => return hint_through(face, self.kind(), self.hint()),
        };
        Some(hint.to_owned())
    }
}

impl From<SearchError> for EngineError {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Embed(error) => Self::Embed(error),
            SearchError::Store(error) => Self::Store(error),
        }
    }
}
