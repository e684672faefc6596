//! What is kept, and what could take it away.

#[cfg(all(target_os = "linux", feature = "postgres"))]
mod away; // a store in PostgreSQL that is empty, busy or cannot be reached
mod bad_disk; // full, read-only, without locks
#[cfg(all(target_os = "linux", feature = "postgres"))]
mod builds; // builds of the index of vectors in PostgreSQL that are killed, and users who may not make one
pub(crate) mod churn; // many rows, half of them changed, while others read and the writer is killed
mod compat; // data directories of released versions
mod copies; // what is removed beside the database, and what is not ours
mod crash; // kill -9 at any moment
mod damage; // flipped bytes, truncation, foreign and newer files
#[cfg(all(target_os = "linux", feature = "postgres"))]
mod gate; // the gate of a store in PostgreSQL is fitted while others write
#[cfg(all(target_os = "linux", feature = "postgres"))]
mod jobs; // jobs of several services on one store in PostgreSQL
#[cfg(all(target_os = "linux", feature = "postgres"))]
mod lists; // lists of words in PostgreSQL that do not fit the items
#[cfg(all(target_os = "linux", feature = "postgres"))]
mod postgres; // copies in a real server: there and back, killed, refused
mod renewal; // the file of vectors is made again while others write
#[cfg(all(target_os = "linux", feature = "postgres"))]
mod replica; // searches that read from a standby
#[cfg(all(target_os = "linux", feature = "postgres"))]
mod rolling; // machines that change to a newer ken, or another model, one after the other
#[cfg(all(target_os = "linux", feature = "postgres"))]
mod scopes; // teams in one store in PostgreSQL, which withholds from each what is another's
#[cfg(all(target_os = "linux", feature = "postgres"))]
mod shared; // one store in PostgreSQL for several machines
mod together; // several processes at once
#[cfg(all(target_os = "linux", feature = "postgres"))]
mod turns; // several machines write to one store in PostgreSQL while texts are embedded
mod twin; // by the file of vectors, and from the database alone
#[cfg(all(target_os = "linux", feature = "postgres"))]
mod upgrade; // a copy in PostgreSQL of the first schema
#[cfg(all(target_os = "linux", feature = "postgres"))]
mod upkeep; // the index of vectors of a store in PostgreSQL is made while others write
mod vectors; // the file of vectors, what has changed since, and a killed writer
#[cfg(all(target_os = "linux", not(feature = "postgres")))]
mod without_postgres; // an address of PostgreSQL in a build without its client
#[cfg(all(target_os = "linux", feature = "postgres"))]
mod words; // words inside a store in PostgreSQL, against an index of them
