//! A log as a whole, of which one piece at a time is held.
//!
//! What a block says is read while its piece is there. Where it stands in the run, what failed and how many others
//! there are like it is known at the end only, and is added then: a log in pieces is weighed like the same log in one.
//! What is kept of a block has a bounded size, and of too many blocks those of the end are kept, which is where runs
//! fail.

use super::cut::{Cut, Opening, cut};
use super::features::{Features, Form, Place, features_of_piece, join};
use super::line::Lines;
use super::passing::Passing;
use super::step::{Before, Run, Steps};
use super::{Candidate, Weights, score, softmax};
use crate::text::Cleaned;
use std::collections::VecDeque;

/// Blocks of a log that are weighed against each other.
const MAX_PLACES: usize = 20_000;

/// Fewest marked steps of a long log without an end that is taken for that of a run.
const MANY_STEPS: usize = 3;
/// Fewest lines of such a log.
const LONG_LINES: usize = 200;

/// What is known of the blocks of a log so far.
#[derive(Debug, Default)]
pub(super) struct Whole<'a> {
    passing: Option<&'a Passing>,
    places: VecDeque<Place>,
    /// Places that are no longer among them.
    forgotten: usize,
    run: Run,
    before: Before,
    /// Lines so far.
    lines: usize,
    /// Steps that a build system has marked so far.
    marked: usize,
    /// Whether make says at the end that it failed.
    word: bool,
    /// Lines at which failures begin in the last piece, in order. A block that lists failures one below the other has
    /// several of them.
    pub openings: Vec<Opening>,
}

/// A block of a piece.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    /// Its lines, as indices into the piece; it has no probability yet.
    pub lines: Candidate,
    /// Which block of the log it is, from 0.
    pub number: usize,
}

impl<'a> Whole<'a> {
    /// Of a log of which nothing is known yet.
    pub fn new(passing: Option<&'a Passing>) -> Self {
        Self { passing, ..Self::default() }
    }

    /// Finds the blocks of the next piece; gives them in the order of their lines. `is_last` says that no piece
    /// follows.
    pub fn add(&mut self, cleaned: &Cleaned, is_last: bool) -> Vec<Found> {
        let lines = Lines::new(cleaned);
        let steps = Steps::of(&lines, self.before, is_last);
        let Cut { stretches, openings, .. } = cut(&lines, &steps);
        self.openings = openings;
        let known = features_of_piece(&lines, &steps, &stretches, self.passing);
        let mut out = Vec::with_capacity(stretches.len());
        for (stretch, features) in stretches.iter().zip(known) {
            let number = self.forgotten + self.places.len();
            let (first, last) = (self.lines + stretch.first, self.lines + stretch.last);
            self.places.push_back(Place { first, last, features, form: Form::of(&lines, stretch) });
            if self.places.len() > MAX_PLACES {
                self.places.pop_front();
                self.forgotten += 1;
            }
            let headline = lines.headline(stretch.first, stretch.last);
            let lines = Candidate { first: stretch.first, last: stretch.last, headline, probability: 0.0 };
            out.push(Found { lines, number });
        }
        self.learn(&steps);
        self.lines += lines.len();
        out
    }

    /// Takes over what a piece says of the run.
    fn learn(&mut self, steps: &Steps) {
        if !self.before.failed {
            if let Some(began) = steps.began {
                self.run.first = self.lines + began;
            }
            self.run.end = self.lines + steps.end;
            self.run.failed = steps.told.is_some();
            self.run.stopped = steps.stopped;
        }
        self.before = steps.after;
        self.marked += steps.marked;
        self.word |= steps.word;
    }

    /// Whether this is the log of a run that failed: a build system or make says so, or it is long, a build system has
    /// marked steps in it, and its end is cut off.
    pub fn is_run(&self) -> bool {
        self.run.failed || self.word || self.marked >= MANY_STEPS && self.lines >= LONG_LINES
    }

    /// What is known of each block that is kept, and last of "none of them".
    pub fn rows(&mut self) -> Vec<Weights> {
        join(self.places.make_contiguous(), self.run);
        let compared = f64::from(u8::from(self.passing.is_some()));
        let none = Features { none_of_them: 1.0, none_compared: compared, ..Features::default() };
        self.places.iter().map(|place| &place.features).chain([&none]).map(Features::array).collect()
    }

    /// How likely each block is the reason, by its number; of those that are kept.
    pub fn probabilities(&mut self, weights: &Weights) -> Vec<(usize, f64)> {
        let scores: Vec<f64> = self.rows().iter().map(|row| score(row, weights)).collect();
        let shares = softmax(&scores);
        (self.forgotten..).zip(shares).take(self.places.len()).collect()
    }
}
