//! What is kept, and what could take it away.

mod bad_disk; // full, read-only, without locks
pub(crate) mod churn; // many rows, half of them changed, while others read and the writer is killed
mod compat; // data directories of released versions
mod copies; // what is removed beside the database, and what is not ours
mod crash; // kill -9 at any moment
mod damage; // flipped bytes, truncation, foreign and newer files
#[cfg(target_os = "linux")]
mod postgres; // copies in a real server: there and back, killed, refused
mod renewal; // the file of vectors is made again while others write
#[cfg(target_os = "linux")]
mod replica; // searches that read from a standby
#[cfg(target_os = "linux")]
mod rolling; // machines that change to a newer ken at different times
#[cfg(target_os = "linux")]
mod shared; // one store in PostgreSQL for several machines
mod together; // several processes at once
mod twin; // by the file of vectors, and from the database alone
#[cfg(target_os = "linux")]
mod upgrade; // a copy in PostgreSQL of the first schema
mod vectors; // the file of vectors, what has changed since, and a killed writer
#[cfg(target_os = "linux")]
mod words; // words inside a store in PostgreSQL, against an index of them
