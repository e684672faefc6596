//! The models on this machine: finding, pulling, importing, verifying, loading and removing them.
//!
//! ```text
//! <dir>/<name>/installed.json    the record of a model; beside it its files, unless they lie in the hub's cache
//! <dir>/.seen/<place>.json       records of models in other tools' directories
//! <dir>/.locks/<name>.lock       held while a model is pulled or imported
//! ```
//! A model's directory appears whole, by rename. Reading never needs write access: a record that cannot be written
//! costs a hash at the next load, nothing else. `base` holds what the other files share; each of them is a use.

mod base;
mod bundle;
mod change;
mod check;
mod find;
mod import;
mod load;
mod pull;
mod record;
mod staging;

pub use base::{Installed, ModelStore, State};
pub use bundle::{BundleExtras, BundledVectors, Unbundled};
pub use check::FileCheck;
pub use check::ModelFault;
pub use record::Origin;
pub use staging::Leftovers;

use base::RECORD;
