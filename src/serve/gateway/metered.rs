//! A reader that ends when too much comes: a server that floods is cut off, and the others are not slowed down.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, ReadBuf};

/// Most bytes that come after a call was made, until the next one. An answer may be 16 MiB long.
pub(super) const MOST_BYTES: u64 = 64 << 20;

/// Counts what comes; [`Meter::begin`] starts again.
#[derive(Clone, Default)]
pub(super) struct Meter(Arc<AtomicU64>);

impl Meter {
    /// A call is made: as much may come again.
    pub(super) fn begin(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// So many bytes have come.
    pub(super) fn count(&self, bytes: u64) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Whether too much has come.
    pub(super) fn is_over(&self) -> bool {
        self.0.load(Ordering::Relaxed) > MOST_BYTES
    }
}

/// A reader with a meter.
pub(super) struct Metered<R> {
    pub(super) inner: R,
    pub(super) meter: Meter,
}

impl<R: AsyncRead + Unpin> AsyncRead for Metered<R> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.meter.is_over() {
            // As at the end of a stream: whoever reads closes.
            return Poll::Ready(Ok(()));
        }
        let before = into.filled().len();
        let done = Pin::new(&mut self.inner).poll_read(context, into);
        let came = (into.filled().len() - before) as u64;
        self.meter.count(came);
        done
    }
}
