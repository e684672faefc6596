//! The integration tests of `embed`.
//!
//! `embed` holds the tests by subject, `support` what they share. One binary, so that the library links once.

// A test that cannot go on should stop where it stands.
#![allow(clippy::unwrap_used)]

mod embed;
mod support;
