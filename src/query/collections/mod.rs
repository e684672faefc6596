//! The sorts of knowledge there are: entries of packs and indexed items.

mod canon;
mod finder;
mod items;

pub(super) use canon::CanonCollection;
pub use finder::{Admitted, DerivedItems, FindItems, NearItem, PreparedWords};
pub use items::{Around, Files, ItemCollection, Noise};
