//! How each failure of a session ended.
//!
//! Two views of the same rows. [`label()`] gives the mechanical end of each failure: any other action that went well
//! between a failure and its success counts as the one by which it was enabled. [`gaps`] is finer: each try of an
//! action that fails, up to the next try of it, with what was done between. It is what patterns are counted from, since
//! it says both what helped and what did not.

mod gap;
mod label;
#[cfg(test)]
mod tests;

pub use gap::{Gap, Retry, gaps};
pub use label::{End, Recovery, label};
