//! The parts of a chunk that can stand without each other.

use super::block::BlockRole;
use super::{Format, blocks};
use std::ops::Range;

/// What is shorter says too little to stand alone, in bytes.
const LEAST: usize = 120;

/// Paragraphs, lists, tables and listings of a text, in order; what is short, a heading, or announces something belongs
/// to what follows. A text without such parts, as a program is, is one.
pub fn parts(text: &str, format: Format) -> Vec<Range<usize>> {
    let blocks = if matches!(format, Format::Source(_)) { Vec::new() } else { blocks(text, format) };
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    for block in blocks {
        match out.last_mut().filter(|_| open) {
            Some(last) => last.end = block.range.end,
            None => out.push(block.range.clone()),
        }
        let announces = text[block.range].trim_end().ends_with(':') || matches!(block.role, BlockRole::Heading { .. });
        open = announces || out.last().is_some_and(|last| last.len() < LEAST);
    }
    // Nothing follows.
    if open
        && out.len() > 1
        && let Some(last) = out.pop()
        && let Some(before) = out.last_mut()
    {
        before.end = last.end;
    }
    if out.is_empty() {
        out.push(0..text.len());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_announces_and_what_is_short_stays_with_what_follows() {
        let long = "A paragraph that is long enough to say something by itself, because it goes on for more than a \
            line or two, as this one does.";
        let text =
            format!("{long}\n\nFor example:\n\n```rust\nlet x = 1;\n\nlet y = 2;\n```\n\n{long}\n\n- one\n- two\n");
        let found: Vec<&str> = parts(&text, Format::Markdown).into_iter().map(|range| &text[range]).collect();
        let [first, second] = found[..] else { panic!("{found:#?}") };
        assert_eq!(first, long);
        assert!(second.starts_with("For example:") && second.trim_end().ends_with("- two"), "{second}");
        let rust = Format::Source(crate::chunk::Language::of_extension("rs").unwrap());
        let program = parts("fn main() {}\n", rust);
        assert_eq!((program.len(), program[0].clone()), (1, 0..13));
    }
}
