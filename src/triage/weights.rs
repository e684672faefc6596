//! What each feature of a block is worth.
//!
//! Fitted by `ken bench logs --fit` on 381 logs of failed runs of 40 repositories, in which a person marked the lines
//! that say why (LogChunks: Brandt, Panichella, Zaidman and Beller, MSR 2020, CC BY 4.0). docs/benchmarks.md has what
//! the same fit reaches on repositories that it was not made with. The logs are of Travis CI and none of them was
//! stopped: `marked` and `stopped` are 0 in all of them, and their weights are set by hand. The last five weights were
//! fitted in a second step (`--passing --fit`), with the others as they are: for want of logs of runs that passed, each
//! log was compared with the nearest of its repository, without the lines that are marked there. That one failed too
//! and tells so elsewhere, so `seen_whole`, fitted as -0.8650, is set lower by hand.

use super::{FEATURES, Weights};

/// The features by name, in the order of [`FEATURES`], with what one unit of each adds to a block's score: greater is
/// likelier.
pub(super) const TABLE: [(&str, f64); FEATURES.len()] = [
    ("none_of_them", 0.9326),
    ("inside", 0.6984),
    ("after", -0.2879),
    ("distance", -0.8494),
    ("distance_inside", 0.0701),
    ("near", 1.2395),
    ("opens_failure", 0.0049),
    ("opens_suspect", -0.4344),
    ("opens_place", 0.7526),
    ("opens_title", 5.2326),
    ("opens_warning", -0.1471),
    ("opens_wrapper", 0.4998),
    ("opens_other", -1.9932),
    ("any_failure", 0.7239),
    ("failures", 0.0512),
    ("failure_share", -0.8198),
    ("frames", 0.8685),
    ("length", 0.2641),
    ("single_line", -0.7638),
    ("test_failed", 0.6961),
    ("assertion", 1.0666),
    ("network", 0.5638),
    ("setup", -0.8892),
    ("setup_failed", 1.5360),
    ("first_of_form", 0.9425),
    ("alike", -0.0779),
    ("last_inside", 0.1673),
    ("only_inside", 0.0642),
    ("only_words", 0.2332),
    ("first_inside", 0.9065),
    ("blocks_later", 0.0022),
    ("blocks_before", 0.0485),
    ("went_on", 0.1520),
    ("place", 0.5763),
    ("says_error", 0.2431),
    ("exception", 0.6267),
    ("capitals", 1.6422),
    ("warning", -0.0009),
    ("told_below", 1.2454),
    ("is_end", 0.4998),
    ("no_end", 0.2266),
    ("below_command", 0.6259),
    ("forgiven", -0.7461),
    ("marked", 1.0000),
    ("diff", 0.2645),
    ("stopped", 2.0000),
    ("none_compared", -0.5515),
    ("seen", -0.7559),
    ("seen_whole", -2.5000),
    ("seen_headline", -0.5223),
    ("seen_failures", -0.7173),
];

/// The weights in the order of [`FEATURES`].
pub(super) fn shipped() -> Weights {
    TABLE.map(|(_, weight)| weight)
}
