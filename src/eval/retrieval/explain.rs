//! Why a question moved between two runs, in words: what came first before and after, whether it is right, and what
//! became of the right one.
//!
//! Only what the results hold is said. What was measured before these figures were kept is named without them.

use super::result::{Asked, Placed};

/// What changed, a sentence each.
pub(super) fn changes(before: &Asked, after: &Asked) -> Vec<String> {
    let mut out = vec![first("before", before), first("after", after)];
    let (was, is) = (before.best_right(), after.best_right());
    match (was, is) {
        (Some(was), Some(is)) if was.id == is.id => {
            let figures = [
                changed("meaning", was.cosine, is.cosine),
                changed("words", was.words, is.words),
                changed("relevance", Some(was.relevance), Some(is.relevance)),
            ];
            let figures: Vec<String> = figures.into_iter().flatten().collect();
            let place = match was.rank == is.rank {
                true => format!("stays at place {}", is.rank),
                false => format!("goes from place {} to {}", was.rank, is.rank),
            };
            out.push(format!("the right one, {}, {place}: {}", is.id, figures.join(", ")));
        }
        _ => {
            for (when, one, asked) in [("before", was, before), ("after", is, after)] {
                out.push(match (one, asked.first) {
                    (Some(one), _) => {
                        format!("{when}, the right one is {} at place {}: {}", one.id, one.rank, figures(one))
                    }
                    (None, Some(place)) => format!("{when}, the first right one is at place {place}"),
                    (None, None) => format!("{when}, none that is right was found"),
                });
            }
        }
    }
    // What the loser of the two runs says about itself; the later one first, because that is what is being judged.
    let ahead = |when: &str, asked: &Asked| {
        let (top, right) = asked.top_hit.as_ref().zip(asked.right_hit.as_ref())?;
        Some(format!("{when}, {} is ahead of {}{}", top.id, right.id, lead(top, right)?))
    };
    out.extend(ahead("after", after).or_else(|| ahead("before", before)));
    out
}

/// What came first, whether it is right, and its figures.
fn first(when: &str, asked: &Asked) -> String {
    let is_right = if asked.first == Some(1) { "right" } else { "wrong" };
    match (&asked.top_hit, asked.top.first()) {
        (Some(top), _) => format!("{when}, {} is first and {is_right}: {}", top.id, figures(top)),
        (None, Some(id)) => format!("{when}, {id} is first and {is_right}"),
        (None, None) if asked.first.is_some() => format!("{when}, what came first was not kept"),
        (None, None) => format!("{when}, nothing was found"),
    }
}

fn figures(one: &Placed) -> String {
    let signal = |name: &str, value: Option<f64>| value.map(|value| format!("{name} {value:.3}"));
    let all = [signal("meaning", one.cosine), signal("words", one.words), signal("relevance", Some(one.relevance))];
    all.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn changed(name: &str, was: Option<f64>, is: Option<f64>) -> Option<String> {
    let show = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"));
    (was.is_some() || is.is_some()).then(|| match (show(was), show(is)) {
        (was, is) if was == is => format!("{name} {is} as before"),
        (was, is) => format!("{name} {was} -> {is}"),
    })
}

/// By what one hit is ahead of another; none if their figures say nothing.
fn lead(top: &Placed, right: &Placed) -> Option<String> {
    let signals = [("meaning", top.cosine.zip(right.cosine)), ("words", top.words.zip(right.words))];
    let by = |more: bool| -> Vec<String> {
        // As far as the figures above show it.
        let differs = |a: f64, b: f64| format!("{a:.3}") != format!("{b:.3}") && (a > b) == more;
        let known = signals.iter().filter_map(|(name, pair)| pair.map(|(a, b)| (*name, a, b)));
        known
            .filter(|(_, a, b)| differs(*a, *b))
            .map(|(name, a, b)| format!("{name} ({a:.3} against {b:.3})"))
            .collect()
    };
    let (more, less) = (by(true), by(false));
    match (more.is_empty(), less.is_empty()) {
        (false, true) => Some(format!(" by {}", more.join(" and "))),
        (false, false) => Some(format!(" by {}, with less {}", more.join(" and "), less.join(" and "))),
        (true, false) => Some(format!(", although it has less {}", less.join(" and "))),
        (true, true) => signals.iter().any(|(_, pair)| pair.is_some()).then(|| " with equal figures".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(id: &str, rank: usize, cosine: f64, words: f64) -> Placed {
        Placed { id: id.into(), rank, cosine: Some(cosine), words: Some(words), closeness: Some(1.0), relevance: 0.5 }
    }

    fn asked(first: Option<usize>, top_hit: Option<Placed>, right_hit: Option<Placed>) -> Asked {
        let top = top_hit.iter().map(|hit| hit.id.clone()).collect();
        Asked { first, top, top_hit, right_hit, ..Asked::default() }
    }

    #[test]
    fn says_what_came_first_and_what_became_of_the_right_one() {
        let before = asked(Some(1), Some(placed("d5", 1, 0.71, 0.4)), None);
        let after = asked(Some(7), Some(placed("d9", 1, 0.7, 0.62)), Some(placed("d5", 7, 0.71, 0.38)));
        assert_eq!(
            changes(&before, &after),
            [
                "before, d5 is first and right: meaning 0.710, words 0.400, relevance 0.500",
                "after, d9 is first and wrong: meaning 0.700, words 0.620, relevance 0.500",
                "the right one, d5, goes from place 1 to 7: meaning 0.710 as before, words 0.400 -> 0.380, \
             relevance 0.500 as before",
                "after, d9 is ahead of d5 by words (0.620 against 0.380), with less meaning (0.700 against 0.710)",
            ]
        );
        let back = changes(&after, &before);
        assert_eq!(back[3], changes(&before, &after)[3].replace("after", "before"), "what is lost no more is said too");
    }

    #[test]
    fn another_right_one_or_none_is_said() {
        let before = asked(Some(2), Some(placed("d1", 1, 0.6, 0.2)), Some(placed("d2", 2, 0.7, 0.3)));
        let none = asked(None, Some(placed("d1", 1, 0.6, 0.2)), None);
        let text = changes(&before, &none).join("\n");
        assert!(text.contains("before, the right one is d2 at place 2: meaning 0.700"), "{text}");
        assert!(text.contains("after, none that is right was found"), "{text}");
        assert!(text.ends_with(
            "d1 is ahead of d2, although it has less meaning (0.600 against 0.700) and words (0.200 against 0.300)"
        ));
        let nothing = changes(&asked(None, None, None), &none);
        assert_eq!(nothing[0], "before, nothing was found");
    }

    #[test]
    fn results_of_before_are_explained_as_far_as_they_go() {
        let mut old = asked(Some(3), None, None);
        old.top = vec!["d4".into()];
        let new = asked(Some(1), Some(placed("d2", 1, 0.7, 0.3)), None);
        assert_eq!(
            changes(&old, &new),
            [
                "before, d4 is first and wrong",
                "after, d2 is first and right: meaning 0.700, words 0.300, relevance 0.500",
                "before, the first right one is at place 3",
                "after, the right one is d2 at place 1: meaning 0.700, words 0.300, relevance 0.500",
            ]
        );
    }
}
