//! Plans and validations of Terraform, as `terraform show -json` and `terraform validate -json` print them, held against
//! the conditions that entries carry.
//!
//! Pure: reads text, opens no file, runs no program. Knows no provider; what is likely to fail is data in the packs.
//! Sources: "JSON Output Format" and "validate: JSON Output Format" of the Terraform documentation.

mod circle;
mod judge;
mod plan;
mod read;
#[cfg(test)]
mod tests;
mod value;

pub use judge::{judge, uncovered};
pub use plan::{Change, Plan};
pub use read::{Diagnostic, Input, ReadError, read};
