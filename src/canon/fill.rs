//! Captured values into the steps of a fix, as words of a shell.

use super::shell::{Form, places};
use crate::text::shell_quote;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Replaces `{name}` of a declared capture by its value as one word, or by `<name>` if there is none, if it is not
/// safe to paste, or if a value may not stand at that place (see `canon::check`). Every other brace is left as it is.
pub fn fill(step: &str, declared: &BTreeSet<String>, captures: &BTreeMap<String, String>) -> String {
    let mut out = String::with_capacity(step.len() + 32);
    let mut at = 0;
    for place in places(step, declared) {
        out.push_str(&step[at..place.range.start]);
        at = place.range.end;
        let name = place.name(step);
        let value = captures.get(name).filter(|_| !matches!(place.form, Form::Never(_)));
        let word = value
            .and_then(|value| shell_quote(value))
            .filter(|word| place.form == Form::Word || is_bare(word, matches!(word, Cow::Owned(_))));
        match word {
            Some(word) => out.push_str(&word),
            None => out.extend(["<", name, ">"]),
        }
    }
    out.push_str(&step[at..]);
    out
}

/// Whether a value is the same word in quotes, without, and in most other languages: in some, two dashes begin a
/// comment.
fn is_bare(word: &str, quoted: bool) -> bool {
    !quoted && !word.contains("--") && !word.contains('%')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(step: &str, value: &str) -> String {
        let names = ["bucket", "key"].map(String::from);
        fill(step, &names.clone().into(), &names.into_iter().map(|name| (name, value.to_owned())).collect())
    }

    #[test]
    fn only_declared_captures_are_replaced() {
        let declared: BTreeSet<String> = ["bucket", "key"].map(String::from).into();
        let captures: BTreeMap<String, String> = [("bucket".to_owned(), "a b".to_owned())].into();
        assert_eq!(
            fill("aws s3 ls {bucket}/{key} -o jsonpath='{.items}' {other} {", &declared, &captures),
            "aws s3 ls 'a b'/<key> -o jsonpath='{.items}' {other} {"
        );
    }

    #[test]
    fn a_value_is_a_word_or_is_not_there() {
        for (step, value, text) in [
            ("Run `aws s3 ls s3://{bucket}/x`.", "a b", "Run `aws s3 ls s3://'a b'/x`."),
            (
                "Run `terraform apply -var '{bucket}=<value>'`.",
                "$(touch x)",
                "Run `terraform apply -var '<bucket>=<value>'`.",
            ),
            (
                "Run `terraform apply -var '{bucket}=<value>'`.",
                "plain",
                "Run `terraform apply -var '<bucket>=<value>'`.",
            ),
            (
                "Run `terraform apply -var {bucket}=<value>`.",
                "$(touch x)",
                "Run `terraform apply -var '$(touch x)'=<value>`.",
            ),
            ("Don't: `rm {bucket}`.", "a; touch x", "Don't: `rm <bucket>`."),
            ("Don't: `rm {bucket}`.", "a", "Don't: `rm a`."),
            ("The bucket ({bucket}) is gone.", "a b", "The bucket (<bucket>) is gone."),
            ("The bucket ({bucket}) is gone.", "a", "The bucket (a) is gone."),
            ("Empty {bucket} and {key}.", "a b", "Empty 'a b' and 'a b'."),
            ("Look at `{bucket}`.", "reboot", "Look at `<bucket>`."),
        ] {
            assert_eq!(filled(step, value), text);
        }
    }
}
