//! A body that is still being made when its head is sent. It keeps the thread of whatever makes it, and ends when the
//! time for an answer is over.

use super::work::Turn;
use axum::body::{Body, Bytes};
use http_body_util::BodyExt;
use hyper::body::{Body as _, Frame, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::time::{Sleep, sleep_until};

/// Such a body.
struct Streamed {
    body: Body,
    until: Pin<Box<Sleep>>,
    _turn: Turn,
}

/// The body, with the turn that it is made in. If its time is over, it ends where it is: whoever makes it is stopped,
/// and the client sees that the answer is missing.
pub(super) fn streamed(body: Body, turn: Turn) -> Body {
    if body.is_end_stream() || body.size_hint().exact().is_some() {
        return body;
    }
    Body::new(Streamed { body, until: Box::pin(sleep_until(turn.until())), _turn: turn }.boxed_unsync())
}

impl hyper::body::Body for Streamed {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.until.as_mut().poll(context).is_ready() {
            return Poll::Ready(None);
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
    use super::super::work::Work;
    use super::*;
    use std::time::Duration;

    #[test]
    fn it_keeps_its_turn_to_its_end_and_no_longer_than_its_time() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let work = Work::new(1);
            let long = Duration::from_secs(60);
            let begin = |time| work.while_running(time, async { http_body_util::channel::Channel::<Bytes>::new(4) });
            let ((mut to, body), turn) = begin(long).await.unwrap();
            let mut body = streamed(Body::new(body), turn);
            to.send_data(Bytes::from("a part")).await.unwrap();
            assert_eq!(body.frame().await.unwrap().unwrap().into_data().unwrap(), "a part");
            // Its thread is not free while it lasts.
            assert!(work.question(Duration::from_millis(20), |_| ()).await.is_err());
            drop(to);
            assert!(body.frame().await.is_none());
            drop(body);
            assert_eq!(work.question(long, |_| 7).await, Ok(7));
            let ((_to, body), turn) = begin(Duration::from_millis(20)).await.unwrap();
            assert!(streamed(Body::new(body), turn).frame().await.is_none(), "its time is over");
            // A whole answer needs no turn.
            let turn = begin(long).await.unwrap().1;
            let whole = streamed(Body::from("whole"), turn);
            assert_eq!(work.question(long, |_| 8).await, Ok(8));
            assert_eq!(whole.collect().await.unwrap().to_bytes(), "whole");
        });
    }
}
