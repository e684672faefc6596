//! Who may ask the service, and for what. Tokens are kept as digests; only the first one, which belongs to whoever runs
//! the service, lies in a file as it is, so that the page can be opened with it.
//!
//! A token has 256 random bits, so a plain digest of it can be kept: there is nothing to guess (NIST SP 800-63B,
//! 5.1.2.2, asks for salt and rounds below 112 bits). Digests are compared in constant time. Two tokens may be valid at
//! once, so one can be replaced while programs still use the other.

use crate::error::{Diagnose, ErrorKind};
use crate::map::open::{Links, read};
use crate::map::write_aside;
use crate::render::json_pretty;
use crate::screen::shown;
use crate::text::sha256_hex;
use crate::types::limits::TOKENS;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use subtle::ConstantTimeEq;

/// How a token begins, so that it is known as one where it should not be.
const PREFIX: &str = "ken_";

/// What a token is for; each includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Right {
    /// To ask.
    Read,
    /// To put and delete items.
    Write,
    /// To index files of the machine.
    Admin,
}

impl Right {
    /// All of them, the least first.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Admin];

    /// As it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }
}

/// A token as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Token {
    /// What it is called.
    pub name: String,
    /// SHA-256 of it, in hex.
    sha256: String,
    /// What it is for.
    pub right: Right,
    /// The scopes that its holder may see; empty for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
}

impl Token {
    /// Whether this is what somebody has shown.
    fn is(&self, digest: &str) -> bool {
        self.sha256.as_bytes().ct_eq(digest.as_bytes()).into()
    }
}

/// What went wrong with tokens.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// A file cannot be read or written.
    #[error("{}: {source}", shown(path))]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The list is damaged.
    #[error("{} is damaged: {source}", shown(path))]
    Damaged {
        /// Which.
        path: PathBuf,
        /// What is wrong in it.
        source: serde_json::Error,
    },
    /// The name is another token's.
    #[error("there is a token {0} already")]
    Exists(String),
    /// A name that none can have.
    #[error("{0:?} cannot be a token's name")]
    Name(String),
    /// The system gives no random numbers.
    #[error("the system gives no random numbers: {0}")]
    Random(String),
}

impl Diagnose for TokenError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Io { .. } | Self::Random(_) => ErrorKind::Io,
            Self::Damaged { .. } => ErrorKind::Damaged,
            Self::Exists(_) | Self::Name(_) => ErrorKind::Usage,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Io { .. } | Self::Random(_) => return None,
            Self::Damaged { .. } => "delete it and make the tokens again: `ken serve token add`".to_owned(),
            Self::Exists(name) => format!("remove it first: `ken serve token remove {name}`, or take another name"),
            Self::Name(_) => "use 1 to 60 letters, digits, dots, dashes and underscores".to_owned(),
        })
    }
}

/// The list of tokens.
#[derive(Debug, Clone)]
pub struct Tokens {
    path: PathBuf,
    seen: Option<(SystemTime, u64)>,
    known: Vec<Token>,
}

impl Tokens {
    /// Reads the list; a missing file is an empty list.
    ///
    /// # Errors
    /// [`TokenError`] when the file cannot be read.
    pub fn read(path: &Path) -> Result<Self, TokenError> {
        let seen = look(path);
        let known = match read(path, Links::Follow, TOKENS) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|source| TokenError::Damaged { path: path.to_owned(), source })?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(source) => return Err(TokenError::Io { path: path.to_owned(), source }),
        };
        Ok(Self { path: path.to_owned(), seen, known })
    }

    /// Whether the file is as it was read.
    pub fn is_unchanged(&self) -> bool {
        look(&self.path) == self.seen
    }

    /// All tokens.
    pub fn all(&self) -> &[Token] {
        &self.known
    }

    /// Makes a token, and gives what its holder has to show. It is nowhere else.
    ///
    /// # Errors
    /// [`TokenError`] for a name that is taken or none, and when the list cannot be written.
    pub fn add(&mut self, name: &str, right: Right, scopes: Vec<String>) -> Result<String, TokenError> {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        if name.is_empty() || name.len() > 60 || !name.chars().all(fits) {
            return Err(TokenError::Name(name.to_owned()));
        }
        if self.known.iter().any(|token| token.name == name) {
            return Err(TokenError::Exists(name.to_owned()));
        }
        let secret = draw()?;
        let sha256 = sha256_hex(secret.as_bytes());
        self.known.push(Token { name: name.to_owned(), sha256, right, scopes });
        self.write()?;
        Ok(secret)
    }

    /// Removes the token of this name; tells whether there was one.
    ///
    /// # Errors
    /// [`TokenError`] when the list cannot be written.
    pub fn remove(&mut self, name: &str) -> Result<bool, TokenError> {
        let before = self.known.len();
        self.known.retain(|token| token.name != name);
        let removed = self.known.len() < before;
        if removed {
            self.write()?;
        }
        Ok(removed)
    }

    /// The token that this is. All are compared, in a time that does not depend on how much of one is right.
    pub fn of(&self, secret: &str) -> Option<&Token> {
        let digest = sha256_hex(secret.as_bytes());
        self.known.iter().fold(None, |found, token| if token.is(&digest) { Some(token) } else { found })
    }

    fn write(&mut self) -> Result<(), TokenError> {
        let text = json_pretty(&self.known).unwrap_or_default();
        let io = |source| TokenError::Io { path: self.path.clone(), source };
        write_aside(&self.path, text.as_bytes()).map_err(io)?;
        self.seen = look(&self.path);
        Ok(())
    }
}

fn look(path: &Path) -> Option<(SystemTime, u64)> {
    let meta = fs::metadata(path).ok()?;
    Some((meta.modified().ok()?, meta.len()))
}

/// The token of whoever runs the service: what lies in this file, or a new one that is put there for its owner alone.
///
/// # Errors
/// [`TokenError`] when the file cannot be read or written.
pub fn own_token(path: &Path) -> Result<String, TokenError> {
    let io = |source| TokenError::Io { path: path.to_owned(), source };
    match read(path, Links::Follow, TOKENS) {
        Ok(bytes) => {
            let kept = String::from_utf8_lossy(&bytes).trim().to_owned();
            // An empty file is no token that everybody has.
            if kept.starts_with(PREFIX) && kept.len() > 40 {
                return Ok(kept);
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(source) => return Err(io(source)),
    }
    let secret = draw()?;
    write_aside(path, format!("{secret}\n").as_bytes()).map_err(io)?;
    Ok(secret)
}

/// 256 random bits.
fn draw() -> Result<String, TokenError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| TokenError::Random(error.to_string()))?;
    Ok(format!("{PREFIX}{}", BASE64_URL_SAFE_NO_PAD.encode(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_known_until_it_is_removed_and_its_file_does_not_hold_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        let mut tokens = Tokens::read(&path).unwrap();
        let one = tokens.add("ci", Right::Read, vec!["git:a".to_owned()]).unwrap();
        let two = tokens.add("ci-2", Right::Write, Vec::new()).unwrap();
        assert!(matches!(tokens.add("ci", Right::Read, Vec::new()), Err(TokenError::Exists(_))));
        assert!(matches!(tokens.add("a b", Right::Read, Vec::new()), Err(TokenError::Name(_))));
        let mut again = Tokens::read(&path).unwrap();
        assert_eq!(again.of(&one).map(|token| (token.name.as_str(), token.right)), Some(("ci", Right::Read)));
        assert_eq!(again.of(&two).map(|token| token.right), Some(Right::Write));
        for wrong in ["", "ken_", &one[..one.len() - 1], &format!("{one}x")] {
            assert_eq!(again.of(wrong), None, "{wrong}");
        }
        assert!(!fs::read_to_string(&path).unwrap().contains(&one));
        assert!(again.is_unchanged() && again.remove("ci").unwrap() && !again.remove("ci").unwrap());
        assert_eq!(again.of(&one), None);
        assert!(again.of(&two).is_some() && !tokens.is_unchanged());
    }

    #[test]
    fn the_first_token_is_made_once_and_is_its_owner_s_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let made = own_token(&path).unwrap();
        assert_eq!(own_token(&path).unwrap(), made);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        fs::write(&path, "\n").unwrap();
        assert_ne!(own_token(&path).unwrap(), made, "an empty file is no token");
    }

    #[test]
    fn a_damaged_list_lets_nobody_in() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        fs::write(&path, "[{\"name\": \"ci\"}]").unwrap();
        assert!(matches!(Tokens::read(&path), Err(TokenError::Damaged { .. })));
    }
}
