//! What is kept, and what could take it away.

mod bad_disk; // full, read-only, without locks
mod churn; // many rows, half of them changed, while others read and the writer is killed
mod compat; // data directories of released versions
mod crash; // kill -9 at any moment
mod damage; // flipped bytes, truncation, foreign and newer files
mod together; // several processes at once
mod vectors; // the file of vectors, what has changed since, and a killed writer
