//! Runs that could not be kept: a letter for each in a small file beside the database, so that they can be counted
//! while the database is busy, full, damaged or not there. Letters are appended, which many processes can do at once.

use crate::engine::{Engine, EngineError};
use crate::error::{Diagnose, ErrorKind};
use crate::map::open::{Links, open_to_append, read};
use crate::store::DATABASE;
use crate::types::limits::LOST_OUTCOMES;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

/// What the file has at the end of its name, behind that of the database.
pub(in crate::engine) const ENDING: &str = ".lost";

/// Why a run was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// Other processes wrote all the time.
    Busy,
    /// The disk was full.
    Full,
    /// The database is damaged, or of another version.
    Damaged,
    /// The report of the run could not be read.
    Unreadable,
    /// Anything else.
    Other,
}

impl Loss {
    /// Why a run was not kept.
    pub fn of(error: &EngineError) -> Self {
        match error {
            EngineError::Store(store) if store.is_full() => Self::Full,
            error => match error.kind() {
                ErrorKind::Busy => Self::Busy,
                ErrorKind::Damaged | ErrorKind::Mismatch => Self::Damaged,
                _ => Self::Other,
            },
        }
    }

    const fn letter(self) -> u8 {
        match self {
            Self::Busy => b'b',
            Self::Full => b'f',
            Self::Damaged => b'd',
            Self::Unreadable => b'u',
            Self::Other => b'o',
        }
    }
}

/// Runs that were lost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Losses {
    /// In all.
    pub total: usize,
    /// Because other processes wrote all the time.
    pub busy: usize,
    /// Because the disk was full.
    pub full: usize,
    /// Because the database is damaged, or of another version.
    pub damaged: usize,
    /// Because their reports could not be read.
    pub unreadable: usize,
}

fn file(data: &Path) -> PathBuf {
    data.join(format!("{DATABASE}{ENDING}"))
}

impl Engine {
    /// Counts a run that was lost. Where even that cannot be written it is not counted.
    pub fn count_lost(data: &Path, loss: Loss) {
        let path = file(data);
        if std::fs::metadata(&path).is_ok_and(|meta| meta.len() >= LOST_OUTCOMES.bytes) {
            return;
        }
        drop(open_to_append(&path).and_then(|mut file| file.write_all(&[loss.letter()])));
    }

    /// Counts a run that could not be kept, where the engine has its data.
    pub fn count_lost_here(&self, loss: Loss) {
        if let Some(data) = &self.settings.data {
            Self::count_lost(data, loss);
        }
    }

    /// How many runs were lost. A file that cannot be read counts none.
    pub fn lost_outcomes(&self) -> Losses {
        let Some(data) = &self.settings.data else { return Losses::default() };
        let letters = read(&file(data), Links::Follow, LOST_OUTCOMES).unwrap_or_default();
        let count = |loss: Loss| letters.iter().filter(|letter| **letter == loss.letter()).count();
        Losses {
            total: letters.len(),
            busy: count(Loss::Busy),
            full: count(Loss::Full),
            damaged: count(Loss::Damaged),
            unreadable: count(Loss::Unreadable),
        }
    }
}
