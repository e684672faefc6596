//! From the lines of a log to the stretches that may be the reason of its failure, and how likely each is.
//!
//! `line` decides what kind of line each is, `step` which step of the run failed, `cut` which stretches are blocks,
//! `features` what is known of each, `weights` what that is worth; `whole` puts the pieces of a long log together. A
//! softmax over the blocks of one log and over "none of them" makes probabilities of it. They are those of runs that
//! failed: of a log without a failure they say nothing.
//! `problem` reads places in files and their messages out of what tools print.
//! Where there is a log of the same job from when it passed (`passing`), what that one prints too counts less.
//!
//! Knows no project and no pack: each rule is true of a tool or a test framework. Linear in the log.

mod block;
mod cut;
mod features;
mod line;
mod parts;
mod passing;
mod problem;
mod step;
mod weights;
mod whole;

pub use block::{Block, Errors, MAX_QUESTION_LINES, blocks, is_question};
pub use features::{FEATURES, OF_PASSING};
pub use parts::Evidence;
pub use passing::Passing;
pub use problem::{MOST_PROBLEMS, Problem, ProblemSeverity, problems};

use crate::text::Cleaned;
use whole::Whole;

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

/// Candidates of a log, likeliest first; of equals the earlier. They lie in the log and do not overlap.
pub fn candidates(cleaned: &Cleaned) -> Vec<Candidate> {
    Survey::of(cleaned, None).ranked(&weights::shipped())
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
    /// Whether it is the log of a run that failed.
    pub is_run: bool,
}

impl Survey {
    /// Finds the blocks of a log and compares them with a run that passed if there is one. Linear in its length.
    pub fn of(cleaned: &Cleaned, passing: Option<&Passing>) -> Self {
        let mut whole = Whole::new(passing);
        let mut found = whole.add(cleaned, true);
        let features = whole.rows();
        // Of too many blocks the first are not weighed.
        let blocks = found.split_off(found.len() - (features.len() - 1));
        Self { blocks: blocks.into_iter().map(|one| one.lines).collect(), is_run: whole.is_run(), features }
    }

    /// The blocks with probabilities by these weights, likeliest first.
    pub fn ranked(&self, weights: &Weights) -> Vec<Candidate> {
        let scores: Vec<f64> = self.features.iter().map(|row| score(row, weights)).collect();
        let probabilities = softmax(&scores);
        let weighed = |(block, probability): (&Candidate, &f64)| Candidate { probability: *probability, ..*block };
        let mut out: Vec<Candidate> = self.blocks.iter().zip(&probabilities).map(weighed).collect();
        out.sort_by(|a, b| b.probability.total_cmp(&a.probability).then(a.first.cmp(&b.first)));
        out
    }
}

/// A row's weighted sum.
pub fn score(row: &Weights, weights: &Weights) -> f64 {
    row.iter().zip(weights).map(|(value, weight)| value * weight).sum()
}

/// The share of each score: its exponential, over the sum of all exponentials.
pub fn softmax(scores: &[f64]) -> Vec<f64> {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.iter().map(|power| power / sum).collect()
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
    fn what_a_run_that_passed_printed_too_falls_behind_what_is_new() {
        let usual = "$ make check\nerror: cannot read cache /tmp/c-812, starting anew\n  at cache.c:12\n\n\
            checking 31 files\n";
        let failed =
            format!("{usual}widget.c:3 is not as long as it says\nThe command \"make check\" exited with 2.\n");
        let cleaned = clean(&failed);
        let mut passing = Passing::default();
        passing.add(&clean(&format!("{}The command \"make check\" exited with 0.\n", usual.replace("812", "44"))));
        let share = |found: &[Candidate], text: &str| -> f64 {
            let says = |one: &&Candidate| cleaned.line(one.headline).starts_with(text);
            found.iter().filter(says).map(|one| one.probability).sum()
        };
        let ranked = |passing| Survey::of(&cleaned, passing).ranked(&weights::shipped());
        let (alone, compared) = (ranked(None), ranked(Some(&passing)));
        let odds = |of: &[Candidate]| share(of, "error: cannot") / share(of, "widget.c");
        assert!(odds(&alone) > 1.0 && odds(&compared) < odds(&alone) / 10.0, "{alone:?}\n{compared:?}");
        assert!(cleaned.line(compared[0].headline).starts_with("widget.c"), "{compared:?}");
    }

    #[test]
    fn a_log_that_is_compared_with_nothing_has_no_feature_of_it() {
        let cleaned = clean("$ make\nerror: x\n  at y\nThe command \"make\" exited with 2.\n");
        let of_passing: Vec<usize> =
            OF_PASSING.iter().map(|name| FEATURES.iter().position(|feature| feature == name).unwrap()).collect();
        let (alone, compared) = (Survey::of(&cleaned, None), Survey::of(&cleaned, Some(&Passing::default())));
        let sum = |survey: &Survey| {
            survey.features.iter().map(|row| of_passing.iter().map(|at| row[*at]).sum::<f64>()).sum::<f64>()
        };
        assert_eq!((sum(&alone), sum(&compared)), (0.0, 1.0));
        let others: Vec<usize> = (0..FEATURES.len()).filter(|at| !of_passing.contains(at)).collect();
        for (one, other) in alone.features.iter().zip(&compared.features) {
            assert!(others.iter().all(|at| one[*at] == other[*at]));
        }
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
