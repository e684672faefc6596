//! What calls came to, kept as outcomes (`ken outcomes`): by a thread of its own, so that no call waits for the disk.

use crate::engine::Loss;
use crate::serve::requests::{KeepOutcomesRequest, OutcomeReport};
use crate::serve::{Caller, Service};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

/// Most outcomes that wait to be written. What comes beyond is lost, and counted.
const WAITING: usize = 1_000;
/// Most outcomes of one batch.
const BATCH: usize = 50;

/// Keeps outcomes until it is dropped, which waits for those that are left.
pub(super) struct Recorder {
    to: Option<SyncSender<OutcomeReport>>,
    thread: Option<JoinHandle<()>>,
    service: Arc<Service>,
}

impl Recorder {
    /// Starts the thread; where none can be started nothing is kept.
    pub(super) fn start(service: &Arc<Service>) -> Self {
        let (to, from) = sync_channel::<OutcomeReport>(WAITING);
        let keeper = Arc::clone(service);
        let keep = move || {
            while let Ok(first) = from.recv() {
                let outcomes: Vec<OutcomeReport> =
                    std::iter::once(first).chain(from.try_iter().take(BATCH - 1)).collect();
                let count = outcomes.len();
                let request = KeepOutcomesRequest { outcomes };
                if keeper.keep_outcomes(&request, Caller::owner(&|| false)).is_err() {
                    (0..count).for_each(|_| keeper.count_lost(Loss::Busy));
                }
            }
        };
        let thread = std::thread::Builder::new().name("outcomes".to_owned()).spawn(keep).ok();
        Self { to: Some(to), thread, service: Arc::clone(service) }
    }

    /// Keeps one, later.
    pub(super) fn keep(&self, report: OutcomeReport) {
        if let Some(to) = &self.to
            && to.try_send(report).is_err()
        {
            self.service.count_lost(Loss::Busy);
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.to = None;
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}
