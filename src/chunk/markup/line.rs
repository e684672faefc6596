//! The lines of a text, read from any line's start, and runs of them.
//!
//! A line is read where it is needed instead of from a list of all lines: fifty million empty lines then cost no
//! memory. The readers move forward only, or look ahead a fixed number of lines, so that the whole stays linear.
//! What a line means in a format is left to that format.

/// One line of a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'a> {
    /// Where it starts, in bytes.
    pub(crate) start: usize,
    /// Where its content ends: before `\n` or `\r\n`.
    pub(crate) end: usize,
    /// Where the next line starts.
    pub(crate) next: usize,
    /// Its content; a byte order mark is not part of it.
    pub(crate) text: &'a str,
}

impl<'a> Line<'a> {
    /// The line that starts at this byte, or none at the end.
    pub(crate) fn at(text: &'a str, start: usize) -> Option<Self> {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let (content, next) = match rest.find('\n') {
            Some(at) => (rest[..at].strip_suffix('\r').unwrap_or(&rest[..at]), start + at + 1),
            None => (rest, text.len()),
        };
        let end = start + content.len();
        let shown = if start == 0 { content.strip_prefix('\u{feff}').unwrap_or(content) } else { content };
        Some(Self { start, end, next, text: shown })
    }

    /// Whether nothing but white space is on it.
    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim_start().is_empty()
    }

    /// How many columns it is indented; a tab goes to the next multiple of eight.
    pub(crate) fn indent(&self) -> usize {
        let mut columns = 0;
        for byte in self.text.bytes() {
            match byte {
                b' ' | 0x0b | 0x0c => columns += 1,
                b'\t' => columns = (columns / 8 + 1) * 8,
                _ => break,
            }
        }
        columns
    }
}

/// Where something that started earlier ends, and where reading goes on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    /// The end of its last line's content.
    pub(crate) end: usize,
    /// The start of the first line that no longer belongs to it.
    pub(crate) next: usize,
}

/// The extent of this line and those after it up to an empty one or one that does not belong.
pub(crate) fn run<'a>(text: &'a str, first: Line<'a>, belongs: impl Fn(&Line<'a>) -> bool) -> Extent {
    let mut extent = Extent { end: first.end, next: first.next };
    while let Some(line) = Line::at(text, extent.next).filter(|line| !line.is_blank() && belongs(line)) {
        extent = Extent { end: line.end, next: line.next };
    }
    extent
}

/// The extent of this line and all that is indented deeper than `base` below it, empty lines between included.
pub(crate) fn indented<'a>(text: &'a str, first: Line<'a>, base: usize) -> Extent {
    let mut extent = Extent { end: first.end, next: first.next };
    while let Some(line) = Line::at(text, extent.next) {
        if !line.is_blank() {
            if line.indent() <= base {
                break;
            }
            extent.end = line.end;
        }
        extent.next = line.next;
    }
    extent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_before_their_ending() {
        let text = "\u{feff}a\r\n\tb\n\nc";
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(line) = Line::at(text, at) {
            found.push((line.text, &text[line.start..line.end], line.indent()));
            at = line.next;
        }
        assert_eq!(found, [("a", "\u{feff}a", 0), ("\tb", "\tb", 8), ("", "", 0), ("c", "c", 0)]);
        assert!(Line::at("", 0).is_none());
    }

    #[test]
    fn what_is_indented_ends_where_it_is_not() {
        let text = "a\n  b\n\n\n c\n\nd\n";
        let Some(first) = Line::at(text, 0) else { panic!("a line") };
        let extent = indented(text, first, 0);
        assert_eq!((&text[..extent.end], &text[extent.next..]), ("a\n  b\n\n\n c", "d\n"));
    }
}
