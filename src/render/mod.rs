//! Answers as text for people and as JSON for programs. Pure: no terminal is asked, nothing is printed.
//!
//! What arrives here is free of control characters already; the only escape codes in the output are our own, and only
//! when the style has colours.

mod lookup;
mod search;
mod style;
mod wrap;

pub use lookup::lookup_text;
pub use search::search_text;
pub use style::Style;
pub use wrap::wrap;

use serde::Serialize;

/// One JSON object on one line, ended by a line feed.
pub fn json_line(value: &impl Serialize) -> String {
    // Plain data with string keys cannot fail to serialise.
    let mut text = serde_json::to_string(value).unwrap_or_else(|e| format!("{{\"error\":{{\"message\":\"{e}\"}}}}"));
    text.push('\n');
    text
}
