//! Resources that refer to each other in a circle.

use super::plan::References;
use std::collections::BTreeSet;

/// Whether the way from a resource along references, through addresses that `of_kind` admits, leads back to it.
pub(super) fn is_in_circle(address: &str, references: &References, of_kind: &dyn Fn(&str) -> bool) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![address];
    while let Some(at) = open.pop() {
        for next in references.get(at).into_iter().flatten().filter(|next| of_kind(next)) {
            // A rule may name its own group.
            if next == address && at != address {
                return true;
            }
            if next != address && seen.insert(next.as_str()) {
                open.push(next);
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_leads_back() {
        let to = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        let references: References = [
            ("g.a".to_owned(), to(&["g.b", "g.a"])),
            ("g.b".to_owned(), to(&["g.c"])),
            ("g.c".to_owned(), to(&["g.b"])),
            ("g.d".to_owned(), to(&["g.d"])),
        ]
        .into();
        let circle = |address| is_in_circle(address, &references, &|_| true);
        assert!(circle("g.b") && circle("g.c") && !circle("g.a") && !circle("g.d"));
        assert!(!is_in_circle("g.b", &references, &|name| name == "g.b"));
    }
}
