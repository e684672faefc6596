//! Where to cut a declaration that is too long for one chunk: between its statements, the outermost first, into parts
//! of about the same length.

use super::cut::{cut, trimmed};
use super::size::Sizer;
use std::ops::Range;

/// What is shorter than the room by this factor is joined to a neighbour.
const CRUMB: usize = 6;

/// Cuts `range` into stretches of at most `room` tokens, as [`cut`] does, but at `borders` where they lie well: the
/// beginnings of lines, in order, and how deep each is. A stretch between two borders that is too long is cut at lines.
pub(super) fn statements(
    text: &str,
    range: Range<usize>,
    borders: &[(usize, u16)],
    room: usize,
    sizer: &Sizer<'_>,
) -> Vec<Range<usize>> {
    let inside = borders.iter().filter(|(at, _)| range.start < *at && *at < range.end);
    let starts: Vec<(usize, u16)> = std::iter::once((range.start, 0)).chain(inside.copied()).collect();
    if starts.len() == 1 {
        return cut(text, range, room, sizer);
    }
    let end_of = |at: usize| starts.get(at + 1).map_or(range.end, |(next, _)| *next);
    let sizes: Vec<usize> = (0..starts.len()).map(|at| sizer.tokens(&text[starts[at].0..end_of(at)])).collect();
    let mut left: usize = sizes.iter().sum();
    let mut out = Vec::new();
    let mut first = 0;
    while first < sizes.len() {
        let aim = aim(left, room);
        let mut end = last_part(&starts, &sizes, first, aim, room);
        // Tokens need not add up.
        while end > first + 1 && sizer.tokens(&text[starts[first].0..end_of(end - 1)]) > room {
            end -= 1;
        }
        let part = trimmed(text, starts[first].0..end_of(end - 1));
        if sizer.tokens(&text[part.clone()]) > room {
            out.extend(cut(text, part, room, sizer));
        } else if !part.is_empty() {
            out.push(part);
        }
        left = left.saturating_sub(sizes[first..end].iter().sum());
        first = end;
    }
    without_crumbs(text, out, room, sizer)
}

/// Joins what is much shorter than a part may be to the part before it, where both have room in one.
fn without_crumbs(text: &str, parts: Vec<Range<usize>>, room: usize, sizer: &Sizer<'_>) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::with_capacity(parts.len());
    for part in parts {
        let is_crumb = |range: &Range<usize>| sizer.tokens(&text[range.clone()]) * CRUMB < room;
        match out.last_mut().filter(|last| is_crumb(&part) || is_crumb(last)) {
            Some(last) if sizer.tokens(&text[last.start..part.end]) <= room => last.end = part.end,
            _ => out.push(part),
        }
    }
    out
}

/// How long the next of parts of one length is.
fn aim(left: usize, room: usize) -> usize {
    let parts = left.div_ceil(room.max(1)).max(1);
    (left / parts + left / parts / 8 + 1).min(room)
}

/// The number after the last piece of the part that begins with `first`: up to the outermost border in the second half
/// of what it aims at, the last of them if there are several.
fn last_part(starts: &[(usize, u16)], sizes: &[usize], first: usize, aim: usize, room: usize) -> usize {
    let mut tokens = 0;
    // Depth, whether it lies in the second half, and the number after it.
    let mut best: Option<(u16, bool, usize)> = None;
    for (at, size) in sizes.iter().enumerate().skip(first) {
        tokens += size;
        let over = tokens > aim;
        if at > first && (tokens > room || over && best.is_some_and(|(_, well, _)| well)) {
            break;
        }
        let depth = starts.get(at + 1).map_or(0, |(_, depth)| *depth);
        if best.is_none_or(|(least, well, _)| !well || depth <= least) {
            best = Some((depth, tokens * 2 >= aim, at + 1));
        }
        if over {
            break;
        }
    }
    best.map_or(first + 1, |(.., end)| end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Characters;
    use proptest::prelude::*;

    const SIZER: Sizer<'static> = Sizer { counter: &Characters };

    fn parts<'t>(text: &'t str, borders: &[(usize, u16)], room: usize) -> Vec<&'t str> {
        statements(text, 0..text.len(), borders, room, &SIZER).into_iter().map(|part| &text[part]).collect()
    }

    #[test]
    fn parts_end_where_a_statement_does() {
        let inner = "        inner_call(argument, argument);\n".repeat(4);
        let block = format!("    if condition {{\n{inner}    }}\n");
        let text = format!("fn long() {{\n{block}{block}{block}{block}}}\n");
        let mut borders = Vec::new();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            match line.trim_start() {
                said if said.starts_with("if") => borders.push((at, 3)),
                said if said.starts_with("inner") => borders.push((at, 5)),
                _ => {}
            }
            at += line.len();
        }
        let room = SIZER.tokens(&block) * 2 + 15;
        let found = parts(&text, &borders, room);
        assert_eq!(found.len(), 2, "{found:#?}");
        assert!(found[1].starts_with("    if condition"), "{found:#?}");
        // What is too long between two borders is cut at lines.
        assert!(parts(&text, &borders[..1], room / 2).len() > 2);
    }

    proptest! {
        #[test]
        fn all_is_kept_and_nothing_is_too_long(
            lines in prop::collection::vec(("[a-z (){};]{0,60}", 0u16..6, any::<bool>()), 1..60),
            room in 1usize..60,
        ) {
            let (mut text, mut borders) = (String::new(), Vec::new());
            for (line, depth, is_border) in &lines {
                if *is_border {
                    borders.push((text.len(), *depth));
                }
                text.push_str(line);
                text.push('\n');
            }
            let found = statements(&text, 0..text.len(), &borders, room, &SIZER);
            let mut end = 0;
            for part in &found {
                prop_assert!(part.start >= end && part.start < part.end);
                prop_assert!(text[end..part.start].trim().is_empty(), "nothing is lost");
                prop_assert!(SIZER.tokens(&text[part.clone()]) <= room);
                end = part.end;
            }
            prop_assert!(text[end..].trim().is_empty());
        }
    }
}
