//! What must hold for the blocks of any text, tried on random texts and on long hostile ones.

use crate::chunk::block::{Block, BlockRole};

/// Whether the blocks of this text are in order, whole lines, and hold every line with a letter or digit once.
pub(crate) fn check(text: &str, blocks: &[Block]) {
    let mut last = 0;
    for (index, block) in blocks.iter().enumerate() {
        let std::ops::Range { start, end } = block.range.clone();
        assert!(start < end && end <= text.len(), "empty or outside: {block:?} of {text:?}");
        assert!(index == 0 || start > last, "out of order: {block:?} of {text:?}");
        assert!(start == 0 || text[..start].ends_with('\n'), "starts inside a line: {block:?} of {text:?}");
        let rest = &text[end..];
        assert!(
            rest.is_empty() || rest.starts_with('\n') || rest.starts_with("\r\n"),
            "ends inside a line: {block:?} of {text:?}"
        );
        assert!(
            !(text[start..end].ends_with('\n') || text[..end].ends_with('\r') && rest.starts_with('\n')),
            "ends with an ending: {block:?} of {text:?}"
        );
        if let BlockRole::Heading { level, title } = &block.role {
            assert!(*level >= 1 && !title.trim().is_empty(), "no title: {block:?} of {text:?}");
            assert_eq!(title.trim(), title, "{text:?}");
        }
        last = end;
    }
    let mut at = 0;
    let mut next = blocks.iter().peekable();
    for line in text.split_inclusive('\n') {
        while next.next_if(|block| block.range.end <= at).is_some() {}
        let inside = next.peek().is_some_and(|block| block.range.start <= at && at < block.range.end);
        assert!(inside || !line.contains(char::is_alphanumeric), "lost: {line:?} of {text:?}");
        at += line.len();
    }
}

/// A small seeded generator (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((x ^ (x >> 31)) % limit as u64).unwrap_or(0)
    }
}

/// Whether a reader keeps the properties on random texts made of these lines.
pub(crate) fn holds(read: impl Fn(&str) -> Vec<Block>, fragments: &[&str]) {
    each(|text| check(text, &read(text)), fragments);
}

/// Tries random texts made of these lines, and long hostile ones.
pub(crate) fn each(tried: impl Fn(&str), fragments: &[&str]) {
    const INDENTS: [&str; 8] = ["", "", "", "", "  ", "   ", "\t", "\u{3000}"];
    const ENDINGS: [&str; 8] = ["\n", "\n", "\n", "\n", "\n\n", "\r\n", "\n \n", " \n"];
    const MARKS: [char; 24] = [
        'a', '1', ' ', ' ', '\n', '\n', '=', '-', '.', ':', '*', '`', '[', ']', '|', '+', '\r', '\t', '/', '\\',
        '\u{feff}', 'é', '語', '<',
    ];
    let mut random = Random(7);
    for round in 0..40_000 {
        let mut text = String::from(if round % 50 == 0 { "\u{feff}" } else { "" });
        if round % 4 == 3 {
            (0..random.below(60)).for_each(|_| text.push(MARKS[random.below(MARKS.len())]));
        } else {
            for _ in 0..random.below(16) {
                text.push_str(INDENTS[random.below(INDENTS.len())]);
                text.push_str(fragments[random.below(fragments.len())]);
                text.push_str(ENDINGS[random.below(ENDINGS.len())]);
            }
            if random.below(3) == 0 {
                text.truncate(text.trim_end().len());
            }
        }
        tried(&text);
    }
    hostile(tried, fragments);
}

/// Whether a reader takes long hostile texts in time. A quadratic reader would need hours for these; the limit only
/// has to tell hours from seconds in an unoptimised build on a busy machine.
fn hostile(tried: impl Fn(&str), fragments: &[&str]) {
    const MEGA: usize = 1 << 20;
    let mut texts = vec!["\n".repeat(MEGA), "a".repeat(2 * MEGA), "a\n".repeat(MEGA), " a\n\n".repeat(MEGA / 4)];
    for fragment in fragments {
        texts.push(format!("{fragment}\n").repeat(MEGA / (2 * fragment.len() + 2)));
        texts.push(format!("{fragment}\n\n").repeat(MEGA / (2 * fragment.len() + 2)));
        texts.push(format!("{fragment} ").repeat(MEGA / (2 * fragment.len() + 2)));
        texts.push(format!("{fragment}\n{}", "a\n\n  b\n\n".repeat(MEGA / 16)));
    }
    for mark in ["=", "-", "*", "`", ":", "[", "|", "+", "/"] {
        // Each line longer than the one before: no two are alike.
        texts.push((2..1200).map(|length| format!("{}\n\n", mark.repeat(length))).collect());
        texts.push((2..1200).map(|length| format!("{}\na\n\n", mark.repeat(length))).collect());
        texts.push((2..1200).map(|length| format!("{} {mark}\na\n\n", mark.repeat(length))).collect());
        texts.push(format!("= {}\n====\n", format!("{mark}a ").repeat(MEGA / 8)));
    }
    for text in texts {
        tried(&text);
    }
}
