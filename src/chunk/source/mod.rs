//! Cuts a source file by its syntax: every declaration is a block of its documentation, signature and body, under the
//! names of what it stands in.
//!
//! `parse` makes the syntax tree within bounds of size, steps and errors. `walk` finds in it what is declared, by the
//! tables in `grammars`; `name` reads how it is called. `rows` gives each line of the file to the innermost
//! declaration that it stands in, `outline` makes blocks of them: small neighbours are one block, a class is its
//! documentation and fields with its methods apart, and what lies between declarations is kept where it says
//! something. `borders` says where a block that is too long is cut. A text that its grammar cannot read, or whose
//! grammar is not built in, is cut as plain text.
//!
//! Left out are imports, licences above all code, and lines without words (closing brackets). Whatever is declared is
//! named in the path or the text of a block.
//!
//! Invariants: blocks are whole lines, in order, apart from each other; nothing here recurses, so no nesting
//! overflows the stack. A language is a table in `grammars`.

mod borders;
mod comments;
mod grammars;
mod language;
mod name;
mod outline;
mod parse;
mod rows;
#[cfg(test)]
mod tests;
mod walk;

pub use language::Language;

use super::block::Block;
use super::markup;

/// The blocks of a source text, in order.
#[must_use]
pub fn declarations(text: &str, language: Language) -> Vec<Block> {
    let Some((tree, grammar)) = parse::parse(text, language) else { return markup::plain(text) };
    let rows = rows::Rows::new(text);
    let found = walk::walk(&tree, text, &rows, grammar);
    let borders = borders::borders(&tree, &rows, grammar);
    outline::blocks(&rows, found, &borders)
}
