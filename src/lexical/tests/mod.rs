//! Naive twins: BM25 text by text, an index built anew in place of one that was changed, FTS5 itself.

mod damage;
mod fts5;
mod headings;
mod naive;
mod stored;
