//! Whose tokens a budget is counted in.
//!
//! The encodings come with the program, so that nothing is fetched: tiktoken-rs carries their tables. That of `o200k`
//! is read when it is first asked for, that of `cl100k` is kept in a file (`cl100k`).

use super::cl100k::Cl100k;
use crate::text::{Characters, CountTokens};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::thread::JoinHandle;
use tiktoken_rs::{CoreBPE, o200k_base_singleton};

/// Name of the file with the ranks of `cl100k_base`.
pub const CL100K_FILE: &str = "cl100k.ranks";

/// A tokenizer by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tokenizer {
    /// `cl100k_base`.
    #[default]
    Cl100k,
    /// `o200k_base`.
    O200k,
    /// That of the embedding model.
    Model,
    /// Four characters to a token.
    Chars,
}

impl Tokenizer {
    /// All of them, the default first.
    pub const ALL: [Self; 4] = [Self::Cl100k, Self::O200k, Self::Model, Self::Chars];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cl100k => "cl100k",
            Self::O200k => "o200k",
            Self::Model => "model",
            Self::Chars => "chars",
        }
    }

    /// The same, made ready by a thread of its own while something else is done: reading an encoding's table takes some
    /// 65 ms. `folder` is where a table is kept that need not be read a second time.
    pub fn ahead(self, folder: Option<PathBuf>) -> Ahead {
        let read = move || match self {
            Self::Cl100k => drop(Cl100k::open(folder.map(|folder| folder.join(CL100K_FILE)).as_deref())),
            _ => drop(self.counter()),
        };
        let tables = match self {
            Self::Cl100k | Self::O200k => std::thread::Builder::new().spawn(read).ok(),
            Self::Model | Self::Chars => None,
        };
        Ahead { tokenizer: self, tables }
    }

    /// What counts, unless it is the model.
    pub fn counter(self) -> Option<Box<dyn CountTokens>> {
        match self {
            Self::Cl100k => Some(Box::new(Cl100k::open(None))),
            Self::O200k => Some(Box::new(Encoding { name: self.name(), bpe: o200k_base_singleton() })),
            Self::Chars => Some(Box::new(Characters)),
            Self::Model => None,
        }
    }
}

/// A tokenizer that is being made ready.
pub struct Ahead {
    tokenizer: Tokenizer,
    tables: Option<JoinHandle<()>>,
}

impl Ahead {
    /// What counts, unless it is the model; waits for it.
    pub fn ready(self) -> Option<Box<dyn CountTokens>> {
        // A thread that failed has read nothing, and what it would have read is read now.
        drop(self.tables.map(JoinHandle::join));
        self.tokenizer.counter()
    }
}

impl FromStr for Tokenizer {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let names = || Self::ALL.map(Self::name).join(", ");
        Self::ALL.into_iter().find(|one| one.name() == name).ok_or_else(|| format!("expected one of {}", names()))
    }
}

impl fmt::Display for Tokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

struct Encoding {
    name: &'static str,
    bpe: &'static CoreBPE,
}

/// Longest stretch that is counted at once, in bytes. The encoding's pattern tries a run of white space again and
/// again, and gives up, with a panic, after a million steps.
const STRETCH_BYTES: usize = 64 << 10;

impl CountTokens for Encoding {
    fn name(&self) -> &str {
        self.name
    }

    fn count(&self, text: &str) -> usize {
        let mut rest = text;
        let mut tokens = 0;
        while rest.len() > STRETCH_BYTES {
            // At a line end if there is one, which is where the pattern cuts too; else a token may be counted twice.
            let most = rest.floor_char_boundary(STRETCH_BYTES);
            let at = rest[..most].rfind('\n').map_or(most, |at| at + 1);
            tokens += self.bpe.count_ordinary(&rest[..at]);
            rest = &rest[at..];
        }
        tokens + self.bpe.count_ordinary(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the reference implementation (tiktoken 0.12 for Python) gives.
    #[test]
    fn counts_are_those_of_the_encodings() {
        let text = "Retry with back-off: 3 attempts, größer als 100 ms.\n\n\tfn main() {}";
        let count = |tokenizer: Tokenizer| tokenizer.counter().map(|counter| counter.count(text));
        assert_eq!(Tokenizer::ALL.map(count), [Some(CL100K), Some(O200K), None, Some(17)]);
        assert_eq!("o200k".parse(), Ok(Tokenizer::O200k));
        assert!("gpt".parse::<Tokenizer>().is_err());
    }

    const CL100K: usize = 20;
    const O200K: usize = 19;

    #[test]
    fn long_runs_are_counted_without_a_panic() {
        for tokenizer in Tokenizer::ALL {
            let Some(counter) = tokenizer.counter() else { continue };
            for text in [" ".repeat(3 << 20), "a".repeat(1 << 20), "\n".repeat(1 << 20), "é ".repeat(1 << 18)] {
                assert!(counter.count(&text) > 0);
            }
        }
        // Cut at line ends, an encoding counts what it counts of the whole.
        let lines = "one two three\n".repeat(20_000);
        for tokenizer in [Tokenizer::Cl100k, Tokenizer::O200k] {
            let counter = tokenizer.counter().unwrap();
            assert_eq!(counter.count(&lines), counter.count("one two three\n") * 20_000, "{tokenizer}");
        }
    }
}
