//! A copy of a store in PostgreSQL, which a team's machines can reach: connected to, brought up to date, read and
//! written row by row.
//!
//! The tables lie in the schema `kenning` of the database that the address names. Whoever writes holds an advisory
//! lock, so two copies never mix. What the server gives is not believed: rows of a copy come back through SQLite's
//! rules.

mod connect;
mod rows;
mod schema;
mod text;
mod tls;

pub use connect::{Access, is_address};
pub(in crate::store) use rows::Rows;
