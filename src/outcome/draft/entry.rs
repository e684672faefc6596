//! The entry around a pattern: examples, counterexamples, and what is known of a fix.

use super::generalise::{generalise, telling_line};
use crate::canon::{Entry, PackFile, PackLayer, PackSource, SCHEMA_VERSION, Severity, check};
use crate::error::{Diagnose, ErrorKind};
use crate::outcome::error_kind;
use crate::render::json_line;
use crate::text::{single_line, tokens};
use std::collections::BTreeSet;

/// Examples of an entry, and counterexamples.
const MOST_EXAMPLES: usize = 3;
/// The tag that says that nobody has read an entry yet.
const DRAFT: &str = "draft";
/// Longest step in characters, without what is said of it.
const MAX_STEP: usize = 160;
/// Longest title in characters.
const MAX_TITLE: usize = 72;
/// Most words of an id.
const MOST_WORDS: usize = 6;

/// What made an error go away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What to do, as a sentence without its full stop, a command between backticks.
    pub step: String,
    /// Sessions in which it worked, and in which it was tried.
    pub worked: usize,
    /// Sessions in which it was tried.
    pub tried: usize,
}

/// A drafted entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// The entry, which waits for a person.
    pub entry: Entry,
    /// Its only pattern.
    pub pattern: String,
    /// What the check has to say; none of it an error.
    pub warnings: Vec<String>,
}

/// Why nothing is drafted.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum DraftError {
    /// No instance says anything.
    #[error("no instance of the error holds a line that says something")]
    Silent,
    /// What the instances share says too little, or other errors have it too.
    #[error("what the instances share is in other errors too, or says too little")]
    Vague,
    /// The check refuses it.
    #[error("the draft would not pass the check: {}", .0.join("; "))]
    Refused(Vec<String>),
}

impl Diagnose for DraftError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::CheckFailed
    }

    fn hint(&self) -> Option<String> {
        Some("write the entry by hand with `ken learn`, or wait for more instances".to_owned())
    }
}

/// Drafts an entry of `pack` for the error of which these are instances. `others` are texts of other errors of the same
/// tool, `tool` is who printed it.
///
/// # Errors
/// [`DraftError`] if no pattern tells the instances from the others, or the check would refuse the entry.
pub fn draft(pack: &str, tool: &str, instances: &[&str], others: &[&str], fixes: &[Fix]) -> Result<Draft, DraftError> {
    let lines: Vec<String> = instances.iter().map(|text| telling_line(text)).filter(|line| !line.is_empty()).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let others: Vec<String> = others.iter().map(|text| telling_line(text)).filter(|line| !line.is_empty()).collect();
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    let Some(first) = lines.iter().min() else { return Err(DraftError::Silent) };
    let kind = error_kind(first);
    let pattern = generalise(&lines, &others).ok_or(DraftError::Vague)?;
    let entry = Entry {
        id: format!("{pack}/{}", slug(&kind)),
        title: single_line(first, MAX_TITLE),
        error_patterns: vec![pattern.as_str().into()],
        tags: [DRAFT.to_owned()].into_iter().chain(slug(tool).split('-').map(str::to_owned)).collect(),
        cause: vec!["A draft: a person has to write why this happens.".into()],
        fix: steps(fixes),
        examples: spread(&lines).into_iter().map(Into::into).collect(),
        counterexamples: nearest(first, &others),
        ..Entry::default()
    };
    let file = PackFile {
        schema_version: SCHEMA_VERSION,
        pack: pack.to_owned(),
        title: format!("Drafts of {pack}"),
        entries: vec![entry.clone()],
    };
    let source = PackSource { layer: PackLayer::User, origin: format!("{pack}.json"), text: json_line(&file).into() };
    let (errors, warnings): (Vec<_>, Vec<_>) =
        check(&[source]).into_iter().partition(|finding| finding.severity == Severity::Error);
    if !errors.is_empty() {
        return Err(DraftError::Refused(errors.into_iter().map(|finding| finding.message).collect()));
    }
    Ok(Draft { entry, pattern, warnings: warnings.into_iter().map(|finding| finding.message).collect() })
}

fn steps(fixes: &[Fix]) -> Vec<crate::canon::Step> {
    let step = |fix: &Fix| {
        // A brace would be read as a captured value.
        let mut step = single_line(&fix.step, MAX_STEP).replace(['{', '}'], "");
        if step.matches('`').count() % 2 == 1 {
            step.push('`');
        }
        format!("{step}. Worked in {} of {} sessions.", fix.worked, fix.tried).as_str().into()
    };
    match fixes.is_empty() {
        true => vec!["A draft: no fix is known yet.".into()],
        false => fixes.iter().map(step).collect(),
    }
}

/// The first words of a line as a part of an id, without those that stand for what varies.
fn slug(line: &str) -> String {
    let line: String = line.split('<').map(|part| part.split_once('>').map_or(part, |(_, behind)| behind)).collect();
    let word = |word: &str| word.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let telling = |word: &String| word.len() > 1 && !word.bytes().any(|b| b.is_ascii_digit());
    let words: Vec<String> =
        line.split(|c: char| !c.is_ascii_alphanumeric()).map(word).filter(telling).take(MOST_WORDS).collect();
    if words.is_empty() { "error".to_owned() } else { words.join("-") }
}

/// A few lines that differ.
fn spread<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let distinct: Vec<&str> = lines.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
    let stride = distinct.len().div_ceil(MOST_EXAMPLES).max(1);
    distinct.into_iter().step_by(stride).collect()
}

/// The other errors that have most words of a line.
fn nearest(line: &str, others: &[&str]) -> Vec<String> {
    let words: BTreeSet<String> = tokens(line).into_iter().collect();
    let distinct: BTreeSet<&str> = others.iter().copied().collect();
    let shared = |other: &&str| {
        let other: BTreeSet<String> = tokens(other).into_iter().collect();
        words.intersection(&other).count()
    };
    let mut ranked: Vec<(usize, &str)> = distinct.iter().map(|other| (shared(other), *other)).collect();
    ranked.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    ranked.into_iter().take(MOST_EXAMPLES).map(|(_, other)| other.to_owned()).collect()
}
