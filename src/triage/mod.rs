//! From the lines of a log to the stretches that may be the reason of its failure, and how likely each is.
//!
//! `line` decides what kind of line each is, `step` which step of the run failed, `cut` which stretches are blocks,
//! `features` what is known of each, `weights` what that is worth. A softmax over the blocks of one log and over "none
//! of them" makes probabilities of it. They are those of runs that failed: of a log without a failure they say nothing.
//!
//! Knows no project and no pack: each rule is true of a tool or a test framework. Linear in the log.

mod block;
mod cut;
mod features;
mod line;
mod parts;
mod step;
mod weights;

pub use block::{Block, Errors, MAX_QUESTION_LINES, blocks, is_question};
pub use features::FEATURES;
pub use parts::Evidence;

use crate::text::Cleaned;
use cut::{Cut, cut};
use features::Features;
use line::{Kind, Lines};
use step::Steps;

/// A weight for each of [`FEATURES`], in their order.
pub type Weights = [f64; FEATURES.len()];

/// A stretch of lines that may be the reason of a failure. Lines are indices into [`Cleaned::lines`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// First line.
    pub first: usize,
    /// Last line; it belongs to the stretch.
    pub last: usize,
    /// The line that says what went wrong.
    pub headline: usize,
    /// How likely the reason stands here, given that the run failed, in \[0, 1\]. All candidates of a log together have
    /// at most 1; what is missing is the probability that none of them is right.
    pub probability: f64,
}

/// What a log says about its failure.
#[derive(Debug, Clone)]
pub struct Triage {
    /// Candidates, likeliest first; of equals the earlier. They lie in the log and do not overlap.
    pub candidates: Vec<Candidate>,
    /// Whether a build system says in it that a step failed.
    pub is_run: bool,
    /// Lines at which failures begin, several of one candidate where they are listed one below the other; in order.
    pub openings: Vec<usize>,
}

impl Triage {
    /// Of a log. Linear in its length.
    pub fn of(cleaned: &Cleaned) -> Self {
        let survey = Survey::of(cleaned);
        let candidates = survey.ranked(&weights::shipped());
        Self { candidates, is_run: survey.is_run, openings: survey.openings }
    }
}

/// Candidates of a log, likeliest first; of equals the earlier. They lie in the log and do not overlap.
pub fn candidates(cleaned: &Cleaned) -> Vec<Candidate> {
    Triage::of(cleaned).candidates
}

/// The weights that [`candidates`] uses.
pub fn shipped_weights() -> Weights {
    weights::shipped()
}

/// The blocks of a log before they are weighed, for whoever fits weights.
#[derive(Debug, Clone)]
pub struct Survey {
    /// The blocks in the order of their lines; their probabilities are 0.
    pub blocks: Vec<Candidate>,
    /// What is known of each, and last of "none of them", in the order of [`FEATURES`].
    pub features: Vec<Weights>,
    /// Whether a build system says that a step failed.
    pub is_run: bool,
    /// Lines at which failures begin, in order.
    pub openings: Vec<usize>,
}

impl Survey {
    /// Finds the blocks of a log. Linear in its length.
    pub fn of(cleaned: &Cleaned) -> Self {
        let lines = Lines::new(cleaned);
        let steps = Steps::of(&lines);
        let Cut { stretches, openings, .. } = cut(&lines, &steps);
        let known = features::features(&lines, &steps, &stretches);
        let none = Features { none_of_them: 1.0, ..Features::default() };
        let block = |stretch: &cut::Stretch| Candidate {
            first: stretch.first,
            last: stretch.last,
            headline: headline(&lines, stretch),
            probability: 0.0,
        };
        Self {
            blocks: stretches.iter().map(block).collect(),
            is_run: steps.is_run,
            openings,
            features: known.iter().chain(std::iter::once(&none)).map(Features::array).collect(),
        }
    }

    /// The blocks with probabilities by these weights, likeliest first.
    pub fn ranked(&self, weights: &Weights) -> Vec<Candidate> {
        let probabilities = softmax(&self.features, weights);
        let weighed = |(block, probability): (&Candidate, &f64)| Candidate { probability: *probability, ..*block };
        let mut out: Vec<Candidate> = self.blocks.iter().zip(&probabilities).map(weighed).collect();
        out.sort_by(|a, b| b.probability.total_cmp(&a.probability).then(a.first.cmp(&b.first)));
        out
    }
}

/// The share of each row: the exponential of its weighted sum, over the sum of all rows'.
pub fn softmax(rows: &[Weights], weights: &Weights) -> Vec<f64> {
    let score = |row: &Weights| row.iter().zip(weights).map(|(value, weight)| value * weight).sum::<f64>();
    let scores: Vec<f64> = rows.iter().map(score).collect();
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.iter().map(|power| power / sum).collect()
}

/// The first line that surely reports a failure, else the first that may, else the first.
fn headline(lines: &Lines, stretch: &cut::Stretch) -> usize {
    let first = |kind: Kind| (stretch.first..=stretch.last).find(|at| lines.kinds[*at] == kind);
    first(Kind::Failure).or_else(|| first(Kind::Suspect)).unwrap_or(stretch.first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::clean;
    use proptest::prelude::*;

    #[test]
    fn the_first_cause_stands_before_those_who_tell_of_it() {
        let logs = [
            "$ npm test\n> shop@1.0.0 test\n\nsrc/cart.js:3\nReferenceError: total is not defined\n\
             \x20   at cart.js:3:1\n\n\
             npm ERR! code ELIFECYCLE\nnpm ERR! errno 1\nThe command \"npm test\" exited with 1.\n",
            "+ make all\ncc -c a.c\na.c:3:5: error: 'x' undeclared\n     x = 1;\n     ^\nmake[1]: *** [a.o] Error 1\n\
             make: *** [all] Error 2\nBuild step 'Execute shell' marked build as failure\nFinished: FAILURE\n",
            "##[group]Run cargo test\n##[endgroup]\nrunning 1 test\ntest adds ... FAILED\n\n---- adds stdout ----\n\
             thread 'adds' panicked at src/lib.rs:9:5:\nassertion failed: 1 == 2\n\n\
             test result: FAILED. 0 passed; 1 failed\n\
             error: test failed, to rerun pass `--lib`\n##[error]Process completed with exit code 101.\n",
        ];
        for (log, wanted) in logs.iter().zip(["ReferenceError", "a.c:3:5", "thread 'adds'"]) {
            let cleaned = clean(log);
            let found = candidates(&cleaned);
            let best = cleaned.line(found[0].headline);
            assert!(best.starts_with(wanted), "{best:?} of {found:?} in\n{log}");
        }
    }

    #[test]
    fn a_run_that_was_stopped_is_told_by_its_end() {
        let log = "$ make check\nchecking\nstill checking\n\nNo output has been received in the last 10m0s.\n\
            The build has been terminated\n";
        let found = candidates(&clean(log));
        assert_eq!((found[0].first, found[0].last), (4, 5), "{found:?}");
    }

    #[test]
    fn weights_are_of_the_features() {
        let names: Vec<&str> = weights::TABLE.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, FEATURES);
    }

    #[test]
    fn a_text_without_lines_has_no_candidates() {
        assert_eq!(candidates(&clean("")), []);
    }

    const PARTS: &str = "(error: x|  at f \\(a.js:1:2\\)|\\$ make|ok 1|not ok 2|____ t ____|diff --git a b|plain|\
        |  deeper|make: \\*\\*\\* \\[a\\] Error 1|The command \"x\" exited with 1.|The command \"x\" exited with 0.|\
        At a:1 char:2|\
        ##\\[error\\]Process completed with exit code 1|[ -~é]{0,20})";

    proptest! {
        #[test]
        fn candidates_lie_in_the_log_and_do_not_overlap(parts in prop::collection::vec(PARTS, 0..60)) {
            let cleaned = clean(&parts.join("\n"));
            let mut found = candidates(&cleaned);
            let sum: f64 = found.iter().map(|one| one.probability).sum();
            prop_assert!(sum <= 1.0 + 1e-9 && found.iter().all(|one| one.probability >= 0.0), "{sum}");
            prop_assert!(found.windows(2).all(|two| two[0].probability >= two[1].probability));
            found.sort_by_key(|one| one.first);
            for one in &found {
                prop_assert!(one.first <= one.headline && one.headline <= one.last && one.last < cleaned.lines.len());
            }
            prop_assert!(found.windows(2).all(|two| two[0].last < two[1].first), "{found:?}");
            prop_assert_eq!(candidates(&cleaned), candidates(&cleaned));
        }
    }
}
