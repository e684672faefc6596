//! Drafts.
