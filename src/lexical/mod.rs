//! Keyword search over a set of documents: term frequencies and lengths in a file of our own, and BM25 over them.
//! Derived from the store or the packs, never the truth.
//!
//! Decides which documents share terms with a question, and how much that says; knows documents by number only. No text
//! is read or tokenised for a question but the question's own. Statistics (document frequencies, size of the corpus,
//! mean length) are always those of the documents that are there now.
//!
//! - `query_terms` is a question's distinct terms with their weights; `bm25` is what they are worth.
//! - `image` is the file: an inverted list (term to documents) and a forward list (document to terms), with counts.
//!   `layout` says where its parts lie, `writer` and `builder` make one, `forward` packs and unpacks the forward list.
//! - `index` is an image with what has changed since laid over it. `search` finds candidates with the inverted list,
//!   `score` computes BM25 of given documents with the forward list, or of all.
//! - `stored` ranks and scores the same way where both lists lie in a database and only parts of them are at hand.

mod bm25;
mod builder;
mod forward;
mod hash;
mod image;
mod index;
mod layout;
mod query_terms;
mod saturation;
mod score;
mod search;
mod stored;
mod writer;

#[cfg(test)]
mod tests;

pub use bm25::{Bm25, Naming, Reach, TermOverlap, WeightedTerms};
pub use builder::{DocumentTerms, TermImageBuilder, TermText, word_hash};
pub use image::{TermImage, TermOrigin};
pub use index::TermIndex;
pub use query_terms::QueryTerms;
pub use score::Bm25Scores;
pub use search::PreparedQuery;
pub use stored::{DocumentVersion, Ranking, StoredPosting, StoredQuery};
