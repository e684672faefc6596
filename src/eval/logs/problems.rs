//! How well problems are read out of what tools print: labelled outputs, precision and recall of file and line.

use crate::eval::retrieval::BenchError;
use crate::eval::retrieval::source::{bad, lines, read};
use crate::triage::{Problem, problems};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

const LAYOUT: &str = "a set of outputs is a file of JSON lines; see `ken bench problems --help`";
const OUTPUT: &str =
    r#"a line is {"id": "tool", "input": "...", "problems": [{"file": "a.c", "line": 3, "message": "..."}]}"#;

/// What a tool printed, and the problems in it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct LabelledOutput {
    /// The tool.
    pub id: String,
    /// What it printed.
    pub input: String,
    /// The problems that it tells of.
    pub problems: Vec<LabelledProblem>,
}

/// A problem as somebody marked it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct LabelledProblem {
    /// The file; one without is not counted.
    pub file: Option<String>,
    /// The line.
    #[serde(default)]
    pub line: Option<u32>,
    /// The message.
    #[serde(default)]
    pub message: Option<String>,
}

/// How many problems were found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct ProblemFigures {
    /// Problems that are marked, with a file.
    pub marked: usize,
    /// Problems that were read.
    pub read: usize,
    /// Of these with file and line as marked, each marked one once.
    pub right: usize,
    /// Of these with the message as well: one holds the other, but for white space.
    pub worded: usize,
    /// Share of the read ones that are right.
    pub precision: f64,
    /// Share of the marked ones that were read.
    pub recall: f64,
}

/// What was read of one output, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OutputProblems {
    /// The tool.
    pub id: String,
    /// The figures.
    #[serde(flatten)]
    pub figures: ProblemFigures,
    /// Marked problems that were not read, as `file:line`.
    pub missed: Vec<String>,
    /// What was read and is not marked, as `file:line`.
    pub wrong: Vec<String>,
}

/// Reads a set of outputs.
///
/// # Errors
/// [`BenchError`] with the line for what is not of the layout.
pub fn read_outputs(path: &Path) -> Result<Vec<LabelledOutput>, BenchError> {
    let text = read(path, LAYOUT)?;
    let parse = |(number, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| bad(path, number, OUTPUT)(&error.to_string()))
    };
    lines(&text).map(parse).collect()
}

/// Reads the problems of each output and compares them with the marked ones; first all together.
pub fn measure_problems(outputs: &[LabelledOutput]) -> (ProblemFigures, Vec<OutputProblems>) {
    let each: Vec<OutputProblems> = outputs.iter().map(measure).collect();
    let mut all = ProblemFigures::default();
    for one in &each {
        all.marked += one.figures.marked;
        all.read += one.figures.read;
        all.right += one.figures.right;
        all.worded += one.figures.worded;
    }
    (shares(all), each)
}

fn measure(output: &LabelledOutput) -> OutputProblems {
    let mut open: BTreeMap<(&str, Option<u32>), Vec<&LabelledProblem>> = BTreeMap::new();
    let mut figures = ProblemFigures::default();
    for one in &output.problems {
        let Some(file) = &one.file else { continue };
        open.entry((file, one.line)).or_default().push(one);
        figures.marked += 1;
    }
    let found = problems(&output.input);
    let mut wrong = Vec::new();
    for one in &found {
        figures.read += 1;
        match open.get_mut(&(one.file.as_str(), one.line)) {
            Some(marked) if !marked.is_empty() => {
                let same = marked.iter().position(|marked| is_worded(one, marked));
                marked.remove(same.unwrap_or(0));
                figures.right += 1;
                figures.worded += usize::from(same.is_some());
            }
            _ => wrong.push(place(&one.file, one.line)),
        }
    }
    let left = open.into_iter().flat_map(|((file, line), left)| left.into_iter().map(move |_| place(file, line)));
    OutputProblems { id: output.id.clone(), figures: shares(figures), missed: left.collect(), wrong }
}

fn is_worded(found: &Problem, marked: &LabelledProblem) -> bool {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (found, marked) = (plain(&found.message), plain(marked.message.as_deref().unwrap_or_default()));
    !found.is_empty() && (marked.contains(&found) || found.contains(&marked))
}

fn place(file: &str, line: Option<u32>) -> String {
    line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"))
}

fn shares(of: ProblemFigures) -> ProblemFigures {
    let share = |all: usize| if all == 0 { 1.0 } else { of.right as f64 / all as f64 };
    ProblemFigures { precision: share(of.read), recall: share(of.marked), ..of }
}
