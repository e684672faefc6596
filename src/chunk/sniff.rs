//! How a text is laid out whose name does not say it: by the marks that only one format has. READMEs, manuals and notes
//! are called `.txt` whatever they are written in.

use super::Format;
use super::markup::Line;

/// Lines that are looked at.
const LINES: usize = 2_000;
/// Marks of a format that have to be there.
const ENOUGH: usize = 2;

/// What speaks for each format.
#[derive(Debug, Default)]
struct Marks {
    /// Titles with a row of punctuation below them, which reStructuredText and older AsciiDoc have in common.
    underlined: usize,
    /// Directives and roles.
    restructured_text: usize,
    /// Titles, macros, conditionals and terms.
    asciidoc: usize,
    /// Titles that stand apart, fences and links.
    markdown: usize,
    /// Titles of Markdown among these: lines that begin with `#` may be comments of anything.
    titles: usize,
}

/// The format of a text that is called plain.
pub(super) fn sniff(text: &str) -> Format {
    let mut marks = Marks::default();
    let (mut at, mut seen) = (0, 0);
    let mut before: Option<Line<'_>> = None;
    while let Some(line) = Line::at(text, at).filter(|_| seen < LINES) {
        (at, seen) = (line.next, seen + 1);
        let is_apart = before.is_none_or(|line| line.is_blank());
        let below = Line::at(text, line.next);
        marks.add(line.text, is_apart, below.is_none_or(|line| line.is_blank()));
        if is_apart && below.is_some_and(|row| is_row(row.text, line.text)) {
            marks.underlined += 1;
        }
        before = Some(line);
    }
    marks.format()
}

/// Whether this row stands below such a title: flush, as long as it or nearly so.
fn is_row(row: &str, title: &str) -> bool {
    let (row, title) = (row.trim_end(), title.trim_end());
    let mark = row.bytes().next().filter(|byte| b"=-~^\"*+#".contains(byte));
    let is_one = mark.is_some_and(|mark| row.len() >= 3 && row.bytes().all(|byte| byte == mark));
    let is_title =
        title.starts_with(char::is_alphanumeric) && title.chars().take(row.len() + 2).count() <= row.len() + 1;
    is_one && is_title && row.len() <= title.len() + 4
}

impl Marks {
    fn add(&mut self, line: &str, is_apart: bool, ends: bool) {
        let text = line.trim_end();
        let title = |mark: char| {
            let rest = text.trim_start_matches(mark);
            let level = text.len() - rest.len();
            is_apart && ends && (1..=6).contains(&level) && rest.len() > 1 && rest.starts_with(' ')
        };
        self.asciidoc += usize::from(title('='));
        if title('#') {
            (self.titles, self.markdown) = (self.titles + 1, self.markdown + 1);
        }
        self.markdown += usize::from(text.starts_with("```") || text.contains("](http"));
        let named = text.trim_start().strip_prefix(".. ").and_then(|rest| rest.split_once("::")).map(|(name, _)| name);
        let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_:".contains(c));
        self.restructured_text += usize::from(named.is_some_and(is_name));
        self.restructured_text +=
            usize::from([":ref:`", ":doc:`", ":class:`", ":func:`"].iter().any(|role| text.contains(role)));
        let macros = ["ifdef::", "ifndef::", "include::", "endif::", "image::"];
        self.asciidoc += usize::from(macros.iter().any(|one| text.starts_with(one)) && text.ends_with(']'));
        self.asciidoc += usize::from(text.contains("linkgit:") || text.starts_with("[[") && text.ends_with("]]"));
        self.asciidoc += usize::from(is_apart && text.len() > 2 && text.ends_with("::") && !text.contains(' '));
    }

    fn format(&self) -> Format {
        let Self { underlined, restructured_text, asciidoc, markdown, titles } = *self;
        if restructured_text >= ENOUGH && restructured_text >= asciidoc {
            return Format::RestructuredText;
        }
        if asciidoc >= ENOUGH {
            return Format::AsciiDoc;
        }
        if titles > 0 && markdown >= ENOUGH {
            return Format::Markdown;
        }
        // Titles that both read alike.
        if underlined >= ENOUGH { Format::RestructuredText } else { Format::Plain }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_tell_the_format() {
        for (text, format) in [
            ("git-x(1)\n========\n\nNAME\n----\ngit-x - does\n\n-n::\n\nSee linkgit:git[1].\n", Format::AsciiDoc),
            ("= Title\n\n== One\n\ntext\n", Format::AsciiDoc),
            ("=====\nTitle\n=====\n\n.. setting:: X\n\nSee :ref:`y`.\n", Format::RestructuredText),
            ("Install\n-------\n\nRun it.\n\nUse\n---\n\nUse it.\n", Format::RestructuredText),
            ("# Title\n\nText\n\n## Part\n\nmore\n", Format::Markdown),
            // A header of a table, comments, a log and prose are none.
            ("Name  Age\n----  ---\nann   4\n", Format::Plain),
            ("# pinned\nserde==1\n# also\ntokio==1\n", Format::Plain),
            ("std::sync::Mutex\nerror: x::y\n", Format::Plain),
            ("One paragraph.\n\nAnother one.\n", Format::Plain),
            ("", Format::Plain),
        ] {
            assert_eq!(sniff(text), format, "{text}");
        }
    }
}
