//! A store in a PostgreSQL database, which several machines can reach: used where it lies, or a copy of another one.
//!
//! The tables lie in the schema `kenning` of that database, with the rules of SQLite's. The statements of its concerns
//! stand in `store::sql`. Whoever writes holds an advisory lock, so batches follow each other and nobody copies to the
//! store while somebody else writes. When a copy is brought back, SQLite refuses rows that break the rules of its
//! tables. Nothing else about them is checked.
//!
//! The words of items lie in tables of their own, which SQLite has not: `words` keeps and finds them.

mod client;
mod connect;
mod database;
mod jobs;
mod limit;
mod link;
mod locks;
mod nearest;
mod pending;
mod rights;
mod row;
mod rows;
mod schema;
mod server_error;
mod statements;
mod text;
mod tls;
mod words;

pub(in crate::store) use connect::name_of;
pub use database::{SharedBatch, SharedDatabase};
pub use jobs::SharedJobs;
pub(in crate::store) use rows::Rows;
pub use rustls::Error as TlsError;
pub(in crate::store) use server_error::{reason, server_hint};
pub use tokio_postgres::Error as ServerError;

#[cfg(test)]
#[cfg(unix)]
mod tests;
#[cfg(test)]
#[cfg(unix)]
pub(in crate::store) use tests::address_of;
