//! Tools of agents: which were used together, which fit a task, and in which order they can run.
//!
//! `graph` counts what sessions did with tools and says what follows from that. `discover` finds the tools that a task
//! needs, from its words, its meaning and the graph. `plan` puts tools in order by what they take and give. `learn` says
//! from which score on something is suggested, and which sets of tools recur. All of it is pure: tools are known by their
//! place in a list, texts and vectors come in as values.

pub mod discover;
pub mod graph;
mod help;
pub mod learn;
pub mod plan;
mod read;
#[cfg(test)]
mod testing;
mod words;

pub use help::read_help;
pub use read::{MOST_TOOLS, NoTools, read_tools};
pub use words::name_words;
