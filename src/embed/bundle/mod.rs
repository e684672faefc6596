//! A model in one file, for machines without a network: `ken model bundle` writes it, `ken model import` reads it.
//!
//! It is a zip archive whose files are stored as they are, in a fixed order: first `contents`, which names all others
//! with size and SHA-256. It is read once, from the front to the back, and every name, size and hash in it must be what
//! the contents say. So no name in it becomes a path, and nothing in it unpacks to more than its own size. Layout in
//! `index/FORMAT.md`.

mod contents;
mod read;
mod write;

pub(crate) use contents::{Contents, Entry, FILES, VECTORS, Vectors};
pub(crate) use read::Bundle;
pub(crate) use write::{Source, write};
