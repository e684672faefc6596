//! Waits until something below watched folders has changed, and then until it has come to rest.
//!
//! Decides only when it is time to look: what has changed is found by looking, as in any indexing, so that a notice
//! that is lost or says too much does no harm. notify knows how each system tells.

use super::IngestError;
use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long nothing must have changed, and how long that is waited for.
const REST: Duration = Duration::from_millis(400);
const REST_TIMEOUT: Duration = Duration::from_secs(10);

/// Folders and files that are watched.
pub struct Watch {
    /// Ends the watching when it is dropped.
    _watcher: RecommendedWatcher,
    heard: Receiver<()>,
}

impl Watch {
    /// Watches `paths`, but for what lies below `except`: what an indexing writes itself.
    ///
    /// # Errors
    /// [`IngestError::Watch`] when the system cannot watch one of them.
    pub fn new(paths: &[PathBuf], except: Vec<PathBuf>) -> Result<Self, IngestError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error: notify::Error| IngestError::Watch { path, what: error.to_string() }
        };
        let (tell, heard) = channel();
        let matters = move |path: &PathBuf| {
            let inner = path.components().any(|part| part.as_os_str() == ".git");
            !inner && !except.iter().any(|folder| path.starts_with(folder))
        };
        // It starts a thread of its own, and says nothing where that is refused.
        crate::threads::can_start(1)
            .map_err(|error| IngestError::Watch { path: Path::new(".").to_owned(), what: error.to_string() })?;
        let heard_of = move |event: notify::Result<Event>| {
            // Notices that were lost are a reason to look, too.
            let matters = event.map_or(true, |event| {
                !matches!(event.kind, EventKind::Access(_))
                    && (event.paths.is_empty() || event.paths.iter().any(&matters))
            });
            if matters {
                // Nobody listens when the watch has ended.
                let _ = tell.send(());
            }
        };
        // What is not indexed need not be watched: a link may lead to the whole disk.
        let how = Config::default().with_follow_symlinks(false);
        let mut watcher = RecommendedWatcher::new(heard_of, how).map_err(failed(Path::new(".")))?;
        for path in paths {
            watcher.watch(path, RecursiveMode::Recursive).map_err(failed(path))?;
        }
        Ok(Self { _watcher: watcher, heard })
    }

    /// Waits for a change to come to rest; `false` if none ever will.
    pub fn wait(&self) -> bool {
        if self.heard.recv().is_err() {
            return false;
        }
        let since = Instant::now();
        // Somebody who never rests is looked at now and then.
        while since.elapsed() < REST_TIMEOUT {
            match self.heard.recv_timeout(REST) {
                Ok(()) => {}
                Err(RecvTimeoutError::Timeout) => return true,
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
        true
    }
}
