//! Answers as text for people and as JSON for programs. Pure: no terminal is asked, nothing is printed.
//!
//! Foreign text is cleaned where it is put into a line, and stands escaped in JSON; the only escape codes in the output
//! are our own, and only when the style has colours.

mod advice;
mod excerpt;
mod explanation;
mod json;
mod lookup;
mod memory;
mod nearest;
mod outcome;
mod plan;
mod search;
mod silence;
mod style;
mod wire;
mod wrap;

/// Which characters may reach a screen, and how paths and sizes are shown.
pub use crate::screen::{Size, clean, cut, is_hidden, line, shown, shown_text, terminal};
pub use json::{json, json_line, json_pretty, with_path, yaml};
pub use lookup::{Length, lookup_text};
pub use memory::{history_text, memory_text, standing};
pub use nearest::nearest_first;
pub use outcome::{PatternRow, failures_text, outcomes_text, overcome_text, pattern_text, patterns_text};
pub use plan::plan_text;
pub use search::{paths_text, search_text};
pub use silence::silence_text;
pub use style::{Reader, Style};
pub use wire::{answer_json, json_object, served_json};
pub use wrap::wrap;
