//! The pack format, as `index/canon-pack.schema.json` has it for other tools.

use crate::text::{blocks, clean, mask};
use serde::{Deserialize, Serialize};

/// The version of the format that this program reads and writes.
pub const SCHEMA_VERSION: u32 = 1;

/// One pack file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackFile {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Name of the pack, the first part of its entries' ids; equal to the file's stem.
    pub pack: String,
    /// What the pack is about, for people.
    pub title: String,
    /// Sorted by id.
    pub entries: Vec<Entry>,
}

/// One known error.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// `pack/slug`, stable for ever; a renamed entry keeps its old id in `aliases`.
    pub id: String,
    /// The problem in at most 80 characters.
    pub title: String,
    /// Specific patterns: a match is proof. Syntax shared by `regex` and RE2; a space matches any white space.
    #[serde(default)]
    pub error_patterns: Vec<String>,
    /// Patterns that point here without proving it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub generic_patterns: Vec<String>,
    /// The trouble in the words of somebody who does not know its cause. No regex.
    #[serde(default)]
    pub symptoms: Vec<String>,
    /// The kind of object it is about, such as `aws_s3_bucket`.
    #[serde(default)]
    pub resource: Option<String>,
    /// Whose software prints it, such as `aws`.
    #[serde(default)]
    pub provider: Option<String>,
    /// Words to filter by.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Why it happens, in one or two sentences.
    pub cause: String,
    /// Steps; `{name}` of a declared capture is replaced by the quoted value.
    pub fix: Vec<String>,
    /// Where to read more.
    #[serde(default)]
    pub references: Vec<String>,
    /// Output that must match a pattern.
    #[serde(default)]
    pub examples: Vec<String>,
    /// Output that must match no specific pattern.
    #[serde(default)]
    pub counterexamples: Vec<String>,
    /// Former ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
}

impl Entry {
    /// The texts that are embedded, each on its own: title, symptoms, examples (masked, without frames), and title with
    /// cause. An entry is as near as the nearest of them.
    pub fn texts(&self) -> Vec<String> {
        let mut out = vec![self.title.clone()];
        out.extend(self.symptoms.iter().cloned());
        out.extend(self.examples.iter().map(|example| masked_example(example)));
        out.push(format!("{}. {}", self.title, self.cause));
        out
    }

    /// All text of the entry that keywords may find: each wording once.
    pub fn keyword_text(&self) -> String {
        let mut parts: Vec<&str> = vec![&self.title, &self.cause];
        parts.extend(self.symptoms.iter().map(String::as_str));
        parts.extend(self.tags.iter().map(String::as_str));
        parts.extend(self.resource.iter().chain(&self.provider).map(String::as_str));
        let examples: Vec<String> = self.examples.iter().map(|e| masked_example(e)).collect();
        parts.extend(examples.iter().map(String::as_str));
        parts.join("\n")
    }
}

/// The example as a lookup would see it: its first error block, masked.
fn masked_example(example: &str) -> String {
    let cleaned = clean(example);
    match blocks(&cleaned, &[]).into_iter().next() {
        Some(block) => block.salient,
        None => mask(&cleaned.text),
    }
}
