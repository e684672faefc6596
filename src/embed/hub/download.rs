//! Gets the bytes of one file: continued where an earlier attempt stopped, tried again when the connection breaks.
//!
//! The part that has arrived stays on disk under its blob's name with `.part`, also when the process ends, so the next
//! pull continues it. Hashing runs along with the download; a continued part is hashed first.

use super::client::{Ask, Client, plain};
use super::retry::{check_status, retrying};
use crate::embed::EmbedError;
use crate::embed::event::PullEvent;
use crate::embed::hash::Hasher;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Downloads `url`, `size` bytes, to `part`; returns the hash. The file is on disk when this returns.
pub(super) fn download(
    client: &Client<'_>,
    url: &str,
    path: &str,
    size: u64,
    part: &Path,
    on: &mut dyn FnMut(PullEvent<'_>),
) -> Result<String, EmbedError> {
    let mut file =
        File::options().create(true).read(true).write(true).truncate(false).open(part).map_err(EmbedError::io(part))?;
    let mut state = State { hasher: Hasher::default(), done: 0 };
    if file.metadata().map_err(EmbedError::io(part))?.len() <= size {
        state.catch_up(&mut file, part)?;
    }
    on(PullEvent::File { path, size: Some(size), done: state.done });
    retrying(client, path, on, |on| state.attempt(client, url, path, size, (&mut file, part), on))?;
    file.sync_all().map_err(EmbedError::io(part))?;
    Ok(state.hasher.hex())
}

/// How far the file is, and the hash of that.
struct State {
    hasher: Hasher,
    done: u64,
}

impl State {
    /// Hashes what an earlier attempt left.
    fn catch_up(&mut self, file: &mut File, part: &Path) -> Result<(), EmbedError> {
        let mut buffer = vec![0; 1 << 18];
        loop {
            match file.read(&mut buffer).map_err(EmbedError::io(part))? {
                0 => return Ok(()),
                n => {
                    self.hasher.update(&buffer[..n]);
                    self.done += n as u64;
                }
            }
        }
    }

    fn restart(&mut self, file: &mut File, part: &Path) -> Result<(), EmbedError> {
        file.set_len(0).map_err(EmbedError::io(part))?;
        *self = Self { hasher: Hasher::default(), done: 0 };
        Ok(())
    }

    fn attempt(
        &mut self,
        client: &Client<'_>,
        url: &str,
        path: &str,
        size: u64,
        (file, part): (&mut File, &Path),
        on: &mut dyn FnMut(PullEvent<'_>),
    ) -> Result<(), EmbedError> {
        if self.done == size && size > 0 {
            return Ok(());
        }
        let mut answer = client.send(url, Ask::Get { from: self.done })?;
        match answer.response.status().as_u16() {
            200 => self.restart(file, part)?, // From the beginning, whether we asked for that or not.
            206 if range_start(answer.header("content-range")) == Some(self.done) => {}
            206 => return Err(EmbedError::HubProtocol { url: url.into(), what: "it sent another range".into() }),
            416 => {
                self.restart(file, part)?;
                return Err(EmbedError::Broken { file: path.into(), why: "the earlier part does not fit".into() });
            }
            _ => check_status(url, &answer, Some(path))?,
        }
        file.seek(SeekFrom::Start(self.done)).map_err(EmbedError::io(part))?;
        file.set_len(self.done).map_err(EmbedError::io(part))?;
        let mut body = answer.response.body_mut().with_config().limit(u64::MAX).reader();
        let mut buffer = vec![0; 1 << 17];
        loop {
            let n = body.read(&mut buffer).map_err(|e| EmbedError::Broken { file: path.into(), why: plain(&e) })?;
            if n == 0 {
                break;
            }
            if self.done + n as u64 > size {
                return Err(EmbedError::WrongSize { file: path.into(), expected: size, got: self.done + n as u64 });
            }
            file.write_all(&buffer[..n]).map_err(EmbedError::io(part))?;
            self.hasher.update(&buffer[..n]);
            self.done += n as u64;
            on(PullEvent::Bytes { done: self.done });
        }
        if self.done == size {
            Ok(())
        } else {
            // The body was whole as the server sees it: another attempt would bring the same.
            Err(EmbedError::WrongSize { file: path.into(), expected: size, got: self.done })
        }
    }
}

/// The first byte of `bytes 10-99/100`.
fn range_start(header: Option<&str>) -> Option<u64> {
    header?.strip_prefix("bytes ")?.split('-').next()?.parse().ok()
}
