//! The pipes of a server that was started by a command: a message is a line.
//!
//! A line that is too long is skipped and not kept. If it answers a call, the call fails as soon as that is known, and
//! the server goes on.

use super::messages::{Answered, MESSAGE, message, too_long};
use crate::render::json;
use rmcp::service::{RoleClient, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

/// A line that is being skipped.
#[derive(Default)]
struct Skipped {
    answered: Answered,
    /// Whether the call that it answers was told.
    is_told: bool,
}

/// Both ends of a server's pipes.
pub(super) struct Pipes<R, W> {
    from: BufReader<R>,
    line: Vec<u8>,
    longest: usize,
    skipped: Option<Skipped>,
    to: Arc<Mutex<Option<W>>>,
}

impl<R: AsyncRead + Unpin, W> Pipes<R, W> {
    /// Of a server's output and its input.
    pub(super) fn new(from: R, to: W) -> Self {
        let to = Arc::new(Mutex::new(Some(to)));
        Self { from: BufReader::new(from), line: Vec::new(), longest: MESSAGE, skipped: None, to }
    }

    /// Takes a piece of a line, with its end if `is_end`; gives the message that is known by it.
    fn take(&mut self, piece: &[u8], is_end: bool) -> Option<RxJsonRpcMessage<RoleClient>> {
        if self.skipped.is_none() && self.line.len() + piece.len() > self.longest {
            let mut skipped = Skipped::default();
            skipped.answered.take(&std::mem::take(&mut self.line));
            self.skipped = Some(skipped);
        }
        let Some(skipped) = &mut self.skipped else {
            self.line.extend_from_slice(piece);
            let read = is_end.then(|| message(&self.line)).flatten();
            if is_end {
                self.line.clear();
            }
            return read;
        };
        let answered = skipped.answered.take(piece).filter(|_| !skipped.is_told);
        skipped.is_told |= answered.is_some();
        if is_end {
            self.skipped = None;
        }
        answered.map(too_long)
    }
}

impl<R, W> Transport<RoleClient> for Pipes<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn name() -> Cow<'static, str> {
        "pipes".into()
    }

    fn send(&mut self, message: TxJsonRpcMessage<RoleClient>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let to = Arc::clone(&self.to);
        async move {
            let line = json(&message).map_err(io::Error::other)? + "\n";
            let mut to = to.lock().await;
            let to = to.as_mut().ok_or(io::ErrorKind::NotConnected)?;
            to.write_all(line.as_bytes()).await?;
            to.flush().await
        }
    }

    /// Nothing is lost if this is given up on: a piece is taken from the pipe and kept in one step.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let piece = self.from.fill_buf().await.ok().filter(|piece| !piece.is_empty())?;
            let end = piece.iter().position(|byte| *byte == b'\n');
            let piece = piece[..end.unwrap_or(piece.len())].to_vec();
            self.from.consume(piece.len() + usize::from(end.is_some()));
            if let Some(message) = self.take(&piece, end.is_some()) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        drop(self.to.lock().await.take());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::messages::why_unusable;
    use super::*;
    use rmcp::model::{JsonRpcMessage, RequestId};

    /// What is received of these bytes by a reader that keeps lines of so many bytes.
    fn received(bytes: &[u8], longest: usize) -> Vec<RxJsonRpcMessage<RoleClient>> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mut pipes = Pipes::new(bytes, Vec::new());
        pipes.longest = longest;
        runtime.block_on(async {
            let mut out = Vec::new();
            while let Some(message) = pipes.receive().await {
                out.push(message);
            }
            out
        })
    }

    fn is_unusable(message: &RxJsonRpcMessage<RoleClient>, id: i64) -> bool {
        matches!(message, JsonRpcMessage::Error(error)
            if error.id == Some(RequestId::Number(id)) && why_unusable(&error.error).is_some())
    }

    #[test]
    fn a_line_that_is_too_long_fails_its_call_alone() {
        let long = "x".repeat(50_000);
        let first = format!("{{\"id\":1,\"result\":{{\"content\":\"{long}\"}}}}\r\n");
        let last = format!("{{\"result\":{{\"content\":\"{long}\"}},\"jsonrpc\":\"2.0\",\"id\":2}}\n");
        let note = format!("{{\"method\":\"x\",\"params\":\"{long}\"}}\n");
        let good = "noise\n\n{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":1,\"message\":\"no\"}}\r\n";
        let all = [first.as_str(), &note, &last, good].concat();
        let got = received(all.as_bytes(), 1_000);
        assert_eq!(got.len(), 3, "{got:?}");
        assert!(is_unusable(&got[0], 1) && is_unusable(&got[1], 2) && !is_unusable(&got[2], 3), "{got:?}");
        // It is told before the line has ended.
        let got = received(&all.as_bytes()[..20_000], 1_000);
        assert!(got.len() == 1 && is_unusable(&got[0], 1), "{got:?}");
    }

    #[test]
    fn a_line_of_the_longest_length_is_read() {
        let line = "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":1,\"message\":\"no\"}}";
        let got = received(format!("{line}\n").as_bytes(), line.len());
        assert!(got.len() == 1 && !is_unusable(&got[0], 3), "{got:?}");
        assert!(is_unusable(&received(format!("{line}\n").as_bytes(), line.len() - 1)[0], 3));
    }
}
