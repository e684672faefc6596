//! Bodies that are sent in parts, while they are being made. What such a body needs, as a thread, is kept until it has
//! ended or its client has left. A body that takes too long is cut off.

use axum::body::{Body, Bytes};
use http_body_util::BodyExt;
use hyper::body::{Body as _, Frame, SizeHint};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::time::{Instant, Sleep, sleep_until};

/// A body, and what it needs.
struct Streamed<T> {
    body: Body,
    /// When it is cut off; `None` if it may take any time.
    ends: Option<Pin<Box<Sleep>>>,
    _kept: T,
}

/// Keeps `kept` as long as the body is sent; a body that is complete already does not need it. When its time is over
/// (`ends`), the body fails. So no client takes the parts that it got for the whole.
pub(super) fn streamed(body: Body, ends: Option<Instant>, kept: impl Send + Unpin + 'static) -> Body {
    if body.is_end_stream() || body.size_hint().exact().is_some() {
        return body;
    }
    let ends = ends.map(|ends| Box::pin(sleep_until(ends)));
    Body::new(Streamed { body, ends, _kept: kept }.boxed_unsync())
}

impl<T: Unpin> hyper::body::Body for Streamed<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.ends.as_mut().is_some_and(|ends| ends.as_mut().poll(context).is_ready()) {
            return Poll::Ready(Some(Err(axum::Error::new(io::Error::from(io::ErrorKind::TimedOut)))));
        }
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::channel::Channel;
    use std::sync::Arc;
    use std::time::Duration;

    #[test]
    fn it_keeps_what_it_needs_to_its_end_and_breaks_where_its_time_is_over() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let kept = Arc::new(());
            let later = Some(Instant::now() + Duration::from_secs(60));
            for ends in [None, later] {
                let (mut to, body) = Channel::<Bytes>::new(4);
                let mut body = streamed(Body::new(body), ends, Arc::clone(&kept));
                to.send_data(Bytes::from("a part")).await.unwrap();
                assert_eq!(body.frame().await.unwrap().unwrap().into_data().unwrap(), "a part");
                assert_eq!(Arc::strong_count(&kept), 2);
                drop(to);
                assert!(body.frame().await.is_none());
                drop(body);
                assert_eq!(Arc::strong_count(&kept), 1);
            }
            let (_to, body) = Channel::<Bytes>::new(4);
            let mut body = streamed(Body::new(body), Some(Instant::now() + Duration::from_millis(20)), ());
            assert!(body.frame().await.unwrap().is_err(), "it does not end as if it were whole");
            let whole = streamed(Body::from("whole"), later, Arc::clone(&kept));
            assert_eq!(Arc::strong_count(&kept), 1, "a whole answer needs nothing any more");
            assert_eq!(whole.collect().await.unwrap().to_bytes(), "whole");
        });
    }
}
