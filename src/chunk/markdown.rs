//! What single lines mean in Markdown (CommonMark 0.31): headings and fences.

/// A heading's level, from 1, and its text.
pub(super) fn heading(line: &str) -> Option<(usize, &str)> {
    let trimmed = line.trim_start_matches(' ');
    if line.len() - trimmed.len() > 3 {
        return None;
    }
    let level = trimmed.bytes().take_while(|b| *b == b'#').count();
    let rest = &trimmed[level..];
    if !(1..=6).contains(&level) || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    let text = rest.trim();
    let closed = text.trim_end_matches('#');
    // A closing row of # counts only after a space.
    let text = if closed.is_empty() || closed.ends_with([' ', '\t']) { closed.trim_end() } else { text };
    Some((level, text))
}

/// The level that a line gives to the paragraph above it: `===` is 1, `---` is 2.
pub(super) fn underline(line: &str) -> Option<usize> {
    let text = line.trim();
    let all = |c: char| !text.is_empty() && text.chars().all(|found| found == c);
    match (all('='), all('-')) {
        (true, _) => Some(1),
        (_, true) => Some(2),
        _ => None,
    }
}

/// The mark that opens a fenced block: its character and how often.
pub(super) fn fence(line: &str) -> Option<(char, usize)> {
    let text = line.trim_start();
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let count = text.chars().take_while(|c| *c == mark).count();
    let info = &text[count..];
    (count >= 3 && !(mark == '`' && info.contains('`'))).then_some((mark, count))
}

/// Whether a line closes the block that this mark opened.
pub(super) fn closes(line: &str, (mark, count): (char, usize)) -> bool {
    let text = line.trim();
    text.chars().all(|c| c == mark) && text.chars().count() >= count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_mean_what_they_mean_in_markdown() {
        assert_eq!(heading("## Getting started ##"), Some((2, "Getting started")));
        assert_eq!(heading("# C#"), Some((1, "C#")));
        assert_eq!((heading("#hashtag"), heading("    # code"), heading("####### x")), (None, None, None));
        assert_eq!((underline("===="), underline(" --- "), underline("- x")), (Some(1), Some(2), None));
        assert_eq!(fence("```rust"), Some(('`', 3)));
        assert_eq!(fence("``` `not` "), None);
        assert!(closes("  ```` ", ('`', 3)) && !closes("``", ('`', 3)) && !closes("``` x", ('`', 3)));
    }
}
