//! A zip file of logs, as build systems offer it for download. Its logs are read one after the other, as one log.
//!
//! GitHub Actions puts a log of each job at the top (`0_build.txt`) and the same text again, step by step, into a
//! folder for each job (`build/2_Run tests.txt`): the logs of jobs are read if there are any, else the steps in the
//! order of their numbers. Nothing is written to disk, so no name in an archive leads anywhere.

use super::output::Failure;
use crate::engine::face::failure::ErrorKind;
use crate::render::line;
use crate::types::limits::LOG_ARCHIVE_FILES;
use flate2::Crc;
use flate2::read::DeflateDecoder;
use std::cell::RefCell;
use std::io::{self, Read, Seek, SeekFrom, Take};
use std::rc::Rc;
use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

/// How names of logs end.
const ENDINGS: &[&str] = &["txt", "log", "out", "err"];
/// Names that are told.
const MAX_TOLD: usize = 5;

/// A log in an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Member {
    name: String,
    /// Where its bytes begin.
    start: u64,
    /// How many there are, packed.
    packed_bytes: u64,
    is_deflated: bool,
    crc: u32,
}

/// The logs of an archive as one text. Each begins a line.
pub(super) struct Archive<R> {
    /// Those to come, the next one last.
    to_come: Vec<Member>,
    names: Vec<String>,
    /// The archive, while no log of it is being read.
    idle: Option<R>,
    current: Option<Unpacking<R>>,
    /// Line feeds so far.
    lines: usize,
    /// The last byte that was given.
    last: u8,
    origins: Origins,
}

/// Which file each line is of.
#[derive(Debug, Clone, Default)]
pub(super) struct Origins(Rc<RefCell<Vec<(usize, String)>>>);

impl Origins {
    /// The file that holds a line, and the line's number in it; none if the input is one file.
    pub fn of(&self, number: usize) -> Option<(String, usize)> {
        let starts = self.0.borrow();
        let (first, name) = starts.iter().rev().find(|(first, _)| *first <= number)?;
        (starts.len() > 1).then(|| (name.clone(), number - first + 1))
    }
}

enum Unpacking<R> {
    Deflated(Box<DeflateDecoder<Take<R>>>, Crc, Member),
    Stored(Take<R>, Crc, Member),
}

impl<R: Read + Seek> Archive<R> {
    /// Finds the logs in an archive.
    pub fn open(mut from: R) -> Result<Self, Failure> {
        // Before the names are held: a small archive may list a million.
        let files = entries(&mut from).map_err(|error| Failure::io("the archive", &error))?;
        if files > LOG_ARCHIVE_FILES {
            let text = format!("an archive of logs may hold {LOG_ARCHIVE_FILES} files at most");
            return Err(Failure::new(
                ErrorKind::Usage,
                text,
                "unpack it and give the log that failed: `ken lookup LOG`",
            ));
        }
        let mut zip = ZipArchive::new(from).map_err(|error| failure(&error))?;
        let mut members = Vec::new();
        for (index, name) in logs(&zip) {
            members.push(member(&mut zip, index, name)?);
        }
        if members.is_empty() {
            let hint = "logs are the files whose names end in .txt, .log, .out or .err; give another one by its name";
            return Err(Failure::new(ErrorKind::Usage, "there is no log in the archive", hint));
        }
        let names = members.iter().map(|member| member.name.clone()).collect();
        members.reverse();
        let (idle, origins) = (Some(zip.into_inner()), Origins::default());
        Ok(Self { to_come: members, names, idle, current: None, lines: 0, last: b'\n', origins })
    }

    /// How many logs it has and what they are called.
    pub fn summary(&self) -> String {
        let told: Vec<String> = self.names.iter().take(MAX_TOLD).map(|name| line(name).into_owned()).collect();
        let more = if self.names.len() > MAX_TOLD { ", ..." } else { "" };
        let logs = if self.names.len() == 1 { "log" } else { "logs" };
        format!("{} {logs} ({}{more})", self.names.len(), told.join(", "))
    }

    /// Tells which file a line is of, as far as it has been read.
    pub fn origins(&self) -> Origins {
        self.origins.clone()
    }

    /// Goes on to the next log; false if there is none.
    fn begin_next(&mut self) -> io::Result<bool> {
        let (Some(member), Some(mut from)) = (self.to_come.pop(), self.idle.take()) else { return Ok(false) };
        self.origins.0.borrow_mut().push((self.lines + 1, member.name.clone()));
        from.seek(SeekFrom::Start(member.start))?;
        let packed = from.take(member.packed_bytes);
        self.current = Some(match member.is_deflated {
            true => Unpacking::Deflated(Box::new(DeflateDecoder::new(packed)), Crc::new(), member),
            false => Unpacking::Stored(packed, Crc::new(), member),
        });
        Ok(true)
    }
}

impl<R: Read> Unpacking<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let (count, crc, member) = match self {
            Self::Deflated(from, crc, member) => (from.read(out), crc, member),
            Self::Stored(from, crc, member) => (from.read(out), crc, member),
        };
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, format!("{} is damaged", line(&member.name)));
        let count = count.map_err(|_| damaged())?;
        crc.update(&out[..count]);
        if count == 0 && !out.is_empty() && crc.sum() != member.crc {
            return Err(damaged());
        }
        Ok(count)
    }

    fn into_inner(self) -> R {
        match self {
            Self::Deflated(from, ..) => from.into_inner().into_inner(),
            Self::Stored(from, ..) => from.into_inner(),
        }
    }
}

impl<R: Read + Seek> Read for Archive<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            if self.current.is_none() {
                // A log begins a line whatever the one before ended with.
                if self.last != b'\n' {
                    (out[0], self.last) = (b'\n', b'\n');
                    self.lines += 1;
                    return Ok(1);
                }
                if !self.begin_next()? {
                    return Ok(0);
                }
            }
            let Some(mut current) = self.current.take() else { return Ok(0) };
            match current.read(out)? {
                0 => self.idle = Some(current.into_inner()),
                count => {
                    self.current = Some(current);
                    self.last = out[count - 1];
                    self.lines += out[..count].iter().filter(|byte| **byte == b'\n').count();
                    return Ok(count);
                }
            }
        }
    }
}

/// At least as many as an archive has entries, or one more than it may have: how often the mark of an entry of its
/// list stands in it.
fn entries(from: &mut (impl Read + Seek)) -> io::Result<usize> {
    const MARK: &[u8] = b"PK\x01\x02";
    from.rewind()?;
    let (mut block, mut filled, mut count) = (vec![0; 64 << 10], 0, 0);
    while count <= LOG_ARCHIVE_FILES {
        let read = from.read(&mut block[filled..])?;
        if read == 0 {
            break;
        }
        filled += read;
        count += block[..filled].windows(MARK.len()).filter(|four| *four == MARK).count();
        // A mark may lie across two blocks; one that was counted is longer than what is kept.
        let kept = filled.min(MARK.len() - 1);
        block.copy_within(filled - kept..filled, 0);
        filled = kept;
    }
    from.rewind()?;
    Ok(count)
}

/// Which files of an archive are read, in order: the index of each and its name.
fn logs<R: Read + Seek>(zip: &ZipArchive<R>) -> Vec<(usize, String)> {
    let named = |at: usize| Some((at, zip.name_for_index(at)?.ok()?.into_owned()));
    let ending = |name: &str| name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let is_log = |(_, name): &(usize, String)| {
        let hidden = name.split('/').any(|part| part.starts_with('.') || part == "__MACOSX");
        !hidden && ending(name).is_some_and(|ending| ENDINGS.contains(&&*ending))
    };
    let mut all: Vec<(usize, String)> = (0..zip.len()).filter_map(named).filter(is_log).collect();
    let is_job = |name: &str| !name.contains('/') && number(name).is_some();
    if all.iter().any(|(_, name)| is_job(name)) {
        all.retain(|(_, name)| is_job(name));
    }
    let is_step = |name: &str| name.rsplit('/').next().and_then(number).is_some();
    // What the runner says of itself stands beside the steps (`system.txt`), and is about no failure of theirs.
    if all.iter().any(|(_, name)| is_step(name)) {
        all.retain(|(_, name)| is_step(name));
    }
    all.sort_by_cached_key(|(_, name)| {
        let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
        (folder.to_owned(), number(file), file.to_owned())
    });
    all
}

/// The number that the name of a step or job begins with.
fn number(name: &str) -> Option<u64> {
    let (number, _) = name.split_once('_')?;
    number.bytes().all(|byte| byte.is_ascii_digit()).then(|| number.parse().ok()).flatten()
}

fn member<R: Read + Seek>(zip: &mut ZipArchive<R>, index: usize, name: String) -> Result<Member, Failure> {
    let file = zip.by_index_raw(index).map_err(|error| failure(&error))?;
    if file.encrypted() {
        let text = format!("{} in the archive is encrypted", line(&name));
        return Err(Failure::new(ErrorKind::Usage, text, "unpack it: `unzip -p ARCHIVE | ken lookup -`"));
    }
    let is_deflated = file.compression() == CompressionMethod::Deflated;
    if !is_deflated && file.compression() != CompressionMethod::Stored {
        let text = format!("{} in the archive is packed with {}", line(&name), file.compression());
        return Err(Failure::new(ErrorKind::Usage, text, "unpack it: `unzip -p ARCHIVE | ken lookup -`"));
    }
    let unknown = || Failure::new(ErrorKind::Io, "the archive is damaged", "download it again");
    let start = file.data_start().ok_or_else(unknown)?;
    Ok(Member { start, packed_bytes: file.compressed_size(), is_deflated, crc: file.crc32(), name })
}

fn failure(error: &ZipError) -> Failure {
    match error {
        ZipError::Io(error) if error.kind() != io::ErrorKind::UnexpectedEof => Failure::io("the archive", error),
        _ => Failure::new(
            ErrorKind::Io,
            format!("the archive is damaged: {error}"),
            "download it again, or unpack it and give the log itself",
        ),
    }
}
