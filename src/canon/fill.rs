//! Captured values into the steps of a fix, quoted for a shell.

use crate::text::shell_quote;
use std::collections::{BTreeMap, BTreeSet};

/// Replaces `{name}` of a declared capture by its quoted value, or by `<name>` if it is missing or not safe to paste.
/// Every other brace is left as it is.
pub fn fill(step: &str, declared: &BTreeSet<String>, captures: &BTreeMap<String, String>) -> String {
    let mut out = String::with_capacity(step.len() + 32);
    let mut rest = step;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        let after = &rest[open + 1..];
        match after.find('}').map(|close| (&after[..close], close)) {
            Some((name, close)) if declared.contains(name) => {
                match captures.get(name).and_then(|value| shell_quote(value)) {
                    Some(quoted) => out.push_str(&quoted),
                    None => {
                        out.push('<');
                        out.push_str(name);
                        out.push('>');
                    }
                }
                rest = &after[close + 1..];
            }
            _ => {
                out.push('{');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_declared_captures_are_replaced() {
        let declared: BTreeSet<String> = ["bucket", "key"].map(String::from).into();
        let captures: BTreeMap<String, String> = [("bucket".to_owned(), "a b".to_owned())].into();
        assert_eq!(
            fill("aws s3 ls {bucket}/{key} -o jsonpath='{.items}' {other} {", &declared, &captures),
            "aws s3 ls 'a b'/<key> -o jsonpath='{.items}' {other} {"
        );
    }
}
