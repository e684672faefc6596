//! What can be asked, with a type for each use case. The command line fills a request from its options, and servers
//! decode it from JSON. The engine's options are made from the request alone.

mod bounds;
mod condition;
mod here;
mod items;
mod lookup;
mod memory;
mod outcome;
mod pack;
mod place;
mod search;
mod status;
mod tools;

pub use here::Here;
pub use items::{DeleteItemsRequest, ItemRequest, ListItemsRequest, PutItem, PutItemsRequest};
pub use lookup::LookupRequest;
pub(super) use memory::check_session;
pub use memory::{
    DecideRequest, DisputeRequest, ListMemoriesRequest, RememberRequest, outcomes_seen_from, seen_from, session_of_day,
};
pub use outcome::{FailuresRequest, KeepOutcomesRequest, OutcomeReport};
pub use pack::PackRequest;
pub use search::{SearchRequest, Sought};
pub use status::{StatusRequest, status_line};
pub use tools::{FindToolsRequest, PlanToolsRequest, tools_seen_from};

use crate::config::Settings;
use crate::engine::face::failure::{Diagnose, ErrorKind, Face, hint_through};
use crate::engine::{Engine, EngineError, Notes};
use crate::types::Access;
use std::fmt;
use std::time::Duration;

/// Who asks, and whom.
#[derive(Clone, Copy)]
pub struct Asker<'a> {
    /// What answers.
    pub engine: &'a Engine,
    /// What counts where a request says nothing.
    pub settings: &'a Settings,
    /// The folder that paths are relative to, as files are known by.
    pub here: &'a Here,
    /// Scopes that whoever asks may see; it becomes part of every filter.
    pub access: &'a Access,
    /// Where a program is told that what it names is empty; none for a person, for whom that is an error.
    pub notes: Option<&'a Notes>,
}

/// A request that means nothing, with what to do about it.
#[derive(Debug)]
pub struct RequestError {
    kind: ErrorKind,
    message: String,
    hint: Hint,
}

/// What to do about it.
#[derive(Debug)]
enum Hint {
    /// This, whoever asks.
    Own(String),
    /// What this failure says to whoever asks.
    Of(Box<EngineError>),
}

impl RequestError {
    /// A wrong value.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Usage, message: message.into(), hint: Hint::Own(hint.into()) }
    }

    /// The time for an answer is over.
    pub(super) fn late(time: Duration) -> Self {
        let message = format!("there was no answer within {} s", time.as_secs());
        let hint = Hint::Own("ask for less, or try again later".to_owned());
        Self { kind: ErrorKind::Interrupted, message, hint }
    }

    /// The time is over for a request that writes something.
    pub(super) fn late_to_write(time: Duration) -> Self {
        let hint = Hint::Own("it may have been written all the same: look before you try again".to_owned());
        Self { hint, ..Self::late(time) }
    }

    /// Whether the memory that is asked for is not there, or may not be seen.
    pub(super) fn is_missing(&self) -> bool {
        matches!(&self.hint, Hint::Of(error) if matches!(**error, EngineError::NoMemory { .. }))
    }

    /// The same of one item of a batch; the first is 1.
    fn within(self, number: usize) -> Self {
        Self { message: format!("item {number} of the batch: {}", self.message), ..self }
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for RequestError {}

impl Diagnose for RequestError {
    fn kind(&self) -> ErrorKind {
        self.kind
    }

    fn hint(&self) -> Option<String> {
        self.hint_for(Face::CommandLine)
    }

    fn hint_for(&self, face: Face) -> Option<String> {
        match &self.hint {
            Hint::Own(hint) => hint_through(face, self.kind, Some(hint.clone())),
            Hint::Of(error) => error.hint_for(face),
        }
    }
}

impl From<EngineError> for RequestError {
    fn from(error: EngineError) -> Self {
        Self { kind: error.kind(), message: error.to_string(), hint: Hint::Of(Box::new(error)) }
    }
}

/// The value of this name, or an error that names all.
fn named<T>(what: &str, name: &str, of: impl Fn(&str) -> Option<T>, all: &[&str]) -> Result<T, RequestError> {
    let wrong = || RequestError::usage(format!("{name} is no {what}"), format!("there are: {}", all.join(", ")));
    of(name).ok_or_else(wrong)
}
