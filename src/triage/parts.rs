//! Failures that are listed one below the other are one block, unless different things are known about them: then each
//! is a problem of its own.

/// Lines that are known to be an error, such as the match of a pattern, and what is known: a number of the caller's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evidence {
    /// First line, an index into the lines of the piece.
    pub first: usize,
    /// Last line; it belongs to the error.
    pub last: usize,
    /// What is known: the same number for the same thing.
    pub entry: usize,
}

/// Cuts the lines `first..=last` of a block in which failures begin at `openings`, so that no two failures of which
/// different things are known share a part. What nothing is known about stays with the failure above it.
pub(super) fn parts(first: usize, last: usize, openings: &[usize], evidence: &[Evidence]) -> Vec<(usize, usize)> {
    let inner = openings.iter().copied().filter(|at| (first + 1..=last).contains(at));
    let starts: Vec<usize> = std::iter::once(first).chain(inner).collect();
    let known = |from: usize, to: usize| {
        let mut entries: Vec<usize> =
            evidence.iter().filter(|one| (from..to).contains(&one.first)).map(|one| one.entry).collect();
        entries.sort_unstable();
        entries.dedup();
        entries
    };
    let mut out: Vec<(usize, usize)> = Vec::new();
    let mut before: Vec<usize> = Vec::new();
    for (index, &start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).copied().unwrap_or(last + 1);
        let entries = known(start, end);
        match out.last_mut() {
            Some(part) if entries.is_empty() || before.is_empty() || entries == before => {
                part.1 = end - 1;
                if before.is_empty() {
                    before = entries;
                }
            }
            _ => {
                out.push((start, end - 1));
                before = entries;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(first: usize, entry: usize) -> Evidence {
        Evidence { first, last: first, entry }
    }

    #[test]
    fn failures_of_which_nothing_or_the_same_is_known_stay_together() {
        assert_eq!(parts(2, 9, &[2, 5, 7], &[]), [(2, 9)]);
        assert_eq!(parts(2, 9, &[2, 5, 7], &[known(5, 1)]), [(2, 9)]);
        assert_eq!(parts(2, 9, &[2, 5, 7], &[known(2, 1), known(7, 1)]), [(2, 9)]);
    }

    #[test]
    fn failures_of_which_different_things_are_known_are_apart() {
        assert_eq!(parts(2, 9, &[2, 5, 7], &[known(3, 1), known(7, 2)]), [(2, 6), (7, 9)]);
        assert_eq!(parts(2, 9, &[2, 5, 7], &[known(2, 1), known(5, 2), known(8, 1)]), [(2, 4), (5, 6), (7, 9)]);
        assert_eq!(parts(2, 9, &[5], &[known(2, 1), known(3, 2)]), [(2, 9)], "of one failure two things may be known");
    }
}
