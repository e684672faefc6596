//! A log of any length, read as it comes and handed on in pieces of whole lines.
//!
//! What is held in memory is one piece, whatever the input's length. A log of up to [`PIECE_BYTES`] is one piece, so
//! everything that is said about it is said about the whole; a longer one is cut where nothing is likely to be torn
//! apart. Of a line that nobody can read, [`LINE_BYTES`] are kept, half from its beginning and half from its end, and
//! the log says how many lines were shortened. Of what a carriage return overprints only the last stays, as on a
//! screen; where there is no line feed at all, carriage returns end lines.

use super::clean::{Cleaned, clean_from};
use super::decode::{DecodeError, MAX_INPUT_BYTES, Readable};
use super::repeats::Repeats;
use crate::types::limits::{LOG_LINE_BYTES as LINE_BYTES, LOG_PIECE_BYTES as PIECE_BYTES, LOG_PIECE_LINES};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::Read;

/// Bytes that are asked of the input at once.
const BLOCK_BYTES: usize = 1 << 20;
/// Lines at the end of a piece among which a good place to cut is looked for.
const CUT_LINES: usize = 100;
/// What stands for the middle of a line that was shortened.
const GAP: &str = " … ";

/// A log that is being read.
pub struct Log<'a> {
    decoder: Decoder<'a>,
    readable: Readable,
    /// Whether anything but white space has come.
    filled: bool,
    /// Text from before it is known what ends a line.
    undecided: Option<String>,
    lines: Lines,
    /// Number of the first line of the next piece.
    number: usize,
    pieces: usize,
    ended: bool,
    repeats: Repeats,
}

/// Some lines of a log.
#[derive(Debug)]
pub struct Piece {
    /// The lines, cleaned.
    pub cleaned: Cleaned,
    /// Which part of the log they are.
    pub part: Part,
}

/// Which part of a log a piece is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Whole,
    /// The end of it.
    Last,
    /// Another one: something follows.
    Other,
}

impl<'a> Log<'a> {
    /// Reads from `from`, and not before a piece is asked for.
    pub fn new(from: &'a mut dyn Read) -> Self {
        Self {
            decoder: Decoder { from, encoding: None, bytes: Vec::new(), used: 0, total: 0, ended: false },
            readable: Readable::default(),
            filled: false,
            undecided: Some(String::new()),
            lines: Lines::default(),
            number: 1,
            pieces: 0,
            ended: false,
            repeats: Repeats::default(),
        }
    }

    /// The next piece, `None` at the end.
    ///
    /// # Errors
    /// [`DecodeError`] when there is no text in the input, when it is too long, or when it cannot be read.
    pub fn next_piece(&mut self) -> Result<Option<Piece>, DecodeError> {
        while !self.ended && !self.lines.is_full() {
            let Some(text) = self.decoder.next()? else {
                self.end()?;
                break;
            };
            self.readable.see(&text)?;
            self.filled = self.filled || !text.trim().is_empty();
            match &mut self.undecided {
                None => self.lines.push(&text),
                Some(before) => {
                    before.push_str(&text);
                    if before.len() > PIECE_BYTES || text.contains('\n') {
                        self.decide();
                    }
                }
            }
        }
        let Some(text) = self.lines.take(self.ended) else { return Ok(None) };
        let first = self.number;
        self.number += text.bytes().filter(|byte| *byte == b'\n').count();
        self.pieces += 1;
        let part = match self.ended {
            true if self.pieces == 1 => Part::Whole,
            true => Part::Last,
            false => Part::Other,
        };
        Ok(Some(Piece { cleaned: clean_from(&text, first), part }))
    }

    /// A piece of a long log without the lines that say what a thousand others have said; a whole log as it is.
    pub fn without_repeats(&mut self, piece: Piece) -> Piece {
        if piece.part == Part::Whole { piece } else { Piece { cleaned: self.repeats.thin(piece.cleaned), ..piece } }
    }

    /// Lines that were passed over because they repeat others.
    pub fn passed_over(&self) -> usize {
        self.repeats.passed_over
    }

    /// Lines of which the middle was left out.
    pub fn shortened(&self) -> usize {
        self.lines.shortened
    }

    fn decide(&mut self) {
        let Some(before) = self.undecided.take() else { return };
        // A file of an old Mac or a progress log: carriage returns alone end its lines.
        self.lines.returns_end = !before.contains('\n');
        self.lines.push(&before);
    }

    fn end(&mut self) -> Result<(), DecodeError> {
        self.ended = true;
        self.readable.judge()?;
        if !self.filled {
            return Err(DecodeError::Empty);
        }
        self.decide();
        self.lines.end_line(false);
        Ok(())
    }
}

/// The beginning and the end of a text, in all at most so many bytes; all of one that is no longer.
pub fn ends(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    const BETWEEN: &str = "\n…\n";
    let half = most.saturating_sub(BETWEEN.len()) / 2;
    let head = &text[..text.floor_char_boundary(half)];
    let tail = &text[text.ceil_char_boundary(text.len() - half)..];
    Cow::Owned([head, BETWEEN, tail].concat())
}

/// Text as it comes, cut into lines of a bounded length.
#[derive(Debug, Default)]
struct Lines {
    /// Whole lines, each ended by a line feed.
    text: String,
    count: usize,
    /// What has come of the line that is not ended yet.
    line: Shortened,
    /// What a carriage return made way for, if there is anything.
    overprinted: Option<Shortened>,
    returns_end: bool,
    shortened: usize,
}

impl Lines {
    fn is_full(&self) -> bool {
        self.text.len() > PIECE_BYTES || self.count > LOG_PIECE_LINES
    }

    fn push(&mut self, text: &str) {
        let mut rest = text;
        while let Some(end) = rest.find('\n') {
            self.push_part(&rest[..end], true);
            rest = &rest[end + 1..];
        }
        self.push_part(rest, false);
    }

    /// Takes what stands in one line; it `ends` there or goes on.
    fn push_part(&mut self, text: &str, ends: bool) {
        // At the end of a line they overprint nothing.
        let text = if ends && !self.returns_end { text.trim_end_matches('\r') } else { text };
        // The usual line needs no second copy.
        if ends
            && text.len() <= LINE_BYTES
            && self.line.is_empty()
            && self.overprinted.is_none()
            && !text.contains('\r')
        {
            self.text.push_str(text);
            self.text.push('\n');
            self.count += 1;
            return;
        }
        let mut parts = text.split('\r');
        if let Some(first) = parts.next() {
            self.line.push(first);
        }
        for part in parts {
            if self.returns_end {
                self.end_line(true);
            } else if !self.line.is_blank() {
                self.overprinted = Some(std::mem::take(&mut self.line));
            } else {
                self.line = Shortened::default();
            }
            self.line.push(part);
        }
        if ends {
            self.end_line(true);
        }
    }

    /// Ends a line; at the end of the input there need not be one.
    fn end_line(&mut self, ended: bool) {
        let overprinted = self.overprinted.take();
        let mut line = std::mem::take(&mut self.line);
        if line.is_blank() {
            line = overprinted.unwrap_or(line);
        }
        if ended || !line.is_empty() {
            self.shortened += usize::from(line.write(&mut self.text));
            self.text.push('\n');
            self.count += 1;
        }
    }

    /// The lines so far; those at the end that belong together stay for the next piece, unless this is the last.
    fn take(&mut self, last: bool) -> Option<String> {
        if self.text.is_empty() {
            return None;
        }
        let cut = if last { self.text.len() } else { good_cut(&self.text) };
        let rest = self.text[cut..].to_owned();
        let mut piece = std::mem::replace(&mut self.text, rest);
        piece.truncate(cut);
        self.count = self.text.bytes().filter(|byte| *byte == b'\n').count();
        Some(piece)
    }
}

/// Where a text is best cut, near its end: before a line that follows an empty one, else before one that is not set in.
fn good_cut(text: &str) -> usize {
    let mut fallback = None;
    let mut end = text.len();
    for _ in 0..CUT_LINES {
        // `end` is behind a line feed; the line before it begins at `start`.
        let Some(start) = text[..end.saturating_sub(1)].rfind('\n').map(|at| at + 1) else { break };
        let line = &text[start..end];
        if line.trim().is_empty() {
            return end;
        }
        if fallback.is_none() && line.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '[') {
            fallback = Some(start);
        }
        end = start;
    }
    fallback.filter(|at| *at > 0).unwrap_or(text.len())
}

/// A line of which at most [`LINE_BYTES`] are kept.
#[derive(Debug, Default)]
struct Shortened {
    head: String,
    /// What came after the head; longer than half a line only for a while.
    tail: VecDeque<u8>,
    dropped: bool,
}

impl Shortened {
    const HALF: usize = LINE_BYTES / 2;

    fn push(&mut self, text: &str) {
        let room = Self::HALF - self.head.len().min(Self::HALF);
        // Once something is in the tail, everything goes there.
        let at = if self.tail.is_empty() { text.floor_char_boundary(room) } else { 0 };
        self.head.push_str(&text[..at]);
        let mut rest = &text.as_bytes()[at..];
        if rest.len() > LINE_BYTES {
            rest = &rest[rest.len() - LINE_BYTES..];
            self.dropped = true;
        }
        self.tail.extend(rest);
        if self.tail.len() > LINE_BYTES {
            self.dropped = true;
            self.tail.drain(..self.tail.len() - Self::HALF);
        }
    }

    fn is_empty(&self) -> bool {
        self.head.is_empty() && self.tail.is_empty()
    }

    fn is_blank(&self) -> bool {
        self.head.trim().is_empty() && self.tail.iter().all(u8::is_ascii_whitespace)
    }

    /// Appends what is kept; says whether something was left out.
    fn write(mut self, out: &mut String) -> bool {
        out.push_str(&self.head);
        let tail = self.tail.make_contiguous();
        let over = tail.len().saturating_sub(Self::HALF);
        let dropped = self.dropped || over > 0;
        // The first bytes may be the end of a character whose beginning is gone.
        let from = (over..tail.len()).find(|at| tail[*at] & 0xC0 != 0x80).unwrap_or(tail.len());
        if dropped {
            out.push_str(GAP);
        }
        out.push_str(&String::from_utf8_lossy(&tail[if dropped { from } else { 0 }..]));
        dropped
    }
}

#[derive(Clone, Copy)]
enum Encoding {
    Utf8,
    Utf16(fn([u8; 2]) -> u16),
}

/// Text out of bytes, block by block; no character is torn apart.
struct Decoder<'a> {
    from: &'a mut dyn Read,
    encoding: Option<Encoding>,
    bytes: Vec<u8>,
    /// Bytes of the block that have been handed on.
    used: usize,
    total: usize,
    ended: bool,
}

impl Decoder<'_> {
    fn next(&mut self) -> Result<Option<Cow<'_, str>>, DecodeError> {
        self.bytes.drain(..self.used);
        self.used = 0;
        while !self.ended && self.bytes.len() < BLOCK_BYTES {
            let wanted = (BLOCK_BYTES - self.bytes.len()) as u64;
            let read = self.from.take(wanted).read_to_end(&mut self.bytes);
            let read = read.map_err(|error| DecodeError::Unreadable { why: error.to_string() })?;
            self.total += read;
            self.ended = read == 0;
            if self.total > MAX_INPUT_BYTES {
                return Err(DecodeError::TooLarge);
            }
        }
        let encoding = *self.encoding.get_or_insert_with(|| {
            let (encoding, mark) = match self.bytes.as_slice() {
                [0xFF, 0xFE, ..] => (Encoding::Utf16(u16::from_le_bytes), 2),
                [0xFE, 0xFF, ..] => (Encoding::Utf16(u16::from_be_bytes), 2),
                [0xEF, 0xBB, 0xBF, ..] => (Encoding::Utf8, 3),
                _ => (Encoding::Utf8, 0),
            };
            self.bytes.drain(..mark);
            encoding
        });
        if self.bytes.is_empty() {
            return Ok(None);
        }
        let text = match encoding {
            Encoding::Utf8 => {
                self.used = if self.ended { self.bytes.len() } else { whole_characters(&self.bytes) };
                String::from_utf8_lossy(&self.bytes[..self.used])
            }
            Encoding::Utf16(unit) => {
                let mut pairs = self.bytes.as_chunks::<2>().0;
                // The first half of a surrogate pair waits for the second.
                if let ([rest @ .., last], false) = (pairs, self.ended)
                    && (0xD800..0xDC00).contains(&unit(*last))
                {
                    pairs = rest;
                }
                self.used = if self.ended { self.bytes.len() } else { pairs.len() * 2 };
                let units = pairs.iter().map(|pair| unit(*pair));
                char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect::<String>().into()
            }
        };
        Ok(Some(text))
    }
}

/// Bytes up to a character at the end that is not there as a whole.
fn whole_characters(bytes: &[u8]) -> usize {
    for back in 1..=3.min(bytes.len()) {
        let at = bytes.len() - back;
        let width = match bytes[at] {
            0xC0..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF7 => 4,
            0x80..=0xBF => continue,
            _ => 1,
        };
        return if width > back { at } else { bytes.len() };
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::super::clean::clean;
    use super::super::decode::decode;
    use super::*;
    use proptest::prelude::*;

    /// Gives a few bytes at a time.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            let count = self.1.min(self.0.len()).min(out.len());
            out[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn pieces(mut bytes: &[u8]) -> Result<(Vec<Piece>, usize), DecodeError> {
        let mut log = Log::new(&mut bytes);
        let mut all = Vec::new();
        while let Some(piece) = log.next_piece()? {
            all.push(piece);
        }
        Ok((all, log.shortened()))
    }

    #[test]
    fn a_line_that_nobody_can_read_keeps_its_beginning_and_its_end() {
        for length in [LINE_BYTES, LINE_BYTES + 1, LINE_BYTES * 40] {
            let line = format!("first{}last", "é".repeat((length - 9) / 2));
            let (all, shortened) = pieces(format!("a\n{line}\nb\n").as_bytes()).unwrap();
            let cleaned = &all[0].cleaned;
            assert_eq!((all.len(), cleaned.lines.len(), cleaned.lines[2].number), (1, 3, 3));
            if line.len() <= LINE_BYTES {
                assert_eq!((cleaned.line(1), shortened), (line.as_str(), 0));
            } else {
                assert!(cleaned.line(1).len() <= LINE_BYTES + GAP.len());
                assert!(cleaned.line(1).starts_with("firsté") && cleaned.line(1).ends_with("élast"));
                assert!(cleaned.line(1).contains(&format!("é{GAP}é")), "words are not joined");
                assert_eq!(shortened, 1);
            }
        }
    }

    #[test]
    fn a_long_text_keeps_its_ends() {
        assert_eq!(ends("größe", 7), "größe");
        assert_eq!(ends("größer", 7), "g\n…\nr");
    }

    #[test]
    fn a_long_log_comes_in_pieces_that_number_their_lines() {
        let block = "2024-01-01 00:00:00 INFO x\n\nerror: it broke\n  for a reason\n";
        let times = PIECE_BYTES / block.len() * 2 + 5;
        let (all, _) = pieces(block.repeat(times).as_bytes()).unwrap();
        assert!(all.len() > 2 && all.iter().all(|piece| piece.part != Part::Whole));
        assert!(all.iter().rev().skip(1).all(|piece| piece.part == Part::Other));
        assert_eq!(all.last().unwrap().part, Part::Last);
        let mut number = 0;
        for piece in &all {
            assert!(piece.cleaned.text.len() <= PIECE_BYTES + BLOCK_BYTES + LINE_BYTES);
            assert!(!piece.cleaned.line(0).starts_with("  "), "detail stays with what it belongs to");
            for line in &piece.cleaned.lines {
                assert!(line.number == number + 1 || piece.cleaned.lines[0] == *line, "{} after {number}", line.number);
                number = line.number;
            }
        }
        assert_eq!(number, times * 4);
        // Lines that hold nothing need room too.
        let (all, _) = pieces(&b"\n".repeat(3 << 20).iter().chain(b"x").copied().collect::<Vec<_>>()).unwrap();
        assert!(all.len() > 1);
        assert_eq!(all.last().unwrap().cleaned.lines.last().unwrap().number, (3 << 20) + 1);
    }

    #[test]
    fn progress_is_overprinted_and_an_old_file_has_lines() {
        let (all, shortened) = pieces(format!("start\n{}100%\r\nend", "10%\r".repeat(1 << 20)).as_bytes()).unwrap();
        assert_eq!((all[0].cleaned.text.as_str(), shortened), ("start\n100%\nend\n", 0));
        let (all, _) = pieces(b"error: one\rtwo\r\rthree").unwrap();
        assert_eq!(all[0].cleaned.text, "error: one\ntwo\n\nthree\n");
    }

    #[test]
    fn what_is_no_text_is_refused() {
        let refused = |bytes: &[u8]| pieces(bytes).unwrap_err();
        assert_eq!(refused(b""), DecodeError::Empty);
        assert_eq!(refused(" \u{a0}\r\n".repeat(1 << 20).as_bytes()), DecodeError::Empty);
        assert_eq!(refused(b"\x7fELF\0\0"), DecodeError::Binary);
        assert_eq!(refused(&[0x91; 3 << 20]), DecodeError::Binary);
        let mut endless = std::io::repeat(b'a');
        let mut log = Log::new(&mut endless);
        assert_eq!(log.next_piece().unwrap_err(), DecodeError::TooLarge);
    }

    #[test]
    fn characters_are_whole_however_they_come() {
        let text = "größe 日本 😀 ".repeat(BLOCK_BYTES / 8);
        let wide: Vec<u8> = [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
        for bytes in [text.as_bytes(), &wide] {
            for step in [1 << 14, 65_537] {
                let mut slow = Slow(bytes, step);
                let mut log = Log::new(&mut slow);
                let mut out = String::new();
                while let Some(part) = log.decoder.next().unwrap() {
                    out.push_str(&part);
                }
                assert!(out == text, "{step}");
            }
        }
    }

    proptest! {
        /// The referee has the whole text in memory.
        #[test]
        fn a_short_log_is_one_piece_as_it_was(text in "([ -~]{0,9}|é|\u{a0}|[ \n\r\t]|\r\n|\x1b\\[31m|2024-01-01 00:00:00 ){0,40}") {
            match (pieces(text.as_bytes()), decode(text.as_bytes())) {
                (Ok((all, 0)), Ok(whole)) => {
                    prop_assert!(all.len() == 1 && all[0].part == Part::Whole);
                    prop_assert_eq!(&all[0].cleaned, &clean(&whole));
                }
                (Err(one), Err(other)) => prop_assert_eq!(one, other),
                other => prop_assert!(false, "{:?}", other),
            }
        }

        #[test]
        fn damaged_bytes_are_read_alike(
            bytes in prop::collection::vec(prop_oneof![9 => 32u8..127, 1 => any::<u8>()], 1..200),
        ) {
            match (pieces(&bytes), decode(&bytes)) {
                (Ok((all, _)), Ok(whole)) => prop_assert_eq!(&all[0].cleaned, &clean(&whole)),
                (Err(one), Err(other)) => prop_assert_eq!(one, other),
                other => prop_assert!(false, "{:?}", other),
            }
        }
    }
}
