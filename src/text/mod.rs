//! Text as it comes from terminals, logs and people: decoded, cleaned, cut into error blocks, masked, tokenised.
//!
//! Decides what of an input is worth asking about and what in it varies from one occurrence to the next. Knows nothing
//! of canon or models. Invariant: cleaned text holds no control characters but tab and line feed, and every line
//! remembers its number in the input.

mod clauses;
mod clean;
mod count;
mod decode;
mod digest;
mod edits;
mod fingerprint;
mod identifier;
mod log;
mod mask;
mod pattern;
mod platform;
mod quote;
mod redact;
mod repeats;
mod safe;
mod salient;
mod sketch;
mod stem;
mod time;
mod token;
mod windows;

pub use clauses::clauses;
pub use clean::{Cleaned, Line, Mark, clean};
pub use count::{Characters, CountTokens};
pub use decode::{DecodeError, MAX_INPUT_BYTES, decode, decode_file};
pub use digest::{TextHash, hex, sha256, sha256_hex, text_hash};
pub use edits::{edits, near_names, slips};
pub use fingerprint::{FINGERPRINT_VERSION, fingerprint, shape};
pub use identifier::is_identifier;
pub use log::{Log, Part, Piece, ends};
pub use mask::mask;
pub(crate) use pattern::{pattern, pattern_set};
pub use platform::platform_of;
pub use redact::{Redacted, Secret, redact};
pub use safe::{shell_quote, single_line};
pub use salient::{headline, salient};
pub use sketch::{Salt, Sketch, SketchMatch, Sketches};
pub use time::{parse_timestamp, timestamp};
pub use token::{for_each_token, tokens};
pub use windows::windows;
