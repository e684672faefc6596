//! How long each part of a search takes: the clock that the search itself does not know.

use crate::query::Stage;
use std::time::{Duration, Instant};

/// Runs from when it is made, for the part that is being done. A part that is done again adds up.
pub(super) struct Stopwatch {
    since: Instant,
    stage: Stage,
    spent: [Duration; Stage::ALL.len()],
}

impl Stopwatch {
    pub(super) fn start() -> Self {
        Self { since: Instant::now(), stage: Stage::Rest, spent: Default::default() }
    }

    /// Another part begins.
    pub(super) fn enter(&mut self, stage: Stage) {
        self.enter_at(stage, Instant::now());
    }

    fn enter_at(&mut self, stage: Stage, now: Instant) {
        let at = Stage::ALL.iter().position(|known| *known == self.stage);
        if let Some(spent) = at.and_then(|at| self.spent.get_mut(at)) {
            *spent += now - self.since;
        }
        (self.stage, self.since) = (stage, now);
    }

    /// Milliseconds of each part, in the order of [`Stage::ALL`]; together they are the whole.
    pub(super) fn stop(mut self) -> [f64; Stage::ALL.len()] {
        self.enter(Stage::Rest);
        self.spent.map(|spent| spent.as_secs_f64() * 1e3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_gets_its_own_time_and_nothing_is_lost() {
        let mut watch = Stopwatch::start();
        let start = watch.since;
        let steps = [(Stage::Words, 2), (Stage::Vectors, 3), (Stage::Words, 7), (Stage::Fuse, 8), (Stage::Rest, 8)];
        for (stage, ms) in steps {
            watch.enter_at(stage, start + Duration::from_millis(ms));
        }
        let spent = watch.spent.map(|spent| spent.as_millis());
        assert_eq!(
            Stage::ALL.map(Stage::name).into_iter().zip(spent).collect::<Vec<_>>(),
            [("embed", 0), ("vectors", 4), ("words", 2), ("fuse", 0), ("rest", 2)]
        );
    }
}
