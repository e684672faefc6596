//! Bytes to text: UTF-8 with or without byte order mark, UTF-16 with one (PowerShell redirects so), Windows-1252 and
//! with it Latin-1 (old texts of western Europe), and a clear refusal of binary data. Invalid sequences inside
//! otherwise readable text become U+FFFD.

use crate::error::{Diagnose, ErrorKind};
use crate::types::limits;
use std::borrow::Cow;

/// Largest input that is read, in bytes. A log beyond it is asked for in part.
pub const MAX_INPUT_BYTES: usize = limits::LOG.bytes as usize;

/// Why an input could not be read as text.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum DecodeError {
    /// Nothing but white space.
    #[error("the input is empty")]
    Empty,
    /// NUL bytes, or mostly undecodable.
    #[error("the input is binary, not text")]
    Binary,
    /// More than [`MAX_INPUT_BYTES`].
    #[error("the input is larger than {} MiB", MAX_INPUT_BYTES >> 20)]
    TooLarge,
    /// Whatever gives the bytes failed.
    #[error("the input cannot be read: {why}")]
    Unreadable {
        /// What the system says.
        why: String,
    },
}

impl Diagnose for DecodeError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Empty | Self::Binary | Self::TooLarge => ErrorKind::Usage,
            Self::Unreadable { .. } => ErrorKind::Io,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(
            match self {
                Self::Empty => "give the error as arguments, or pipe it in: `make 2>&1 | ken lookup -`",
                Self::Binary => "pass text; for a core or a binary log try: `strings FILE | ken lookup -`",
                Self::TooLarge => "the end of a log usually says what failed: `tail -c 100M LOG | ken lookup -`",
                Self::Unreadable { .. } => return None,
            }
            .to_owned(),
        )
    }
}

/// Decodes an input. Logs are read piece by piece elsewhere (`text::log`), to the same text.
///
/// # Errors
/// [`DecodeError`] when there is no text in it.
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, DecodeError> {
    read(bytes, String::from_utf8_lossy)
}

/// Decodes a file that is to be indexed: as [`decode`] does, and Windows-1252 where it looks like that.
///
/// # Errors
/// As [`decode`].
pub fn decode_file(bytes: &[u8]) -> Result<Cow<'_, str>, DecodeError> {
    read(bytes, |rest| western(rest).map_or_else(|| String::from_utf8_lossy(rest), Cow::Owned))
}

fn read<'b>(bytes: &'b [u8], damaged: impl Fn(&'b [u8]) -> Cow<'b, str>) -> Result<Cow<'b, str>, DecodeError> {
    if bytes.len() > MAX_INPUT_BYTES {
        return Err(DecodeError::TooLarge);
    }
    // What is no text is not copied as a whole to find that out; each character has four bytes at most.
    if bytes.len() > HEAD * 8 && !matches!(bytes, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]) {
        Readable::default().see(&String::from_utf8_lossy(&bytes[..HEAD * 8]))?;
    }
    let text = match bytes {
        [0xFF, 0xFE, rest @ ..] => Cow::Owned(utf16(rest, u16::from_le_bytes)),
        [0xFE, 0xFF, rest @ ..] => Cow::Owned(utf16(rest, u16::from_be_bytes)),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => damaged(bytes),
        },
    };
    let mut readable = Readable::default();
    readable.see(&text)?;
    readable.judge()?;
    if text.trim().is_empty() {
        return Err(DecodeError::Empty);
    }
    Ok(with_line_feeds(text))
}

/// A text whose lines end as those of an old Mac do, with a carriage return alone, has line feeds in their place: every
/// reader knows those, no word is joined with the next, and every place in the text stays where it is.
fn with_line_feeds(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.contains('\r') && !text.contains('\n') { Cow::Owned(text.replace('\r', "\n")) } else { text }
}

/// A text in Windows-1252 has at least so many letters beyond ASCII. Fewer may be damage.
const WESTERN_LETTERS: usize = 3;

/// The characters of the bytes from 0x80 to 0x9F in Windows-1252; five of them mean nothing. The others are Latin-1.
const WINDOWS_1252: &[char; 32] = &[
    '€', '\u{FFFD}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{FFFD}', 'Ž', '\u{FFFD}', '\u{FFFD}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{FFFD}', 'ž', 'Ÿ',
];

/// Reads a text as Windows-1252. `None` if it does not look like that: it holds UTF-8, or most of its bytes beyond
/// ASCII are no letters next to ASCII letters, as in other encodings and in damaged texts. Quotation marks and dashes
/// do not count.
fn western(bytes: &[u8]) -> Option<String> {
    if bytes.utf8_chunks().any(|chunk| !chunk.valid().is_ascii()) {
        return None;
    }
    let read = |byte: u8| match byte {
        0x80..=0x9F => WINDOWS_1252[usize::from(byte - 0x80)],
        _ => char::from(byte),
    };
    let letter = |at: Option<&u8>| at.is_some_and(u8::is_ascii_alphabetic);
    let (mut letters, mut others) = (0, 0);
    for (at, byte) in bytes.iter().enumerate().filter(|(_, byte)| !byte.is_ascii()) {
        if matches!(byte, 0x80..=0x9F) && !matches!(read(*byte), char::REPLACEMENT_CHARACTER) {
            continue;
        }
        let within = letter(bytes.get(at + 1)) || letter(at.checked_sub(1).and_then(|before| bytes.get(before)));
        if read(*byte).is_alphabetic() && within { letters += 1 } else { others += 1 }
    }
    (letters >= WESTERN_LETTERS && letters >= 2 * others).then(|| bytes.iter().map(|byte| read(*byte)).collect())
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.as_chunks::<2>().0.iter().map(|pair| unit(*pair));
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Characters that decide whether an input is text.
const HEAD: usize = 64 << 10;

/// Whether an input is text. A NUL never stands in a log; of replacement and control characters a damaged log holds
/// few. The head decides.
#[derive(Debug, Default)]
pub(super) struct Readable {
    seen: usize,
    odd: usize,
}

impl Readable {
    /// Looks at the next part of the input.
    pub(super) fn see(&mut self, text: &str) -> Result<(), DecodeError> {
        for c in text.chars().take(HEAD - self.seen) {
            if c == '\0' {
                return Err(DecodeError::Binary);
            }
            self.seen += 1;
            let harmless = matches!(c, '\n' | '\r' | '\t' | '\x1b' | '\x08' | '\x07' | '\x0c');
            self.odd += usize::from(c == '\u{FFFD}' || (c.is_control() && !harmless));
        }
        if self.seen == HEAD { self.judge() } else { Ok(()) }
    }

    /// Decides by what has been seen.
    pub(super) fn judge(&self) -> Result<(), DecodeError> {
        if self.odd * 5 > self.seen { Err(DecodeError::Binary) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_utf8_utf16_and_damaged_text() {
        assert_eq!(decode("\u{FEFF}größe".as_bytes()).unwrap(), "größe");
        let wide: Vec<u8> =
            [0xFF, 0xFE].into_iter().chain("fehler ü".encode_utf16().flat_map(u16::to_le_bytes)).collect();
        assert_eq!(decode(&wide).unwrap(), "fehler ü");
        assert_eq!(
            decode(b"error: \xFFbad byte in a long enough line").unwrap(),
            "error: \u{FFFD}bad byte in a long enough line"
        );
    }

    #[test]
    fn old_western_texts_are_read() {
        let text = b"F\xFCr die Gr\xF6\xDFe der \x84Datei\x93 gilt: h\xF6chstens 3 \x80.";
        assert_eq!(decode_file(text).unwrap(), "Für die Größe der „Datei“ gilt: höchstens 3 €.");
        // Cyrillic in Windows-1251, UTF-8 with a byte that is damaged, and one odd byte.
        for text in [
            &b"\xCF\xF0\xE8\xE2\xE5\xF2 all of you who read this text"[..],
            b"gr\xC3\xB6\xC3\x9Fer, k\xC3\xBCrzer, sp\xE4ter und fr\xFCher als \xFCblich",
            b"error: caf\xE9 is not UTF-8",
        ] {
            assert!(decode_file(text).unwrap().contains('\u{FFFD}'));
        }
        assert_eq!(decode_file("größer".as_bytes()), decode("größer".as_bytes()));
    }

    #[test]
    fn lines_of_an_old_file_are_lines() {
        assert_eq!(decode(b"one\rtwo\r\rthree").unwrap(), "one\ntwo\n\nthree");
        assert_eq!(decode(b"10%\r100%\ndone\r\n").unwrap(), "10%\r100%\ndone\r\n");
    }

    #[test]
    fn refuses_what_is_no_text() {
        assert_eq!(decode(b" \n\t"), Err(DecodeError::Empty));
        assert_eq!(decode(b"\x7fELF\0\0"), Err(DecodeError::Binary));
        assert_eq!(decode(&[0x91; 100]), Err(DecodeError::Binary));
    }
}
