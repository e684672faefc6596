//! A source text to its syntax tree, within bounds.
//!
//! Decides which texts are read by their grammar: those no longer than `SOURCE_BYTES`, which the parser gets through in
//! a number of steps that grows with their length, and of which not too much is an error. Steps are counted, so that
//! the same text is always read the same way. tree-sitter keeps its stacks on the heap: nesting costs steps, no stack.

use super::grammars::{self, Grammar};
use super::language::Language;
use crate::types::limits::{SOURCE_BYTES, SOURCE_BYTES_PER_STEP};
use std::ops::ControlFlow;
use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

/// Steps that any text gets. The parser reports each hundred operations; real code takes a step for some 130 bytes.
const LEAST_STEPS: usize = 2_000;
/// Most brackets that may be open at once. A parser needs memory for each, and nobody writes code that nests so deep.
const MOST_NESTED: usize = 500;
/// A text is read by its grammar only if at most one byte in so many lies in a syntax error.
const BYTES_PER_ERROR: usize = 4;

/// The tree of a text and the grammar that reads it best; `None` if none reads it.
pub(super) fn parse(text: &str, language: Language) -> Option<(Tree, &'static Grammar)> {
    if text.len() > SOURCE_BYTES || nests_deeper(text, MOST_NESTED) {
        return None;
    }
    let mut best: Option<(usize, Tree, &'static Grammar)> = None;
    for grammar in grammars::of(language) {
        let Some(tree) = tree(text, grammar) else { continue };
        let wrong = errors(&tree);
        if best.as_ref().is_none_or(|(least, ..)| wrong < *least) {
            best = Some((wrong, tree, grammar));
        }
        if wrong == 0 {
            break;
        }
    }
    let (wrong, tree, grammar) = best?;
    (wrong <= text.len() / BYTES_PER_ERROR).then_some((tree, grammar))
}

/// Whether more than so many brackets are open at once somewhere, those in strings and comments counted too.
fn nests_deeper(text: &str, most: usize) -> bool {
    let mut open = 0_usize;
    text.bytes().any(|byte| {
        match byte {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        open > most
    })
}

fn tree(text: &str, grammar: &Grammar) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&grammar.language.into()).ok()?;
    let mut steps = LEAST_STEPS + text.len() / SOURCE_BYTES_PER_STEP;
    let mut step = |_: &ParseState| {
        steps = steps.saturating_sub(1);
        if steps == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut step);
    let bytes = text.as_bytes();
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
}

/// Bytes in no known form: those in errors, but not in what was understood within them.
fn errors(tree: &Tree) -> usize {
    let mut cursor = tree.walk();
    let mut above: Vec<bool> = Vec::new();
    let mut wrong = 0_usize;
    loop {
        let node = cursor.node();
        let length = node.byte_range().len();
        if node.is_error() {
            wrong += length;
        }
        if above.last() == Some(&true) && (node.is_error() || node.named_child_count() > 0) {
            wrong = wrong.saturating_sub(length);
        }
        if node.has_error() && cursor.goto_first_child() {
            above.push(node.is_error());
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return wrong;
            }
            above.pop();
        }
    }
}
