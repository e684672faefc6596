//! Answers as a language model reads them: the text that `ken` prints, without colours, and the notes behind it.
//!
//! One representation. Some clients hand on the text of a result and some its structure, some both; a structure beside
//! the text would be missed by the first and paid for twice by the last.

use crate::engine::Status;
use crate::render::{Length, Style, lookup_text, search_text, silence_text};
use crate::serve::requests::status_line;
use crate::serve::service::Answered;
use crate::types::{Answer, Frame, Semantic};

/// Columns of a text that no terminal shows.
const WIDTH: usize = 100;
const NO_MODEL: &str = "There is no model, so only words were compared; whoever runs this machine can get one with: \
    ken model pull";

/// `filtered` says whether filters left entries out.
pub(super) fn looked_up(answered: &Answered<Answer>, filtered: bool) -> String {
    let answer = &answered.value;
    let mut text = lookup_text(answer, Length::Full, Style::default(), WIDTH);
    text.push_str(&silence_text(answer, filtered, "", Style::default(), WIDTH));
    push_notes(&mut text, answered, semantics_are_off(answer));
    text
}

/// `filtered` says whether filters left items out; paths below `here` are shown relative to it.
pub(super) fn searched(answered: &Answered<Answer>, filtered: bool, here: &str) -> String {
    let answer = &answered.value;
    let mut text = search_text(answer, here, Style::default(), WIDTH);
    text.push_str(&silence_text(answer, filtered, here, Style::default(), WIDTH));
    push_notes(&mut text, answered, semantics_are_off(answer));
    text
}

pub(super) fn frame(answered: Answered<Frame>) -> String {
    let Answered { value, notes } = answered;
    let Frame { text, semantic, .. } = value;
    let mut text = text;
    push_notes(&mut text, &Answered { value: (), notes }, !semantic);
    text
}

/// The line for assistants, and what is wrong.
pub(super) fn status(answered: &Answered<Status>) -> String {
    let status = &answered.value;
    let mut text = status_line(status);
    for folder in &status.inventory.folders {
        let files = if folder.files == 1 { "1 file".to_owned() } else { format!("{} files", folder.files) };
        text.push_str(&format!("{}: {files}\n", folder.path));
    }
    for complaint in status.complaints() {
        text.push_str(&format!("note: {complaint}\n"));
    }
    push_notes(&mut text, answered, false);
    text
}

fn semantics_are_off(answer: &Answer) -> bool {
    answer.results.iter().any(|finding| finding.semantic == Semantic::Off)
}

fn push_notes<T>(text: &mut String, answered: &Answered<T>, no_model: bool) {
    for note in &answered.notes {
        text.push_str(&format!("note: {note}\n"));
    }
    if no_model {
        text.push_str(&format!("note: {NO_MODEL}\n"));
    }
}
