//! Bodies of requests: read whole, with a bound for each, a bound for all that are held at once, and a time.

use super::problem::Problem;
use crate::types::limits::HTTP_HELD_BYTES;
use axum::body::Body;
use http_body_util::BodyExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Longest that a body may take to come.
const TIME: Duration = Duration::from_secs(30);
/// Room is counted in these.
const KIB: usize = 1 << 10;

/// Room for bodies.
#[derive(Debug, Clone)]
pub(super) struct Room(Arc<Semaphore>);

/// A body, and its room, which is free again when this goes.
#[derive(Debug)]
pub(super) struct Held {
    pub bytes: Vec<u8>,
    room: Option<OwnedSemaphorePermit>,
}

impl Held {
    /// The bytes, and the room that they take.
    pub fn into_parts(self) -> (Vec<u8>, Option<OwnedSemaphorePermit>) {
        (self.bytes, self.room)
    }
}

impl Default for Room {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(HTTP_HELD_BYTES / KIB)))
    }
}

impl Room {
    /// Reads a body of at most so many bytes.
    pub async fn read(&self, body: Body, most: usize) -> Result<Held, Problem> {
        timeout(TIME, self.collect(body, most)).await.unwrap_or_else(|_| Err(Problem::too_slow()))
    }

    async fn collect(&self, mut body: Body, most: usize) -> Result<Held, Problem> {
        let (mut bytes, mut room) = (Vec::new(), None::<OwnedSemaphorePermit>);
        while let Some(frame) = body.frame().await {
            // The connection broke; nobody reads what is answered.
            let frame = frame.map_err(|_| Problem::usage("the body broke off", "send it again"))?;
            let Ok(data) = frame.into_data() else { continue };
            if bytes.len() + data.len() > most {
                return Err(Problem::too_large(most));
            }
            let (has, needs) = (bytes.len().div_ceil(KIB), (bytes.len() + data.len()).div_ceil(KIB));
            if needs > has {
                let more = u32::try_from(needs - has).map_err(|_| Problem::too_large(most))?;
                let more = Arc::clone(&self.0).try_acquire_many_owned(more).map_err(|_| Problem::too_many())?;
                match &mut room {
                    Some(room) => room.merge(more),
                    None => room = Some(more),
                }
            }
            bytes.extend_from_slice(&data);
        }
        Ok(Held { bytes, room })
    }
}

/// Bytes of a body that nobody wants which are read all the same.
const DRAINED: usize = 256 << 10;
/// Longest that this takes.
const DRAIN_TIME: Duration = Duration::from_secs(1);

/// Reads what nobody wants. Otherwise the connection would be closed behind the answer, and a client that sends its
/// next request on it, as clients do, would see it broken.
pub(super) async fn drain(mut body: Body) {
    let read = async {
        let mut left = DRAINED;
        while let Some(Ok(frame)) = body.frame().await {
            match left.checked_sub(frame.data_ref().map_or(0, |data| data.len())) {
                Some(less) => left = less,
                None => return,
            }
        }
    };
    drop(timeout(DRAIN_TIME, read).await);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_have_a_bound_each_and_together() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let room = Room(Arc::new(Semaphore::new(3)));
            assert!(room.read(Body::from(vec![0; 1001]), 1000).await.is_err());
            let first = room.read(Body::from(vec![1; 2000]), 4000).await.unwrap();
            assert_eq!(first.bytes.len(), 2000);
            assert!(room.read(Body::from(vec![0; 2000]), 4000).await.is_err(), "there is no room for both");
            drop(first);
            assert_eq!(room.read(Body::from(vec![0; 3000]), 4000).await.unwrap().bytes.len(), 3000);
            assert_eq!(room.read(Body::empty(), 0).await.unwrap().bytes, Vec::<u8>::new());
        });
    }
}
