//! Phrases that every match of a pattern must contain, read off the pattern's syntax tree without compiling it.
//!
//! A pattern is taken apart into variants: ways to match it, each with the literal phrases that then stand in the text,
//! in order. Alternations are multiplied out as far as that stays small. Only what is certain is promised: whatever
//! matches holds all phrases of one variant, ASCII case aside and with any white space for a space.

use regex_syntax::hir::{Class, Hir, HirKind};

/// Shortest word that counts: shorter ones stand everywhere.
const MIN_ANCHOR: usize = 4;
/// Most variants of a pattern.
const MAX_VARIANTS: usize = 24;

/// What a match needs, in lower case: all phrases of one of these variants. Each variant holds a word that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Required {
    /// The phrases of each variant, in the order in which they stand in a match.
    pub variants: Vec<Vec<String>>,
}

/// The words of a phrase that are long enough to count.
pub fn words(phrase: &str) -> impl Iterator<Item = &str> {
    phrase.split(' ').filter(|word| word.len() >= MIN_ANCHOR)
}

/// What a match of a pattern needs (before or after spaces were relaxed), or `None` if no word is certain.
pub fn required(pattern: &str) -> Option<Required> {
    let plain = pattern.strip_prefix("(?i)").unwrap_or(pattern);
    let parse = |unicode| {
        let mut parser = regex_syntax::ParserBuilder::new();
        parser.unicode(unicode).utf8(false).multi_line(true).nest_limit(64).build().parse(plain).ok()
    };
    // As patterns are compiled: letters beyond ASCII in a class need Unicode.
    let tree = parse(false).or_else(|| parse(true))?;
    let mut variants: Vec<Vec<String>> = expand(&tree)?.into_iter().map(Variant::phrases).collect();
    variants.sort_unstable();
    variants.dedup();
    variants.iter().all(|variant| !variant.is_empty()).then_some(Required { variants })
}

/// Literal text with gaps: runs of which neighbours are not known to touch.
#[derive(Debug, Clone, Default)]
struct Variant {
    runs: Vec<String>,
}

impl Variant {
    fn gap() -> Self {
        Self { runs: vec![String::new(), String::new()] }
    }

    fn then(&self, next: &Self) -> Self {
        let mut all = self.clone();
        all.append(next);
        all
    }

    fn append(&mut self, next: &Self) {
        let mut following = next.runs.iter();
        match (self.runs.last_mut(), following.next()) {
            (Some(last), Some(first)) => last.push_str(first),
            (None, Some(first)) => self.runs.push(first.clone()),
            _ => {}
        }
        self.runs.extend(following.cloned());
    }

    /// Its runs that hold a word which counts, with single spaces.
    fn phrases(self) -> Vec<String> {
        let spaced = |run: &String| run.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        self.runs.iter().map(spaced).filter(|phrase| words(phrase).next().is_some()).collect()
    }

    fn counts(&self) -> bool {
        self.runs.iter().any(|run| words(run).next().is_some())
    }
}

/// The ways to match a tree; `None` when there are too many of them to tell.
fn expand(tree: &Hir) -> Option<Vec<Variant>> {
    match tree.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(vec![Variant::default()]),
        HirKind::Literal(literal) => Some(vec![spell(&String::from_utf8_lossy(&literal.0))]),
        HirKind::Class(class) => {
            Some(vec![either_case(class).map_or_else(Variant::gap, |letter| spell(&letter.to_string()))])
        }
        HirKind::Capture(group) => expand(&group.sub),
        HirKind::Repetition(repeated) if repeated.min > 0 => {
            let once = expand(&repeated.sub)?;
            // A space that is repeated is a space: it stands for any white space.
            let is_space = matches!(repeated.sub.kind(), HirKind::Literal(literal) if *literal.0 == *b" ");
            let gap = if is_space || repeated.max == Some(1) { Variant::default() } else { Variant::gap() };
            Some(once.iter().map(|variant| variant.then(&gap)).collect())
        }
        HirKind::Repetition(_) => Some(vec![Variant::gap()]),
        HirKind::Concat(parts) => Some(in_sequence(parts)),
        HirKind::Alternation(branches) => {
            let mut all = Vec::new();
            for branch in branches {
                all.extend(expand(branch)?);
            }
            Some(all)
        }
    }
}

/// The variants of parts that follow each other. A part that would make too many becomes a gap, unless it alone holds
/// words.
fn in_sequence(parts: &[Hir]) -> Vec<Variant> {
    let mut all = vec![Variant::default()];
    for part in parts {
        let next = expand(part).unwrap_or_else(|| vec![Variant::gap()]);
        if let [next] = next.as_slice() {
            all.iter_mut().for_each(|variant| variant.append(next));
        } else if all.len() * next.len() <= MAX_VARIANTS {
            all = all.iter().flat_map(|before| next.iter().map(|after| before.then(after))).collect();
        } else if !all.iter().all(Variant::counts) && next.iter().all(Variant::counts) {
            all = next.iter().map(|variant| Variant::gap().then(variant)).collect();
        } else {
            all.iter_mut().for_each(|variant| variant.append(&Variant::gap()));
        }
    }
    all
}

/// A literal text in lower case; what is not plain ASCII is a gap, and white space a space.
fn spell(text: &str) -> Variant {
    let (mut runs, mut run) = (Vec::new(), String::new());
    for c in text.chars() {
        match c {
            ' ' | '\t' | '\n' => run.push(' '),
            '!'..='~' => run.push(c.to_ascii_lowercase()),
            _ => runs.push(std::mem::take(&mut run)),
        }
    }
    runs.push(run);
    Variant { runs }
}

/// The letter of a class that holds its two cases and nothing else.
fn either_case(class: &Class) -> Option<char> {
    let letters: Vec<char> = match class {
        Class::Unicode(class) => class.iter().filter(|r| r.start() == r.end()).map(|r| r.start()).collect(),
        Class::Bytes(class) => class.iter().filter(|r| r.start() == r.end()).map(|r| char::from(r.start())).collect(),
    };
    let ranges = match class {
        Class::Unicode(class) => class.ranges().len(),
        Class::Bytes(class) => class.ranges().len(),
    };
    match letters[..] {
        [upper, lower] if ranges == 2 && upper.to_ascii_lowercase() == lower => Some(lower),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(pattern: &str) -> Vec<Vec<String>> {
        required(pattern).map_or_else(Vec::new, |required| required.variants)
    }

    #[test]
    fn reads_phrases() {
        assert_eq!(read("Error acquiring the  state lock"), [["error acquiring the state lock"]]);
        assert_eq!(read(r"error\[E0382\]:\b borrow +of moved"), [["error[e0382]: borrow of moved"]]);
        assert_eq!(read(r"(?i)toomanyrequests: .*rate"), [["toomanyrequests:", "rate"]]);
        assert_eq!(read(r"bucket[s]? \(?P<x>"), [["bucket", "p<x>"]]);
        assert_eq!(read("colou?r missing"), [["colo", "r missing"]]);
        assert_eq!(read("cannot ?find -l(?P<lib>[a-z]+)"), [["cannot", "find -l"]]);
        assert_eq!(read(r"\b[Ee]xit(?:ed)? ?[Cc]ode:? 137"), [["exit", "code"]]);
        assert_eq!(read("(?i:Too Many) files"), [["too many files"]]);
    }

    #[test]
    fn multiplies_alternations_out() {
        assert_eq!(read("no space left|disk is full"), [["disk is full"], ["no space left"]]);
        assert_eq!(
            read("npm (?:ERR!|WARN) code (?:E403|403)"),
            [["npm err! code 403"], ["npm err! code e403"], ["npm warn code 403"], ["npm warn code e403"]]
        );
        let many = "(?:a|b|c|d|e)".repeat(2);
        assert_eq!(read(&format!("failed {many} then {many}")), [["failed", "then"]]);
        assert_eq!(read(&format!("x{many}(?:disk|volume)")), [["disk"], ["volume"]]);
        for uncertain in [r"\d+ (?:abcd|cd)?", "(?:abcd|cd)", "failed|x"] {
            assert_eq!(read(uncertain), Vec::<Vec<String>>::new(), "{uncertain}");
        }
    }

    proptest! {
        /// The referee is the regex crate: whatever a pattern matches holds all phrases of a variant, in order.
        #[test]
        fn required_phrases_stand_in_every_match(
            pattern in r"(failed |lock(ed)?|state |[ab]+|\\d+|(?:mount|volume|x)|x\*|Name\?|\.|e{0,2}|disk|\||\^){1,6}",
            text in r"(failed |lock|locked|state |ab|12|mount|volume|xx|Nam|Name|ee|disk| ){1,8}",
        ) {
            if let (Some(required), Ok(regex)) = (required(&pattern), regex::Regex::new(&pattern))
                && let Some(found) = regex.find(&text) {
                let found = found.as_str().to_ascii_lowercase();
                let stands = |variant: &Vec<String>| {
                    let mut from = 0;
                    variant.iter().all(|phrase| found[from..].find(phrase.as_str()).inspect(|at| from += at + phrase.len()).is_some())
                };
                prop_assert!(required.variants.iter().any(stands), "{pattern} {found} {required:?}");
            }
        }
    }
}
