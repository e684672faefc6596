//! The process of a server: started in a group of its own, and ended with all of its group.

use super::config::ServerConfig;
use super::metered::{Meter, Metered};
use super::pipes::Pipes;
use crate::engine::face::system::{Group, HAS_GROUPS, as_typed, in_own_group, ourselves};
use crate::engine::face::text::single_line;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::watch;
use tokio::time::timeout;

/// How much of a server's last words is kept, in bytes.
const LAST_WORDS: usize = 2_000;
/// How long to wait for the end of standard error. Another pipe may show earlier that the server has ended.
const STDERR_WAIT: Duration = Duration::from_millis(200);
/// How long a server may take to end by itself.
const GOES: Duration = Duration::from_millis(500);

/// A running server. It ends when this does.
pub(super) struct ServerProcess {
    child: Child,
    /// Its group, which has the number of its leader. A group's number is not given again while one of it lives.
    group: Option<Group>,
    last_words: Arc<Mutex<Vec<u8>>>,
    /// Closed when its standard error has ended.
    stderr_open: watch::Receiver<()>,
}

impl ServerProcess {
    /// Starts a server. `own` is this program: it starts the other, and ends it with all that it has started when we
    /// go. So the group has its number.
    pub(super) fn start(
        own: &Path,
        server: &ServerConfig,
        meter: &Meter,
    ) -> io::Result<(Self, Pipes<Metered<ChildStdout>, ChildStdin>)> {
        let mut command = if HAS_GROUPS {
            let mut holding = ourselves(own);
            holding.args(["gateway", "--hold", &std::process::id().to_string(), "--", &server.command]);
            holding
        } else {
            // Ended by us, the other would not end the server.
            as_typed(server.command.as_ref())
        };
        in_own_group(&mut command);
        let mut command = Command::from(command);
        command.args(&server.args).envs(&server.env);
        if let Some(folder) = &server.cwd {
            command.current_dir(folder);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.kill_on_drop(true);
        let mut child = command.spawn()?;
        let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = (input, output, errors) else {
            return Err(io::Error::other("its pipes could not be had"));
        };
        let last_words = Arc::new(Mutex::new(Vec::new()));
        let (stderr_closes, stderr_open) = watch::channel(());
        let kept = Arc::clone(&last_words);
        tokio::spawn(async {
            listen(errors, kept).await;
            drop(stderr_closes);
        });
        let group = child.id().and_then(Group::of);
        let process = Self { child, group, last_words, stderr_open };
        Ok((process, Pipes::new(Metered { inner: output, meter: meter.clone() }, input)))
    }

    /// Returns the end of the server's standard error as one line. If standard error is still open, waits for at most
    /// [`STDERR_WAIT`] for more.
    pub(super) async fn last_words(&self) -> String {
        drop(timeout(STDERR_WAIT, self.stderr_open.clone().changed()).await);
        let kept = self.last_words.lock().unwrap_or_else(PoisonError::into_inner);
        single_line(&String::from_utf8_lossy(&kept), 300)
    }

    /// Waits a moment for the server to end after its input was closed. Then ends everything that it started.
    pub(super) async fn goes(&mut self) {
        drop(timeout(GOES, self.child.wait()).await);
        self.kill();
    }

    /// Ends the whole group. The leader may have gone already, and those that it started not.
    fn kill(&mut self) {
        // Once: after that the number may be somebody else's.
        if let Some(group) = self.group.take() {
            group.kill();
        }
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Keeps the end of what comes, and reads on to the end: a full pipe would stop the server.
async fn listen(mut from: ChildStderr, kept: Arc<Mutex<Vec<u8>>>) {
    let mut piece = vec![0; 4096];
    while let Ok(count @ 1..) = from.read(&mut piece).await {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&piece[..count]);
        let over = kept.len().saturating_sub(LAST_WORDS);
        kept.drain(..over);
    }
}
