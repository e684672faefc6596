//! The integration tests of `embed`.
//!
//! `embed` holds the tests by subject, `support` what they share. One binary, so that the library links once.

mod embed;
mod support;
