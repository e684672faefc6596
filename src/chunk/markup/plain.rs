//! Plain text: paragraphs between empty lines, nothing else.
//!
//! No heading, list or listing is guessed at: a format that says nothing about them is read as it is.

use crate::chunk::block::{Block, BlockRole};
use crate::chunk::markup::line::{Line, run};

/// The paragraphs of a plain text, all [`BlockRole::Text`].
#[must_use]
pub fn plain(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut at = 0;
    while let Some(line) = Line::at(text, at) {
        at = line.next;
        if !line.is_blank() {
            let extent = run(text, line, |_| true);
            blocks.push(Block { range: line.start..extent.end, role: BlockRole::Text });
            at = extent.next;
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::markup::property;

    #[test]
    fn paragraphs_lie_between_empty_lines() {
        let cases: [(&str, &[&str]); 5] = [
            ("", &[]),
            ("\n \t\n\r\n", &[]),
            ("a\nb", &["a\nb"]),
            ("a\r\n\r\n  b\r\nc\r\n", &["a", "  b\r\nc"]),
            ("\u{feff}\n日本\n\u{3000}\nx\n", &["日本", "x"]),
        ];
        for (text, wanted) in cases {
            let found: Vec<&str> = plain(text).iter().map(|block| &text[block.range.clone()]).collect();
            assert_eq!(found, wanted, "{text:?}");
        }
    }

    #[test]
    fn every_line_lies_in_one_block() {
        property::holds(plain, &["a", "b c", "- d", "===="]);
    }
}
