//! Finds what a source file declares: doc comments with the signatures below them, to be indexed one by one.
//!
//! Decides by simple rules per language what a declaration is, where its block begins (its first comment line or
//! attribute) and ends (its signature; its short body if the fields are the documentation). A signature or kept body
//! has at most 40 lines, a comment is never cut. A file's own comment has the empty path. It parses nothing: a text
//! that its compiler would refuse gives blocks too, and macros, generated code and private helpers without a comment
//! give none. Leaves it to others what language a file is in, what to do with the code between the blocks, and how a
//! block is cut that is too long.
//!
//! `mask`, `strings` and `literals` tell code from comments and strings by the tables in `lexis`; `code` has the lines
//! and `comments` what hangs on them; `braces`, `indents`, `python` and `statements` walk them; `words`, `fields`,
//! `type_first` and `script` recognise declarations by the tables in `grammars`; `outline` keeps what is worth it. A
//! language that differs in words only is a table in `grammars`.
//!
//! Invariants: blocks are whole lines, in order, apart from each other; the time is linear in the text.

mod braces;
mod code;
mod comments;
mod fields;
mod grammars;
mod indents;
mod language;
mod lexis;
mod literals;
mod mask;
mod outline;
mod python;
mod script;
mod statements;
mod strings;
#[cfg(test)]
mod tests;
mod type_first;
mod words;

pub use language::Language;

use crate::chunk::block::Block;
use code::Code;
use outline::{Declaration, Place};
use words::Words;

/// Says what is declared at a position, given the innermost scope's name and place.
type Recognise = fn(&Code, usize, &str, Place, &Words) -> Option<Declaration>;

/// How the scopes of a language are told.
#[derive(Clone, Copy)]
enum Scopes {
    Braces(Recognise),
    Indents(Recognise),
    Statements(Recognise),
    Python,
}

/// Finds the declarations of a source text and the comments that document them, in order.
///
/// All blocks are declarations; the file's own comment is one with an empty path.
#[must_use]
pub fn declarations(text: &str, language: Language) -> Vec<Block> {
    let grammar = grammars::of(language);
    let code = Code::new(text, &grammar.lexis);
    match grammar.scopes {
        Scopes::Braces(recognise) => braces::walk(&code, &grammar.words, recognise),
        Scopes::Indents(recognise) => indents::walk(&code, &grammar.words, recognise),
        Scopes::Statements(recognise) => statements::walk(&code, &grammar.words, recognise),
        Scopes::Python => python::walk(&code),
    }
}
