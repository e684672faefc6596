//! Failures that are listed one below the other are one block, unless different things are known about them: then each
//! is a problem of its own. A compiler's warnings are left out where errors stand in the same list.

use super::cut::Opening;

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

/// Cuts the lines `first..=last` of a block into parts. Failures begin at `openings`. Two of which different things are
/// known share no part; one of which nothing is known stays with the one above it. Warnings beside errors are left out.
pub(super) fn parts(first: usize, last: usize, openings: &[Opening], evidence: &[Evidence]) -> Vec<(usize, usize)> {
    let inner = |one: &&Opening| (first..=last).contains(&one.line);
    let own: Vec<Opening> = openings.iter().filter(inner).copied().collect();
    let of_errors = errors_among(first, last, &own);
    of_errors.into_iter().flat_map(|(first, last)| known_apart(first, last, &own, evidence)).collect()
}

/// The stretches of a list that are errors. A list without warnings, or without errors, is one stretch.
fn errors_among(first: usize, last: usize, openings: &[Opening]) -> Vec<(usize, usize)> {
    let is_mixed = |two: &[Opening]| two[0].is_warning != two[1].is_warning;
    if !openings.windows(2).any(is_mixed) {
        return vec![(first, last)];
    }
    let mut out = Vec::new();
    let mut from = first;
    for two in openings.windows(2).filter(|two| is_mixed(two)) {
        if two[0].is_warning {
            from = two[1].line;
        } else {
            out.push((from, two[1].line - 1));
        }
    }
    if openings.last().is_some_and(|one| !one.is_warning) {
        out.push((from, last));
    }
    out
}

fn known_apart(first: usize, last: usize, openings: &[Opening], evidence: &[Evidence]) -> Vec<(usize, usize)> {
    let inner = openings.iter().map(|one| one.line).filter(|at| (first + 1..=last).contains(at));
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

    /// Parts of a list of errors.
    fn parts(first: usize, last: usize, lines: &[usize], evidence: &[Evidence]) -> Vec<(usize, usize)> {
        let openings: Vec<Opening> = lines.iter().map(|&line| Opening { line, is_warning: false }).collect();
        super::parts(first, last, &openings, evidence)
    }

    #[test]
    fn warnings_are_left_out_where_errors_are() {
        let list = |said: &str| -> Vec<Opening> {
            said.char_indices().map(|(line, c)| Opening { line: 2 * line, is_warning: c == 'w' }).collect()
        };
        let of = |said: &str| super::parts(0, 2 * said.len() - 1, &list(said), &[known(0, 1), known(2, 2)]);
        assert_eq!(of("ww"), [(0, 1), (2, 3)]);
        assert_eq!(of("ee"), [(0, 1), (2, 3)]);
        assert_eq!(of("we"), [(2, 3)]);
        assert_eq!(of("ew"), [(0, 1)]);
        assert_eq!(of("wweewwe"), [(4, 7), (12, 13)]);
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
