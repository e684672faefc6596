//! What agents need to use `ken`, and how it gets into their files: the entry of the tools, the hook, the words that an
//! agent reads, the specs of modes and workflows.
//!
//! Pure: given the present text of a file it says what the text is to be, or why it stays as it is. Three things hold.
//! What is not ours stays byte for byte; to put in twice changes nothing; to take out what was put in gives the bytes
//! of before. `engine/setup` reads and writes the files.

mod block;
mod client;
mod edit;
mod jsonc;
mod parts;
mod specs;
mod text;

pub use client::{Base, Client, Place, Scope};
pub use parts::{Missing, Part, Wish, advice, entry, hook_text, wishes};
pub use text::Edit;

/// What becomes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It stays as it is.
    Same,
    /// It gets this text.
    Text(String),
    /// It goes: nothing else was ever in it.
    Gone,
}

/// Why a file is left alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// It cannot be read as JSON.
    #[error("it is no JSON: {what} (line {line}, column {column})")]
    NotJson {
        /// What is wrong.
        what: &'static str,
        /// Where, from 1.
        line: usize,
        /// Where, from 1.
        column: usize,
    },
    /// It cannot be read as TOML.
    #[error("it is no TOML: {what}")]
    NotToml {
        /// What the parser says.
        what: String,
    },
    /// There is nothing in it.
    #[error("it is empty; remove it, or put {{}} into it")]
    Empty,
    /// Something of another type stands where the entry is to go.
    #[error("{key} in it is of another type than the client expects")]
    WrongType {
        /// The key.
        key: String,
    },
    /// A key is looked for in something that is no object.
    #[error("what is to hold {key} in it is no object")]
    NoObject {
        /// The key.
        key: String,
    },
    /// It is not clear which of two values counts.
    #[error("it has {key} twice")]
    Twice {
        /// The key.
        key: String,
    },
    /// Somebody has an entry of this name.
    #[error("an entry named {name} that is somebody's own stands in it")]
    Own {
        /// The name.
        name: String,
    },
    /// The entry cannot be added without rewriting what stands there.
    #[error("its table of servers is written in one line, which cannot be added to")]
    Inline,
    /// Somebody has a hook that does the same.
    #[error("a hook of somebody's own that calls ken stands in it")]
    OwnHook,
    /// What was put there has been edited.
    #[error("what was put there has been edited since")]
    Edited,
    /// Somebody has a file of this name.
    #[error("it is a file of somebody's own")]
    OwnFile,
    /// The marks of a block are damaged.
    #[error("the marks that begin and end the part of ken in it do not fit together")]
    Marks,
    /// A carriage return would become part of a line end.
    #[error("its last line ends in the middle of a line end")]
    LineEnd,
}

impl Why {
    /// What somebody can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Edited => Some("look at it; --force replaces or removes it"),
            Self::Own { .. } | Self::OwnHook => Some("remove that entry if it is not wanted, and run this again"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
