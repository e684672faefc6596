//! Files in, answers out, through the command.

mod concurrency; // one engine for many threads: everything at once, against a ledger
mod doubt; // a file that may have changed, rules and patterns that cannot be used
mod files; // what an indexing sees: new, changed, moved, gone, unreadable, ignored
mod forget; // what was removed is in no channel
mod html; // pages are read without their tags, and cited by the lines of the file
mod memory_files; // memories out and in, rules of agents, what a trusted team says
mod notebooks; // notebooks are read without their outputs; texts from before UTF-8
mod priors; // recency and frequency over the built-in cases
mod search; // what is found and in which order; filters; the model and the index
pub(crate) mod snapshots; // one engine that stays while others change what it answers from
mod status; // how things stand, in every length
mod stopped; // an indexing that nobody wants any more, and short writes between its batches
mod transfer; // export and import
mod usage; // recency, frequency, what counts
