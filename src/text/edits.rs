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

/// Every word that one slip of the pen makes of `word`, in small ASCII letters: one letter left out, put in, exchanged,
/// or two neighbours swapped. A slip undoes another (Damerau, "A technique for computer detection and correction of
/// spelling errors", 1964).
pub fn slips(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    let with = |at: usize, skip: usize, new: &[char]| -> String {
        letters[..at].iter().chain(new).chain(letters.get(at + skip..).unwrap_or_default()).collect()
    };
    let mut out = Vec::new();
    for at in 0..=letters.len() {
        if let [a, b, ..] = letters[at..] {
            out.push(with(at, 2, &[b, a]));
        }
        if at < letters.len() {
            out.push(with(at, 1, &[]));
        }
        for letter in 'a'..='z' {
            out.push(with(at, 0, &[letter]));
            if at < letters.len() {
                out.push(with(at, 1, &[letter]));
            }
        }
    }
    out.sort_unstable();
    out.dedup();
    out.retain(|slip| slip != word);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_makes_another_word() {
        let all = slips("pik");
        for word in ["pick", "pk", "pix", "pki", "spik"] {
            assert!(all.iter().any(|slip| slip == word), "{word}");
        }
        assert!(!all.iter().any(|slip| slip == "pik"));
        // 3 left out, 2 swapped, 75 exchanged, 104 put in, of which 3 come twice.
        assert_eq!(all.len(), 3 + 2 + 75 + 101);
        let near = |slip: &String| edits("pik", slip) == 1 || slip.len() == 3 && edits("pik", slip) == 2;
        assert!(all.iter().all(near));
        assert_eq!(slips("").len(), 26);
    }

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
