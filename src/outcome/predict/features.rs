//! What is known of a failure when it happens: one name for each thing that is so.

use super::super::kind_of_error::{error_kind, masked_input};
use super::super::recovery::label;
use crate::text::tokens;
use crate::types::ToolOutcome;

/// Words of an error and of an input that count.
const MOST_WORDS: usize = 24;

/// The names of what is so at the failure at `failed`. Rows after it are not looked at.
pub fn features(rows: &[&ToolOutcome], failed: usize) -> Vec<String> {
    let Some(row) = rows.get(failed) else { return Vec::new() };
    let past = &rows[..failed];
    let action = format!("{}|{}", row.tool, row.head);
    let kind = error_kind(&row.error);
    let mut out = vec![format!("action {action}"), format!("error {kind}"), format!("action {action} error {kind}")];
    for word in words(&kind) {
        out.push(format!("says {word}"));
        out.push(format!("action {action} says {word}"));
    }
    for word in words(&masked_input(&row.input)) {
        out.push(format!("input {word}"));
    }
    let length = row.input.split_whitespace().count();
    out.push(format!("length {}", length.checked_ilog2().map_or(0, |n| n + 1)));
    history(&mut out, past, row, &kind, &action);
    out
}

fn words(text: &str) -> Vec<String> {
    let mut words = tokens(text);
    words.sort();
    words.dedup();
    words.truncate(MOST_WORDS);
    words
}

/// At most three: more makes no difference.
fn some(count: usize) -> usize {
    count.min(3)
}

fn history(out: &mut Vec<String>, past: &[&ToolOutcome], row: &ToolOutcome, kind: &str, action: &str) {
    let same = |other: &&&ToolOutcome| other.tool == row.tool && other.head == row.head;
    let of = |other: &ToolOutcome| format!("{}|{}", other.tool, other.head);
    let failures = past.iter().filter(|other| !other.is_ok).count();
    let of_action = past.iter().filter(same).filter(|other| !other.is_ok).count();
    let in_a_row = past.iter().rev().take_while(|other| !other.is_ok).count();
    let of_kind = past.iter().filter(same).filter(|other| !other.is_ok && error_kind(&other.error) == kind).count();
    let again = past.iter().any(|other| other.input_fingerprint == row.input_fingerprint);
    let worked = past.iter().filter(same).filter(|other| other.is_ok).count();
    out.push(format!("failures {}", some(failures)));
    out.push(format!("of action {}", some(of_action)));
    out.push(format!("in a row {}", some(in_a_row)));
    out.push(format!("of kind {}", some(of_kind)));
    out.push(format!("error {kind} of kind {}", some(of_kind)));
    out.push(format!("worked {}", some(worked)));
    out.push(format!("again {again}"));
    out.push(format!("position {}", past.len().min(10)));
    // What this session did until now, and after its last failure that it overcame: sessions have habits.
    let mut did: Vec<String> = past.iter().filter(|other| other.is_ok).map(|other| of(other)).collect();
    out.push(format!("last {}", did.last().map_or("none", String::as_str)));
    out.push(format!("last is itself {}", did.last().is_some_and(|last| last == action)));
    out.push(format!("steps {}", did.len().min(8)));
    let before = past.last().map_or_else(|| "none".to_owned(), |other| format!("{} {}", of(other), other.is_ok));
    out.push(format!("before {before}"));
    out.push(format!("error {kind} before {before}"));
    did.sort();
    did.dedup();
    for one in &did {
        out.push(format!("did {one}"));
        out.push(format!("error {kind} did {one}"));
    }
    let habits = label(past);
    if let Some(last) = habits.iter().rev().find(|one| one.fixed_by.is_some()) {
        let (end, via) = last.target();
        let via = via.map_or_else(|| "none".to_owned(), |(tool, head)| format!("{tool}|{head}"));
        out.push(format!("habit {} {via}", end.name()));
        out.push(format!("action {action} habit {} {via}", end.name()));
    } else {
        out.push("habit none".to_owned());
    }
}
