//! Whether a file still holds what was taken from it, and where: looked at whenever a text is to be cited. A file is
//! read as it was when it was cut, so that the two can be compared byte by byte.

use crate::chunk::FileLines;
use crate::text::decode_file;
use crate::types::{Span, Standing};
use std::cell::RefCell;
use std::collections::HashMap;
use std::io::ErrorKind;
use std::ops::Range;
use std::rc::Rc;

use super::cutting::reading;
use super::walk::{means_gone, read};

/// Files as they are now, each read once.
#[derive(Default)]
pub struct Provenance {
    files: RefCell<HashMap<String, File>>,
}

/// A file as it is now.
#[derive(Clone)]
enum File {
    /// What there is to read of it, and where in the file that is.
    Text(Rc<str>, FileLines),
    /// It is not there, is no document or holds no text.
    Gone,
    /// It may well be there, but nobody can say what it holds.
    Unreadable,
}

impl File {
    fn read(path: &str) -> Self {
        match read(path) {
            Ok(bytes) => decode_file(&bytes).map_or(Self::Gone, |text| {
                let read = reading(path, &text);
                Self::Text(Rc::from(read.text.as_ref()), read.lines)
            }),
            Err(error) if means_gone(&error) => Self::Gone,
            Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::FileTooLarge) => Self::Gone,
            Err(_) => Self::Unreadable,
        }
    }
}

impl Provenance {
    /// What there is to read of a file as it is now; `None` if it is gone, no text or cannot be read.
    pub fn text(&self, path: &str) -> Option<Rc<str>> {
        match self.file(path) {
            File::Text(text, _) => Some(text),
            File::Gone | File::Unreadable => None,
        }
    }

    /// The lines of a file in which a stretch of its reading begins and ends, from 1.
    pub fn lines(&self, path: &str, stretch: Range<usize>) -> Option<(usize, usize)> {
        let File::Text(text, in_file) = self.file(path) else { return None };
        let first = 1 + lines(text.get(..stretch.start)?);
        let last = first + lines(text.get(stretch)?.trim_end_matches('\n'));
        Some((in_file.of(first), in_file.of(last)))
    }

    /// The lines around a stretch of a file's reading, `count` before and behind it, and the line of the file that the
    /// first of all begins in.
    pub fn around(&self, path: &str, stretch: Range<usize>, count: usize) -> Option<(usize, Vec<String>, Vec<String>)> {
        let File::Text(text, in_file) = self.file(path) else { return None };
        let (before, behind) = (text.get(..stretch.start)?, text.get(stretch.end..)?);
        let owned = |line: &str| line.trim_end_matches('\r').to_owned();
        // What stands before it on its own line belongs to it.
        let whole = &before[..before.rfind('\n').map_or(0, |at| at + 1)];
        let mut above: Vec<String> = whole.lines().rev().take(count).map(owned).collect();
        above.reverse();
        let below = behind.split_once('\n').map_or("", |(_, below)| below);
        let below: Vec<String> = below.lines().take(count).map(owned).collect();
        Some((in_file.of(1 + lines(whole) - above.len()), above, below))
    }

    fn file(&self, path: &str) -> File {
        self.files.borrow_mut().entry(path.to_owned()).or_insert_with(|| File::read(path)).clone()
    }

    /// How a text stands to the file that it was taken from, and where it is now. Of several places the nearest to the
    /// old one counts. What cannot be read counts as changed: it cannot be cited, and is not known to be gone.
    pub fn check(&self, path: &str, body: &str, span: Option<Span>) -> (Standing, Option<Span>) {
        let (now, in_file) = match self.file(path) {
            File::Text(now, lines) => (now, lines),
            File::Gone => return (Standing::Gone, None),
            File::Unreadable => return (Standing::Changed, None),
        };
        let at = |start: usize| {
            let line_start = 1 + lines(&now[..start]);
            let line_end = line_start + lines(body);
            let (line_start, line_end) = (in_file.of(line_start), in_file.of(line_end));
            Span { byte_start: start, byte_end: start + body.len(), line_start, line_end }
        };
        let old = span.map_or(0, |span| span.byte_start);
        let stays = now.get(old..).is_some_and(|rest| rest.starts_with(body));
        let found = if stays { Some(old) } else { nearest(&now, body, old) };
        match found.map(at) {
            Some(here) if Some(here) == span => (Standing::Fresh, Some(here)),
            Some(here) => (Standing::Moved, Some(here)),
            None => (Standing::Changed, None),
        }
    }
}

fn lines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

/// The place of `body` that is nearest to `old`. A place within a line counts only if nothing else does: a text that
/// was cut at lines stands at the beginning of one.
fn nearest(text: &str, body: &str, old: usize) -> Option<usize> {
    let whole = |at: &usize| {
        let end = at + body.len();
        (*at == 0 || text.as_bytes()[at - 1] == b'\n')
            && (end == text.len() || matches!(text.as_bytes()[end], b'\n' | b'\r'))
    };
    let places = || text.match_indices(body).map(|(at, _)| at);
    places().filter(whole).min_by_key(|at| at.abs_diff(old)).or_else(|| places().min_by_key(|at| at.abs_diff(old)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Edit, move, rename, delete: what is said of the second of three paragraphs.
    #[test]
    fn verdicts_follow_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap().join("a.md");
        let name = path.to_str().unwrap();
        let span = Span { byte_start: 5, byte_end: 10, line_start: 3, line_end: 4 };
        let moved = |byte_start: usize, line_start: usize| {
            Some(Span { byte_start, byte_end: byte_start + 5, line_start, line_end: line_start + 1 })
        };
        let cases = [
            ("one\n\nab\ncd\n\nxyz", Standing::Fresh, Some(span)),
            ("One\n\nab\ncd", Standing::Fresh, Some(span)),
            // As many bytes before it, and one line more.
            ("o\ne\n\nab\ncd"[..].trim_end(), Standing::Moved, moved(5, 4)),
            ("new\n\none\n\nab\ncd\n", Standing::Moved, moved(10, 5)),
            ("ab\ncd\n", Standing::Moved, moved(0, 1)),
            // Twice: the nearer one.
            ("ab\ncd\n\nthree four\nfive\nab\ncd\n", Standing::Moved, moved(0, 1)),
            ("one\n\nab\nce\n", Standing::Changed, None),
            ("", Standing::Gone, None),
        ];
        for (text, standing, place) in cases {
            fs::write(&path, text).unwrap();
            assert_eq!(Provenance::default().check(name, "ab\ncd", Some(span)), (standing, place), "{text:?}");
        }
        fs::remove_file(&path).unwrap();
        assert_eq!(Provenance::default().check(name, "ab\ncd", Some(span)), (Standing::Gone, None));
        // Locked, for whoever runs this: a link to itself.
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&path, &path).unwrap();
            assert_eq!(Provenance::default().check(name, "ab\ncd", Some(span)), (Standing::Changed, None));
        }
    }
}
