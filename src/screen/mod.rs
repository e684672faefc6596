//! What of a text that somebody else wrote may reach a screen, and how the name of a file is shown.
//!
//! Decides which characters move, reorder or hide ([`is_hidden`]), and has one function for each way out: [`terminal`]
//! is the last gate before standard output and error, [`clean`] and [`line()`] are for values that are put into a text,
//! [`shown`] is for paths. JSON loses nothing: `render` escapes there what is taken away here. Invariant: what comes
//! out of any of these functions holds no character that [`is_hidden`] names but tab and line feed, and of [`terminal`]
//! the colours of [`CODES`].

mod character;
mod path;
mod size;
mod text;

pub use character::{is_hidden, moves};
pub use path::{path_fields, path_text, raw_hex, shown, shown_in_code, shown_text};
pub use size::Size;
pub use text::{CODES, clean, cut, line, terminal};
