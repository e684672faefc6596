//! What a client hears of a call that takes long, if it has asked for that: once a second, what is being done. Calls
//! that are done before have said nothing.
//!
//! Over HTTP the answer is one JSON message where nothing was told before it, and a stream of events where something
//! was.

use crate::engine::Progress;
use crate::engine::face::indexing;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RoleServer};
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::sleep;

/// How often it is told.
const EVERY: Duration = Duration::from_secs(1);

/// What a call is doing now, in a few words; empty until it has told something.
#[derive(Default)]
pub(super) struct Doing(Mutex<Option<String>>);

impl Doing {
    fn text(&self) -> MutexGuard<'_, Option<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of what the call is doing.
    pub fn hear(&self, progress: &Progress<'_>) {
        let of = |what: &str, done: usize, total: usize| format!("{what}: {done} of {total}");
        let text = match progress {
            Progress::Embedding { what, done, total, .. } => of(&format!("making vectors of {what}"), *done, *total),
            Progress::Linking { done, total } => of("linking vectors", *done, *total),
            Progress::Asking { what, done, total } => of(what, *done, *total),
            Progress::Waiting { what } => format!("waiting for another process that makes {what}"),
            Progress::Index(indexing::Progress::Indexing { files, files_total, .. }) => {
                of("indexing files", *files, *files_total)
            }
            Progress::Index(_) => "indexing".to_owned(),
            Progress::Pull(_) => "getting a model".to_owned(),
            Progress::Search(_) => "searching".to_owned(),
        };
        *self.text() = Some(text);
    }
}

/// Waits for the answer of a call, and tells meanwhile what it does. `asked` is the token of a client that wants to
/// hear it.
pub(super) async fn telling<T>(
    answer: impl Future<Output = T>,
    doing: &Doing,
    asked: Option<ProgressToken>,
    client: &Peer<RoleServer>,
) -> T {
    let Some(token) = asked else { return answer.await };
    let mut answer = pin!(answer);
    // It has to grow, and how much there is to do is not known of all that a call does.
    let mut seconds = 0.0;
    loop {
        tokio::select! {
            biased;
            answer = &mut answer => return answer,
            () = sleep(EVERY) => {
                seconds += EVERY.as_secs_f64();
                let mut told = ProgressNotificationParam::new(token.clone(), seconds);
                told.message = doing.text().clone();
                // Whoever does not listen any more is not told.
                drop(client.notify_progress(told).await);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_is_said_in_a_few_words() {
        let doing = Doing::default();
        assert_eq!(*doing.text(), None);
        doing.hear(&Progress::Embedding { what: "the canon", done: 3, total: 9, model: "m" });
        assert_eq!(doing.text().as_deref(), Some("making vectors of the canon: 3 of 9"));
        doing.hear(&Progress::Waiting { what: "the vectors of the packs" });
        assert_eq!(doing.text().as_deref(), Some("waiting for another process that makes the vectors of the packs"));
    }
}
