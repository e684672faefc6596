//! Labelled lookups: a text and the entries that answer it, or none.

use crate::error::{Diagnose, ErrorKind};
use serde::Deserialize;

/// What a case tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseKind {
    /// A message as a tool printed it.
    Message,
    /// Longer output with the error inside.
    Log,
    /// The trouble in somebody's own words.
    Paraphrase,
    /// To be met with silence.
    Unanswerable,
    /// Output in which a cause and what it brought about both match: the cause is to come first.
    Chain,
}

/// One labelled lookup.
#[derive(Debug, Clone, Deserialize)]
pub struct Case {
    /// Stable id.
    pub id: String,
    /// What it tests.
    pub kind: CaseKind,
    /// The tool it is about.
    pub domain: String,
    /// What is looked up.
    pub text: String,
    /// What is really wrong, for the person who labels.
    #[serde(default)]
    pub about: String,
    /// Where it was found.
    #[serde(default)]
    pub source: String,
    /// A short name of the cause, the same for cases of one cause.
    #[serde(default)]
    pub topic: String,
    /// The sort of an unanswerable case.
    #[serde(default)]
    pub class: String,
    /// Entries that answer it; any of them first is right.
    #[serde(default)]
    pub expect: Vec<String>,
    /// Whether it serves to check alone: no calibration and no entry was made with it.
    #[serde(default)]
    pub held_back: bool,
}

/// A line that is no case.
#[derive(Debug, thiserror::Error)]
#[error("{file}, line {line}: {source}")]
pub struct CaseError {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What the parser says.
    pub source: serde_json::Error,
}

impl Diagnose for CaseError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Damaged
    }
}

/// Reads JSON lines; empty lines are skipped.
///
/// # Errors
/// [`CaseError`] at the first line that is no case.
pub fn parse_cases(file: &str, text: &str) -> Result<Vec<Case>, CaseError> {
    parse_lines(file, text)
}

fn parse_lines<T: for<'de> Deserialize<'de>>(file: &str, text: &str) -> Result<Vec<T>, CaseError> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            serde_json::from_str(line).map_err(|source| CaseError { file: file.to_owned(), line: at + 1, source })
        })
        .collect()
}

/// The cases that ship with the program.
///
/// # Errors
/// [`CaseError`]; a test proves that there is none.
pub fn builtin_cases() -> Result<Vec<Case>, CaseError> {
    let mut out = parse_cases("messages.jsonl", include_str!("../../tests/lookup/messages.jsonl"))?;
    out.extend(parse_cases("paraphrases.jsonl", include_str!("../../tests/lookup/paraphrases.jsonl"))?);
    out.extend(parse_cases("unanswerable.jsonl", include_str!("../../tests/lookup/unanswerable.jsonl"))?);
    Ok(out)
}

/// One output of the table of causes and consequences.
#[derive(Deserialize)]
struct Chain {
    text: String,
    cause: Vec<String>,
    #[serde(rename = "consequence")]
    _consequence: Vec<String>,
}

/// Outputs in which the patterns of a cause and of what it brought about both match. They are made of the entries' own
/// examples: they measure the order of answers and nothing else.
///
/// # Errors
/// [`CaseError`]; a test proves that there is none.
pub fn chain_cases() -> Result<Vec<Case>, CaseError> {
    let chains: Vec<Chain> = parse_lines("chains.jsonl", include_str!("../../tests/causes/chains.jsonl"))?;
    let case = |(at, chain): (usize, Chain)| Case {
        id: format!("chain-{:03}", at + 1),
        kind: CaseKind::Chain,
        domain: chain.cause.first().and_then(|id| id.split('/').next()).unwrap_or_default().to_owned(),
        text: chain.text,
        about: String::new(),
        source: String::new(),
        topic: String::new(),
        class: String::new(),
        expect: chain.cause,
        held_back: false,
    };
    Ok(chains.into_iter().enumerate().map(case).collect())
}
