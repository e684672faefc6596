//! The pack format, as `index/canon-pack.schema.json` has it for other tools.

use super::condition::Condition;
use super::fit::{Fit, embedded_cause};
use super::said::{EntryPattern, Example, Remark, Step, list, one_or_many};
use super::walk::unexampled;
use crate::screen;
use crate::text::{FINGERPRINT_VERSION, clean, mask};
use crate::triage::blocks;
use crate::types::{CausalRole, Platform};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The version of the format that this program writes. It reads all before it as well.
pub const SCHEMA_VERSION: u32 = 2;

/// One pack file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackFile {
    /// At most [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Name of the pack, the first part of its entries' ids. Its file is named for it; a long pack lies in several:
    /// `node.a-n.json`, `node.o-z.json`.
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
    #[serde(default, with = "list")]
    pub error_patterns: Vec<EntryPattern>,
    /// Patterns that point here without proving it.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "list")]
    pub generic_patterns: Vec<EntryPattern>,
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
    /// Why it happens, in one or two sentences for each variant.
    #[serde(with = "one_or_many")]
    pub cause: Vec<Remark>,
    /// Steps, in the order to try them.
    #[serde(with = "list")]
    pub fix: Vec<Step>,
    /// Where to read more.
    #[serde(default)]
    pub references: Vec<String>,
    /// Output that must match a pattern.
    #[serde(default, with = "list")]
    pub examples: Vec<Example>,
    /// Output that must match no specific pattern.
    #[serde(default)]
    pub counterexamples: Vec<String>,
    /// Whether the entry names the surface of many causes, so that another entry that matches too is shown before it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub general: bool,
    /// What it is in the chain of events that ends in a failure.
    #[serde(default, skip_serializing_if = "CausalRole::is_cause")]
    pub role: CausalRole,
    /// Ids of entries that typically cause this one; where one of them matches in the same input, it comes first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub caused_by: Vec<String>,
    /// Planned changes of infrastructure that are likely to meet this error.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plan: Vec<Condition>,
    /// Former ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
}

impl Entry {
    /// The texts that are embedded, each on its own: title, symptoms, examples, and title with cause. An entry is as
    /// near as the nearest of them.
    pub fn texts(&self) -> Vec<EntryText> {
        let mut out = vec![EntryText::Plain(self.title.clone())];
        out.extend(self.symptoms.iter().cloned().map(EntryText::Plain));
        out.extend(self.examples.iter().map(|example| EntryText::Output(example.text.clone())));
        out.push(EntryText::Plain(format!("{}. {}", self.title, self.embedded_cause())));
        out
    }

    /// All patterns, those that are proof first.
    pub fn patterns(&self) -> impl Iterator<Item = &EntryPattern> {
        self.error_patterns.iter().chain(&self.generic_patterns)
    }

    /// The variant that a pattern of this source shows, if it shows one.
    pub fn variant_of(&self, pattern: &str) -> Option<&str> {
        self.patterns().find(|one| one.pattern == pattern)?.name.as_deref()
    }

    /// What is known of a message that these patterns matched; without any, the entry was found otherwise.
    pub fn fit<'a>(&self, matched: impl IntoIterator<Item = &'a str>, platform: Option<Platform>) -> Fit {
        let mut matched = matched.into_iter().peekable();
        let found = matched.peek().is_some();
        let names = matched.filter_map(|pattern| self.variant_of(pattern)).map(str::to_owned).collect();
        Fit { variants: found.then_some(names), platform }
    }

    /// The cause for every variant: each sentence, those that hold for some with their condition.
    pub fn whole_cause(&self) -> String {
        Fit::default().cause(&self.cause)
    }

    /// The same as models read it.
    pub fn embedded_cause(&self) -> String {
        embedded_cause(&self.cause)
    }

    /// The steps for every variant and platform, those that are for some with their condition.
    pub fn whole_fix(&self) -> impl Iterator<Item = String> {
        Fit::default().steps(&self.fix).into_iter().map(|(text, _)| text)
    }

    /// Further texts, made from patterns that no example shows. Compiles patterns: not for a hot path.
    pub fn generated_texts(&self) -> Vec<EntryText> {
        unexampled(&self.error_patterns, &self.examples).into_iter().map(EntryText::Output).collect()
    }

    /// The text of this number among [`Entry::texts`] and then [`Entry::generated_texts`].
    pub fn text_of(&self, part: usize) -> Option<EntryText> {
        let own = self.texts();
        let made = part.checked_sub(own.len());
        match made {
            Some(made) => self.generated_texts().into_iter().nth(made),
            None => own.into_iter().nth(part),
        }
    }

    /// All text of the entry that keywords may find: each wording once.
    pub fn keyword_text(&self) -> String {
        let mut parts: Vec<&str> = vec![&self.title];
        parts.extend(self.cause.iter().map(|remark| remark.text.as_str()));
        parts.extend(self.symptoms.iter().chain(&self.tags).map(String::as_str));
        parts.extend(self.examples.iter().map(|example| example.text.as_str()));
        parts.extend(self.resource.iter().chain(&self.provider).map(String::as_str));
        parts.join("\n")
    }

    /// The texts that stand on one line wherever they are shown, each with its field's name.
    pub(super) fn single_lines(&mut self) -> impl Iterator<Item = (&'static str, &mut String)> {
        let one = [("id", &mut self.id), ("title", &mut self.title)];
        let some = [("resource", &mut self.resource), ("provider", &mut self.provider)];
        let lists = [("tag", &mut self.tags), ("reference", &mut self.references), ("alias", &mut self.aliases)];
        let some = some.into_iter().filter_map(|(name, text)| Some((name, text.as_mut()?)));
        let lists = lists.into_iter().flat_map(|(name, list)| list.iter_mut().map(move |text| (name, text)));
        one.into_iter().chain(some).chain(lists)
    }

    /// The texts that may have several lines, each with its field's name. Examples are not among them: they are output
    /// of tools as it is.
    pub(super) fn paragraphs(&mut self) -> impl Iterator<Item = (&'static str, &mut String)> {
        let patterns = self.error_patterns.iter_mut().chain(&mut self.generic_patterns);
        let patterns = patterns.map(|one| ("pattern", &mut one.pattern));
        let lists = self.symptoms.iter_mut().map(|text| ("symptom", text));
        let steps = self.fix.iter_mut().flat_map(|step| std::iter::once(&mut step.text).chain(&mut step.loses));
        let lists = lists.chain(steps.map(|text| ("fix", text)));
        self.cause.iter_mut().map(|remark| ("cause", &mut remark.text)).chain(lists).chain(patterns)
    }

    /// Takes out of everything that is shown what moves or hides, and line breaks of what is one line.
    pub(super) fn fold(&mut self) {
        for (_, text) in self.single_lines() {
            if let Cow::Owned(folded) = screen::line(text) {
                *text = folded;
            }
        }
        for (name, text) in self.paragraphs() {
            // A pattern means what it says; it is cleaned where it is shown.
            if let ("symptom" | "fix" | "cause", Cow::Owned(clean)) = (name, screen::clean(text)) {
                *text = clean;
            }
        }
    }
}

/// A text of an entry before it is embedded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryText {
    /// Embedded as it is.
    Plain(String),
    /// Output of a tool: embedded as a lookup would see it, its first error block, masked.
    Output(String),
}

impl EntryText {
    /// What identifies the embedded text, without the work of making it: the source and the version of the masks.
    pub fn key(&self) -> String {
        match self {
            Self::Plain(text) => text.clone(),
            Self::Output(text) => format!("{FINGERPRINT_VERSION}:{text}"),
        }
    }

    /// The text that is embedded.
    pub fn embedded(&self) -> String {
        match self {
            Self::Plain(text) => text.clone(),
            Self::Output(text) => {
                let cleaned = clean(text);
                blocks(&cleaned).into_iter().next().map_or_else(|| mask(&cleaned.text), |block| block.salient)
            }
        }
    }
}
