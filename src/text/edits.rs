//! How many letters two names differ by, to offer the one that was meant.

/// Levenshtein distance in characters: how many are put in, left out or exchanged.
pub fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let cost = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = cost.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// At most three known names that are similar to `name`, the nearest first. A name is similar if the edits are at most
/// a third of its length, or if one contains the other. Edits are counted behind the last slash.
pub fn near_names<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Vec<String> {
    let lower = name.to_lowercase();
    let bare = lower.rsplit('/').next().unwrap_or(&lower);
    let mut near: Vec<(usize, &str)> = known
        .filter_map(|candidate| {
            let other = candidate.to_lowercase();
            let distance = edits(bare, other.rsplit('/').next().unwrap_or(&other));
            let contained = bare.len() >= 3 && (other.contains(bare) || bare.contains(&other));
            (contained || distance * 3 <= bare.len().max(3)).then_some((distance, candidate))
        })
        .collect();
    near.sort();
    near.dedup();
    near.into_iter().take(3).map(|(_, name)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_differ_in_few_letters_or_hold_each_other() {
        let known = ["terraform-aws/state-lock", "terraform-aws/role", "docker/no-space", "rust"];
        let near = |name: &str| near_names(name, known.iter().copied());
        assert_eq!(near("terraform-aws/state-lok"), ["terraform-aws/state-lock"]);
        assert_eq!((near("ruts"), near("space")), (vec![], vec!["docker/no-space".to_owned()]));
        assert_eq!(near("Rusty"), ["rust"]);
        // What is known twice is named once.
        assert_eq!(near_names("rusd", ["rust", "ruff", "rust"].into_iter()), ["rust"]);
    }

    #[test]
    fn letters_that_differ_are_counted() {
        for (a, b, distance) in [("limit", "limit", 0), ("limti", "limit", 2), ("", "abc", 3), ("naive", "naïve", 1)] {
            assert_eq!((edits(a, b), edits(b, a)), (distance, distance), "{a} {b}");
        }
    }
}
