//! The tables of rules: what a sentence must look like to be proposed, with examples and counterexamples.
//!
//! A row is found by trying the tables in order ([`TABLES`]) and the rows of a table in order; the first that matches
//! decides. All patterns are general English and ignore case. An apostrophe in a pattern stands for both forms. The
//! group `what` or `own`, where a pattern has one, is what is kept; else the whole sentence is.

mod corrections;
mod decisions;
mod discoveries;
mod explicit;
mod preferences;
mod requirements;
pub(super) mod results;

use std::sync::LazyLock;

use regex::Regex;

use super::found::{Confidence, Kind, Trigger};
use crate::text::pattern;

/// Who may have said a sentence for a rule to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// A person, or nobody knows.
    Person,
    /// A person in a talk or a note; not a document, which is against nothing that was said.
    Speaker,
    /// Anybody but a tool. What a program said is less certain.
    Anyone,
    /// Nobody knows, and the sentence is a bullet: a list of rules.
    Bullet,
}

/// What a sentence must look like, and what it then is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    /// The name that proposals carry.
    pub(super) name: &'static str,
    /// The memory's kind; none: it is told from the words (`kind_of`).
    pub(super) kind: Option<Kind>,
    /// Why it is proposed.
    pub(super) trigger: Trigger,
    /// How sure it is when a person said it.
    pub(super) confidence: Confidence,
    /// Who may have said it.
    pub(super) by: By,
    /// Whether a question may match.
    pub(super) takes_questions: bool,
    /// What must be found.
    pub(super) pattern: &'static str,
    /// What must not be found; empty: nothing.
    pub(super) unless: &'static str,
    /// Sentences that match.
    #[cfg_attr(not(test), expect(dead_code, reason = "the test over the tables reads it"))]
    pub(super) yes: &'static [&'static str],
    /// Sentences that do not.
    #[cfg_attr(not(test), expect(dead_code, reason = "the test over the tables reads it"))]
    pub(super) no: &'static [&'static str],
}

/// The base of rows, which name what differs.
const ROW: Rule = Rule {
    name: "",
    kind: None,
    trigger: Trigger::Statement,
    confidence: Confidence::Medium,
    by: By::Person,
    takes_questions: false,
    pattern: "",
    unless: "",
    yes: &[],
    no: &[],
};

/// The tables in order of precedence. `results` is not among them: what worked is put together by `fixes`.
pub(super) const TABLES: &[&[Rule]] = &[
    explicit::RULES,
    corrections::RULES,
    discoveries::RULES,
    decisions::RULES,
    requirements::RULES,
    preferences::RULES,
];

/// A rule with its patterns compiled.
pub(super) struct Compiled {
    pub(super) rule: &'static Rule,
    pattern: Regex,
    unless: Option<Regex>,
}

static COMPILED: LazyLock<Vec<Compiled>> =
    LazyLock::new(|| TABLES.iter().flat_map(|table| table.iter()).map(compiled).collect());

/// Compiles a rule of a table.
pub(super) fn compiled(rule: &'static Rule) -> Compiled {
    let unless = (!rule.unless.is_empty()).then(|| phrase(rule.unless));
    Compiled { rule, pattern: phrase(rule.pattern), unless }
}

/// Compiles a pattern of these tables.
pub(super) fn phrase(source: &str) -> Regex {
    pattern(&format!("(?is){}", source.replace('\'', r"(?:'|\x{2019})")))
}

impl Compiled {
    /// What of the sentence is kept, if the rule matches it.
    pub(super) fn kept<'a>(&self, sentence: &'a str) -> Option<&'a str> {
        if !self.rule.takes_questions && sentence.ends_with('?') {
            return None;
        }
        let found = self.pattern.captures(sentence)?;
        if self.unless.as_ref().is_some_and(|unless| unless.is_match(sentence)) {
            return None;
        }
        Some(found.name("what").or_else(|| found.name("own")).map_or(sentence, |what| what.as_str()))
    }
}

/// The first rule that a sentence matches and what of the sentence is kept, for a speaker whom `may` lets through.
pub(super) fn first(sentence: &str, may: impl Fn(By) -> bool) -> Option<(&'static Rule, &str)> {
    let mut able = COMPILED.iter().filter(|compiled| may(compiled.rule.by));
    able.find_map(|compiled| compiled.kept(sentence).map(|kept| (compiled.rule, kept)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Every row matches its examples and none of its counterexamples, and has some of both.
    #[test]
    fn rows_hold_their_examples() {
        let all: Vec<&'static Rule> = TABLES.iter().chain(&[results::RULES]).flat_map(|table| table.iter()).collect();
        let mut wrong = Vec::new();
        for rule in &all {
            let compiled = compiled(rule);
            let matches = |text: &str| compiled.kept(text).is_some();
            wrong.extend(rule.yes.iter().filter(|text| !matches(text)).map(|text| (rule.name, "misses", *text)));
            wrong.extend(rule.no.iter().filter(|text| matches(text)).map(|text| (rule.name, "takes", *text)));
            assert!(rule.yes.len() >= 3 && rule.no.len() >= 2, "{} needs more examples", rule.name);
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        let names: BTreeSet<&str> = all.iter().map(|rule| rule.name).collect();
        assert_eq!(names.len(), all.len(), "two rows have one name");
    }
}
