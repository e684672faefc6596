//! Answers as a language model reads them: the text that `ken` prints, without colours, and the notes behind it.
//!
//! One representation. Some clients hand on the text of a result and some its structure, some both; a structure beside
//! the text would be missed by the first and paid for twice by the last.

use crate::engine::Status;
use crate::render::{Length, Style, lookup_text, nearest_text, reason_text, rejected_text, search_text};
use crate::serve::requests::status_line;
use crate::serve::service::Answered;
use crate::types::{Answer, Frame, Semantic};

/// Columns of a text that no terminal shows.
const WIDTH: usize = 100;
const NO_MODEL: &str = "There is no model, so only words were compared; whoever runs this machine can get one with: \
    ken model pull";

pub(super) fn looked_up(answered: &Answered<Answer>) -> String {
    let answer = &answered.value;
    let mut text = lookup_text(answer, Length::Full, Style::default(), WIDTH);
    if !answer.found() {
        text.push_str(&reason_text(answer, WIDTH));
        text.push_str(&rejected_text(answer, WIDTH));
        push_nearest(&mut text, answer, "");
    }
    push_notes(&mut text, answered, semantics_are_off(answer));
    text
}

pub(super) fn searched(answered: &Answered<Answer>, here: &str) -> String {
    let answer = &answered.value;
    let mut text = search_text(answer, here, Style::default(), WIDTH);
    if !answer.found() {
        push_nearest(&mut text, answer, here);
    }
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

/// What was near, and passed as no answer.
fn push_nearest(text: &mut String, answer: &Answer, here: &str) {
    match nearest_text(answer, here, Style::default()) {
        nearest if nearest.is_empty() => text.push_str("Nothing is known about this.\n"),
        nearest => text.push_str(&nearest),
    }
}

fn push_notes<T>(text: &mut String, answered: &Answered<T>, no_model: bool) {
    for note in &answered.notes {
        text.push_str(&format!("note: {note}\n"));
    }
    if no_model {
        text.push_str(&format!("note: {NO_MODEL}\n"));
    }
}
