//! What every JSON object of ours has beside its value: the version of its layout, and how long it took.

use super::json::json_line;
use crate::types::{Answer, Finding};
use serde::Serialize;

/// Version of all layouts; fields are only ever added.
const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct Versioned<'a, T: Serialize> {
    schema_version: u32,
    #[serde(flatten)]
    value: &'a T,
}

#[derive(Serialize)]
struct AnswerObject<'a> {
    schema_version: u32,
    errors_found: usize,
    errors_shown: usize,
    took_ms: f64,
    results: &'a [Finding],
}

impl<'a> AnswerObject<'a> {
    fn new(answer: &'a Answer, took_ms: f64) -> Self {
        let Answer { errors_found, errors_shown, results } = answer;
        let (errors_found, errors_shown) = (*errors_found, *errors_shown);
        Self { schema_version: SCHEMA_VERSION, errors_found, errors_shown, took_ms, results }
    }
}

/// An object with the version of its layout, on one line.
pub fn json_object(value: &impl Serialize) -> String {
    json_line(&Versioned { schema_version: SCHEMA_VERSION, value })
}

/// An answer of a service, with what should be known beside it: the notes, which the command line prints to standard
/// error.
pub fn served_json(answer: &Answer, took_ms: f64, notes: &[String]) -> String {
    #[derive(Serialize)]
    struct Served<'a> {
        #[serde(flatten)]
        answer: AnswerObject<'a>,
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        notes: &'a [String],
    }
    json_line(&Served { answer: AnswerObject::new(answer, took_ms), notes })
}

/// An answer that took so many milliseconds, on one line.
pub fn answer_json(answer: &Answer, took_ms: f64) -> String {
    json_line(&AnswerObject::new(answer, took_ms))
}
