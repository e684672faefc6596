//! A copy of a store in a PostgreSQL database, which several machines can reach.
//!
//! The tables lie in the schema `kenning` of that database. Whoever writes holds an advisory lock, so two processes
//! never copy to it at the same time. When a copy is brought back, SQLite refuses rows that break the rules of its
//! tables. Nothing else about them is checked.

mod connect;
mod rows;
mod schema;
mod text;
mod tls;

pub use connect::{Access, is_address};
pub(in crate::store) use rows::Rows;
