//! Proposes memories from what was said in a session: text in, proposals out, without a model, clock or file.
//!
//! [`read_turns`] cuts a text into turns (`turns`), each turn is cut into sentences (`sentences`), and a sentence is
//! proposed if a row of the tables in `rules` matches it. What worked or did not is put together from several turns
//! (`fixes`). Only what a person said can be certain or a preference; what a program wrote is at most a guess until
//! the person confirms it in the next turn. A document that somebody wrote for readers (a README, a pasted
//! specification) never gives a certain proposal: its "remember that" speaks to nobody here. Notes of releases
//! (`releases`) propose nothing: they say what changed once. [`act_of`] tells corrections from new statements (`act`).
//! Whether a proposal is kept, merged or shown is left to the caller.

mod act;
mod fixes;
mod found;
mod propose;
mod releases;
mod rules;
mod sentences;
mod signs;
mod turns;

pub use act::{Act, act_of};
pub use found::{Confidence, Kind, Proposal, Trigger};
pub use propose::{MAX_PROPOSALS, proposals};
pub use turns::{MAX_TURNS, Role, Turn, read_turns};

#[cfg(test)]
mod tests;
