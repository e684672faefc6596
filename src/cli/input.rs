//! What a verb is given to look at: words, a file, or standard input; packed or not.
//!
//! A log is never held as a whole: it is unpacked as it is read, and `text::Log` counts what comes out, so that an
//! archive of a few bytes cannot unpack to more than a log may have.

use super::archive::Archive;
pub(super) use super::archive::Origins;
use super::output::{Failure, Output};
use crate::engine::face::failure::ErrorKind;
use crate::engine::face::system::{self, Links};
use crate::engine::face::text::MAX_INPUT_BYTES;
use crate::render::shown;
use crate::types::limits::LOG_ARCHIVE;
use flate2::read::MultiGzDecoder;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Cursor, IsTerminal, Read, Seek};
use std::path::Path;

/// What a log in a packed file that cannot be read may need.
const PACKED_HINT: &str = "get the file again, or unpack it and give the log itself";

/// How packed files begin.
const ZIP: &[&[u8]] = &[b"PK\x03\x04", b"PK\x05\x06"];
const GZIP: &[u8] = &[0x1f, 0x8b];
/// Bytes that tell whether a file is packed.
const MAGIC_BYTES: u64 = 4;

/// Something to look at, to be read as it comes.
pub(super) struct Input {
    pub reader: Box<dyn Read>,
    /// Which file of an archive a line is of.
    pub origins: Origins,
    is_packed: bool,
}

impl Input {
    fn plain(reader: Box<dyn Read>) -> Self {
        Self { reader, origins: Origins::default(), is_packed: false }
    }

    /// What to tell of a failure to look at it.
    pub fn failure(&self, failure: impl Into<Failure>) -> Failure {
        let mut failure = failure.into();
        if self.is_packed && failure.kind == ErrorKind::Io && failure.hint.is_none() {
            failure.hint = Some(PACKED_HINT.to_owned());
        }
        failure
    }
}

/// The words joined by spaces, or standard input for `-` or when it is piped and no text is given.
pub(super) fn read_words(words: &[OsString], example: &str) -> Result<Vec<u8>, Failure> {
    let mut input = Vec::new();
    // One byte more than is allowed shows that there was more.
    let most = MAX_INPUT_BYTES as u64 + 1;
    let reader: Box<dyn Read> = match joined(words, example)? {
        Some(text) => Box::new(Cursor::new(text)),
        None => Box::new(io::stdin().lock()),
    };
    reader.take(most).read_to_end(&mut input).map_err(|e| Failure::io("standard input", &e))?;
    if input.trim_ascii().is_empty() {
        return Err(Failure::new(ErrorKind::Usage, "there is no question".to_owned(), example));
    }
    Ok(input)
}

/// The log in a file that the only word names; else the words; or standard input. Says which file is read.
pub(super) fn open_log(words: &[OsString], example: &str, output: &Output) -> Result<Input, Failure> {
    if let [word] = words
        && Path::new(word).is_file()
    {
        let name = shown(Path::new(word));
        output.say(&format!("reading the file {name}"));
        return open_file(Path::new(word), output);
    }
    if let [word] = words
        && word != "-"
        && names_a_file(word)
    {
        output.note(&format!("there is no file {}, so these words are looked up", shown(Path::new(word))));
    }
    match joined(words, example)? {
        Some(text) => Ok(Input::plain(Box::new(Cursor::new(text)))),
        None => unpacked_stream(io::stdin().lock(), output),
    }
}

/// Endings of the files that are looked up.
const LOG_ENDINGS: &[&str] = &["log", "txt", "out", "err", "zip", "gz"];

/// Whether a word looks like the name of a log: it has such an ending, and no white space.
fn names_a_file(word: &OsStr) -> bool {
    let ending = Path::new(word).extension().and_then(OsStr::to_str).unwrap_or_default();
    LOG_ENDINGS.contains(&ending) && !word.as_encoded_bytes().iter().any(u8::is_ascii_whitespace)
}

/// The log in a file, or of standard input for `-`; unpacked if it is packed.
pub(super) fn open_file(path: &Path, output: &Output) -> Result<Input, Failure> {
    if path == Path::new("-") {
        return unpacked_stream(io::stdin().lock(), output);
    }
    let name = shown(path);
    let wrong = |error: &io::Error| {
        let mut failure = Failure::io(&name, error);
        failure.hint = Some("name a log that can be read, or pipe it in: `ken lookup - < LOG`".to_owned());
        failure
    };
    let mut file = system::open(path, Links::Follow).map_err(|error| wrong(&error))?;
    let mut magic = Vec::new();
    (&mut file).take(MAGIC_BYTES).read_to_end(&mut magic).and_then(|_| file.rewind()).map_err(|error| wrong(&error))?;
    if magic.is_empty() {
        let hint = "give another log, or the error itself: `ken lookup \"the error\"`";
        return Err(Failure::new(ErrorKind::Usage, format!("{name} is empty"), hint));
    }
    if !is_zip(&magic) {
        return Ok(unzipped(&magic, file));
    }
    let bytes = file.metadata().map_err(|error| wrong(&error))?.len();
    if bytes > LOG_ARCHIVE.bytes {
        return Err(too_large());
    }
    archive::<File>(file, &name, output)
}

/// The same for a stream, of which an archive is held whole: what is in it stands at its end.
fn unpacked_stream(mut from: impl Read + 'static, output: &Output) -> Result<Input, Failure> {
    let failed = |error: io::Error| Failure::io("standard input", &error);
    let mut bytes = Vec::new();
    (&mut from).take(MAGIC_BYTES).read_to_end(&mut bytes).map_err(failed)?;
    if !is_zip(&bytes) {
        let magic = bytes.clone();
        return Ok(unzipped(&magic, Cursor::new(bytes).chain(from)));
    }
    from.take(LOG_ARCHIVE.bytes + 1 - MAGIC_BYTES).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > LOG_ARCHIVE.bytes {
        return Err(too_large());
    }
    archive(Cursor::new(bytes), "the archive", output)
}

fn is_zip(magic: &[u8]) -> bool {
    ZIP.contains(&magic)
}

/// What a stream that begins with `magic` holds: what gzip has packed, or what stands there.
fn unzipped(magic: &[u8], from: impl Read + 'static) -> Input {
    if !magic.starts_with(GZIP) {
        return Input::plain(Box::new(from));
    }
    Input { is_packed: true, ..Input::plain(Box::new(MultiGzDecoder::new(from))) }
}

fn archive<R: Read + Seek + 'static>(from: R, name: &str, output: &Output) -> Result<Input, Failure> {
    let archive = Archive::open(from)?;
    output.say(&format!("reading {} of {name}", archive.summary()));
    let origins = archive.origins();
    Ok(Input { reader: Box::new(archive), origins, is_packed: true })
}

fn too_large() -> Failure {
    let (number, unit) = LOG_ARCHIVE.size();
    let text = format!("{} may have {number} {unit} at most", LOG_ARCHIVE.what);
    Failure::new(ErrorKind::Usage, text, "unpack it and give the log that failed: `ken lookup LOG`")
}

/// The words as one text; none if standard input is meant.
fn joined(words: &[OsString], example: &str) -> Result<Option<Vec<u8>>, Failure> {
    if words.is_empty() && io::stdin().is_terminal() {
        return Err(Failure::new(ErrorKind::Usage, "there is nothing to look for", example));
    }
    if words.is_empty() || matches!(words, [only] if only == "-") {
        return Ok(None);
    }
    Ok(Some(words.iter().map(|word| word.as_encoded_bytes()).collect::<Vec<_>>().join(&b' ')))
}
