//! Where a declaration that is too long for one chunk is best cut: at lines on which a part of its syntax begins, the
//! outermost parts first.

use super::grammars::{Grammar, Meaning};
use super::rows::Rows;
use crate::types::limits::SOURCE_DEPTH;
use tree_sitter::Tree;

/// No border at a row.
pub(super) const NONE: u16 = u16::MAX;

/// For each row the depth of the outermost node that begins on it as the first thing in its line. What a comment or an
/// attribute stands above is not cut from it.
pub(super) fn borders(tree: &Tree, rows: &Rows, grammar: &Grammar) -> Vec<u16> {
    let meanings = grammar.meanings();
    let mut out = vec![NONE; rows.count()];
    let mut hangs = vec![false; rows.count() + 1];
    let mut cursor = tree.walk();
    // The cursor counts its depth anew each time.
    let mut depth = 0_u16;
    loop {
        let node = cursor.node();
        let span = rows.of_range(node.byte_range());
        if node.is_named() && depth > 0 && !node.byte_range().is_empty() && rows.begins(node.start_byte()) {
            out[span.start] = out[span.start].min(depth);
            let meaning = meanings.get(usize::from(node.kind_id()));
            if matches!(meaning, Some(Meaning::Comment | Meaning::Attribute)) {
                hangs[span.end] = true;
            }
        }
        // No other row begins inside of one.
        if span.len() > 1 && usize::from(depth) < SOURCE_DEPTH && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                for (border, hangs) in out.iter_mut().zip(hangs) {
                    *border = if hangs { NONE } else { *border };
                }
                return out;
            }
            depth = depth.saturating_sub(1);
        }
    }
}
