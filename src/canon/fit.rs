//! Which of an entry's words fit the message that matched: the sentences and steps of its variant, for its platform.

use super::said::{Remark, Step};
use crate::types::Platform;
use std::collections::BTreeSet;

/// What is known of the message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fit {
    /// Names of the patterns that matched; `None` if the entry was found without a pattern, so that any may fit.
    pub variants: Option<BTreeSet<String>>,
    /// Where it was printed, if the text tells.
    pub platform: Option<Platform>,
}

impl Fit {
    fn holds(&self, when: &[String]) -> bool {
        when.is_empty() || self.variants.as_ref().is_none_or(|names| when.iter().any(|name| names.contains(name)))
    }

    fn is_on(&self, on: &[Platform]) -> bool {
        on.is_empty() || self.platform.is_none_or(|here| on.iter().any(|there| here.may_be(*there)))
    }

    /// The cause in the sentences that fit; those that only may are introduced by their variant.
    pub fn cause(&self, remarks: &[Remark]) -> String {
        let fitting = remarks.iter().filter(|remark| self.holds(&remark.when));
        let texts = fitting.map(|remark| labelled(self.condition(&remark.when, &[]), &remark.text));
        texts.collect::<Vec<_>>().join(" ")
    }

    /// The steps that fit, each with what introduces it where it only may.
    pub fn steps<'a>(&self, all: &'a [Step]) -> Vec<(String, &'a Step)> {
        let on_platform = |step: &&Step| self.holds(&step.when) && self.is_on(&step.on);
        let mut fitting: Vec<&Step> = all.iter().filter(on_platform).collect();
        if fitting.is_empty() {
            // Nothing for this platform: what is known for others is better than nothing.
            fitting = all.iter().filter(|step| self.holds(&step.when)).collect();
        }
        fitting.into_iter().map(|step| (labelled(self.condition(&step.when, &step.on), &step.text), step)).collect()
    }

    /// On what it still depends whether a text fits: `Case "logged out" on macOS`.
    fn condition(&self, when: &[String], on: &[Platform]) -> Option<String> {
        let open = self.platform.is_none_or(|here| !on.contains(&here));
        let platforms: Vec<&str> = on.iter().filter(|_| open).map(|platform| platform.label()).collect();
        let variants: Vec<String> =
            when.iter().filter(|_| self.variants.is_none()).map(|name| format!("\"{}\"", spoken(name))).collect();
        match (either(&variants), platforms.join(", ")) {
            (None, platforms) => Some(platforms).filter(|platforms| !platforms.is_empty()),
            (Some(names), platforms) if platforms.is_empty() => Some(format!("Case {names}")),
            (Some(names), platforms) => Some(format!("Case {names} on {platforms}")),
        }
    }
}

/// The cause for every variant as models read it. Vectors are made of this text: another form means other vectors.
pub(super) fn embedded_cause(remarks: &[Remark]) -> String {
    let condition = |remark: &Remark| {
        let names: Vec<String> = remark.when.iter().map(|name| spoken(name)).collect();
        (!names.is_empty()).then(|| capitalised(&names.join(" or ")))
    };
    remarks.iter().map(|remark| labelled(condition(remark), &remark.text)).collect::<Vec<_>>().join(" ")
}

/// The name of a variant as words.
fn spoken(name: &str) -> String {
    name.replace('-', " ")
}

/// `a`, `a or b`, `a, b or c`.
fn either(names: &[String]) -> Option<String> {
    let (last, others) = names.split_last()?;
    Some(if others.is_empty() { last.clone() } else { format!("{} or {last}", others.join(", ")) })
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

fn labelled(condition: Option<String>, text: &str) -> String {
    condition.map_or_else(|| text.to_owned(), |condition| format!("{condition}: {text}"))
}

#[cfg(test)]
mod tests {
    use super::super::pack::Entry;
    use super::*;
    use serde_json::json;

    fn entry() -> Entry {
        serde_json::from_value(json!({"id": "p/a", "title": "No access",
            "error_patterns": [{"name": "logged-out", "pattern": "not logged in"}, {"name": "refused", "pattern": "refused you"},
                "no access"],
            "cause": ["No access.", {"text": "Nobody is logged in.", "when": ["logged-out"]}],
            "fix": [{"text": "Log in.", "when": ["logged-out"]}, {"text": "Ask.", "when": ["refused"]},
                {"text": "`apt install login`", "on": ["debian"]}, {"text": "`brew install login`", "on": ["macos"]}]}))
        .unwrap()
    }

    fn texts(fit: &Fit) -> Vec<String> {
        fit.steps(&entry().fix).into_iter().map(|(text, _)| text).collect()
    }

    #[test]
    fn only_what_fits_the_pattern_and_the_platform_is_said() {
        let fit = entry().fit(["not logged in"], Some(Platform::Debian));
        assert_eq!(texts(&fit), ["Log in.", "`apt install login`"]);
        assert_eq!(fit.cause(&entry().cause), "No access. Nobody is logged in.");
        let fit = entry().fit(["refused you"], Some(Platform::Linux));
        assert_eq!(texts(&fit), ["Ask.", "Debian, Ubuntu: `apt install login`"]);
        assert_eq!(fit.cause(&entry().cause), "No access.");
        // A pattern without a name has what is for all.
        let fit = entry().fit(["no access"], Some(Platform::Macos));
        assert_eq!(texts(&fit), ["`brew install login`"]);
    }

    #[test]
    fn what_may_fit_is_said_with_its_condition() {
        let all = [
            "Case \"logged out\": Log in.",
            "Case \"refused\": Ask.",
            "Debian, Ubuntu: `apt install login`",
            "macOS: `brew install login`",
        ];
        assert_eq!(texts(&Fit::default()), all);
        assert_eq!(Fit::default().cause(&entry().cause), "No access. Case \"logged out\": Nobody is logged in.");
        // Models read what their vectors were made of.
        assert_eq!(entry().embedded_cause(), "No access. Logged out: Nobody is logged in.");
    }

    #[test]
    fn several_conditions_are_one_phrase() {
        let condition = |when: &[&str], on: &[Platform]| {
            let when: Vec<String> = when.iter().map(|name| (*name).to_owned()).collect();
            Fit::default().condition(&when, on).unwrap_or_default()
        };
        assert_eq!(condition(&["limit", "mix-up"], &[]), "Case \"limit\" or \"mix up\"");
        assert_eq!(condition(&["a", "b", "c"], &[]), "Case \"a\", \"b\" or \"c\"");
        assert_eq!(condition(&["a"], &[Platform::Debian, Platform::Macos]), "Case \"a\" on Debian, Ubuntu, macOS");
        assert_eq!(condition(&[], &[]), "");
    }

    #[test]
    fn steps_for_other_platforms_are_better_than_none() {
        let fit = entry().fit(["no access"], Some(Platform::Windows));
        assert_eq!(texts(&fit), ["Debian, Ubuntu: `apt install login`", "macOS: `brew install login`"]);
    }
}
