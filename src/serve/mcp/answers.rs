//! Answers as a language model reads them: the text that `ken` prints, without colours and with ids in place of
//! commands, and the notes behind it.
//!
//! One representation. Some clients hand on the text of a result and some its structure, some both; a structure beside
//! the text would be missed by the first and paid for twice by the last.

use crate::engine::{Learnt, Remembered, Status, Told};
use crate::render::{Length, Style, line, lookup_text, search_text, silence_text, standing};
use crate::serve::requests::status_line;
use crate::serve::service::Answered;
use crate::types::{Answer, Frame, MemoryState, Semantic};

/// Columns of a text that no terminal shows.
const WIDTH: usize = 100;
const NO_MODEL: &str = "There is no model, so only words were compared; whoever runs this machine can get one with: \
    ken model pull";

/// `filtered` says whether filters left entries out.
pub(super) fn looked_up(answered: &Answered<Answer>, filtered: bool) -> String {
    let answer = &answered.value;
    let mut text = lookup_text(answer, Length::Full, Style::agent(), WIDTH);
    text.push_str(&silence_text(answer, filtered, "", Style::agent(), WIDTH));
    push_notes(&mut text, answered, semantics_are_off(answer));
    text
}

/// `filtered` says whether filters left items out; paths below `here` are shown relative to it.
pub(super) fn searched(answered: &Answered<Answer>, filtered: bool, here: &str) -> String {
    let answer = &answered.value;
    let mut text = search_text(answer, here, Style::agent(), WIDTH);
    text.push_str(&silence_text(answer, filtered, here, Style::agent(), WIDTH));
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

/// What became of something that was to be remembered, and what to do about it.
pub(super) fn remembered(answered: &Answered<Remembered>) -> String {
    let Remembered { change, memory: told, redacted, near, .. } = &answered.value;
    let memory = &told.memory;
    let done = match change {
        Learnt::Added => "Remembered",
        Learnt::Reinforced => "Known already; it is surer now",
        Learnt::Updated => "Updated",
        Learnt::Proposed => "Proposed",
        Learnt::Known => "Known already",
    };
    let kind = memory.kind.name();
    let mut text = format!("{done}: {} ({kind}, confidence {} %).\n", memory.id, told.confidence);
    if !memory.validated {
        text.push_str("It is not validated until a person confirms it.\n");
    }
    if !told.served {
        text.push_str(&format!("It is not served: {}.\n", why_not_served(told)));
    }
    if !redacted.is_empty() {
        text.push_str(&format!("Taken out before it was stored: {}.\n", redacted.join(", ")));
    }
    for one in near {
        text.push_str(&format!("Nearly the same: {} ({})\n", line(&one.text), one.id));
    }
    if !near.is_empty() {
        text.push_str("If it replaces one of these, dispute that one; next time name its id as update.\n");
    }
    push_notes(&mut text, answered, false);
    text
}

/// How a memory stands that was disputed, or is so no more.
pub(super) fn disputed(answered: &Answered<Told>) -> String {
    let told = &answered.value;
    let id = &told.memory.id;
    let mut text = match told.memory.state {
        MemoryState::Disputed => {
            format!("{id} is not served any more, nor what was concluded from it alone; withdraw takes that back.\n")
        }
        _ if told.served => format!("{id} is served again.\n"),
        _ => format!("{id} is disputed no more, and not served: {}.\n", why_not_served(told)),
    };
    push_notes(&mut text, answered, false);
    text
}

fn why_not_served(told: &Told) -> String {
    // What stands and is not served has expired, whatever the moment.
    line(&standing(&told.memory, i64::MAX)).into_owned()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Near;
    use serde_json::{Value, json};

    /// A fact that a program wrote, with these fields otherwise.
    fn told(more: &Value, served: bool) -> Told {
        let mut memory = json!({"id": "memory/3f9c21ab04de", "kind": "fact", "scope": "global", "authority": "personal",
            "source": "quirk", "author": {"program": "x"}, "state": "active", "validated": false, "independent": true,
            "raw_confidence": 70, "sessions": [], "seen": 1, "worked": 0, "failed": 0, "last_at": 0, "words": {},
            "first_event": 1, "created_at": 0, "updated_at": 0});
        memory.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        Told {
            memory: serde_json::from_value(memory).unwrap(),
            confidence: 70,
            overrides: None,
            served,
            revised_by: Vec::new(),
        }
    }

    fn said(change: Learnt, memory: Told, redacted: Vec<&'static str>, near: Vec<Near>) -> String {
        let value = Remembered { change, memory, problem: None, redacted, near };
        remembered(&Answered { value, notes: Vec::new() })
    }

    #[test]
    fn what_became_of_a_memory_is_said_in_few_lines() {
        let near = Near { id: "memory/0123456789ab".to_owned(), text: "Old\u{1b}\nwords".to_owned(), probability: 0.9 };
        assert_eq!(
            said(Learnt::Added, told(&json!({}), true), vec!["AWS key", "password"], vec![near]),
            "Remembered: memory/3f9c21ab04de (fact, confidence 70 %).\n\
             It is not validated until a person confirms it.\n\
             Taken out before it was stored: AWS key, password.\n\
             Nearly the same: Old words (memory/0123456789ab)\n\
             If it replaces one of these, dispute that one; next time name its id as update.\n"
        );
        let validated = told(&json!({"validated": true}), true);
        let text = said(Learnt::Updated, validated, Vec::new(), Vec::new());
        assert_eq!(text, "Updated: memory/3f9c21ab04de (fact, confidence 70 %).\n");
    }

    #[test]
    fn what_is_not_served_says_why() {
        for (more, why) in [
            (json!({"state": "disputed", "dispute": "old\nnews"}), "disputed: old news"),
            (json!({"state": "rejected"}), "rejected"),
            (json!({"until": 5}), "expired"),
            (json!({"held_by": ["memory/a"]}), "held back, because memory/a is disputed"),
        ] {
            let text = said(Learnt::Reinforced, told(&more, false), Vec::new(), Vec::new());
            assert!(text.contains(&format!("\nIt is not served: {why}.\n")), "{text}");
        }
        let decided = |more: Value, served| disputed(&Answered { value: told(&more, served), notes: Vec::new() });
        assert!(decided(json!({"state": "disputed"}), false).contains("is not served any more"));
        assert!(decided(json!({}), true).contains("is served again"));
        assert!(decided(json!({"until": 5}), false).contains("is disputed no more, and not served: expired"));
    }
}
