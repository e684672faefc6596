//! POSIX shell, Bash and their relatives. Variables are no declarations: they stand in the text between the functions.

use super::{Grammar, Shape, named};
use std::sync::OnceLock;

pub(super) static BASH: Grammar = Grammar {
    language: tree_sitter_bash::LANGUAGE,
    rules: &[named("function_definition", Shape::Callable, "function")],
    comments: &["comment"],
    attributes: &[],
    noise: &[],
    bodies: &["if_statement", "for_statement", "while_statement", "case_statement", "subshell"],
    meanings: OnceLock::new(),
};
