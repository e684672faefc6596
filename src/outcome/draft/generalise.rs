//! A pattern out of instances: parts that all of them have, in order, and a class for each part between.
//!
//! Instances are cut into words, signs and spaces, and aligned one after the other by their longest common subsequence.
//! Numbers, quoted texts and paths count as varying even if all instances agree. A pattern that also matches another
//! error is made narrower: first it must match the whole line, then it keeps the numbers that all instances share.
//! Classes never cross the end of a line, and nothing is nested, so that matching stays linear.

use crate::text::headline;
use regex::{Regex, RegexBuilder};
use std::collections::BTreeSet;

/// Most instances that are aligned: further ones hardly change what is shared.
const MOST_INSTANCES: usize = 40;
/// Most pieces of an instance.
const MOST_PIECES: usize = 240;
/// Longest pattern in bytes.
const MAX_PATTERN: usize = 1_800;
/// Fewest letters that are kept as they are.
const FEWEST_LETTERS: usize = 6;
/// Most memory that a pattern may take.
const MAX_BYTES: usize = 1 << 20;

/// How narrow a pattern is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Narrow {
    /// Held to the ends of its line.
    anchored: bool,
    /// Numbers on which all instances agree are kept.
    numbers: bool,
}

const STEPS: [Narrow; 4] = [
    Narrow { anchored: false, numbers: false },
    Narrow { anchored: true, numbers: false },
    Narrow { anchored: false, numbers: true },
    Narrow { anchored: true, numbers: true },
];

/// The line of an error that a pattern is made of.
pub fn telling_line(error: &str) -> String {
    let lines: Vec<&str> = error.lines().collect();
    headline(&lines).trim_end_matches('…').trim().to_owned()
}

/// A pattern that matches every instance and none of `others`, each one line. Nothing if there is none that says
/// enough.
pub fn generalise(instances: &[&str], others: &[&str]) -> Option<String> {
    let distinct: BTreeSet<&str> = instances.iter().copied().filter(|line| !line.is_empty()).collect();
    let pieces: Vec<Vec<Piece<'_>>> = distinct.iter().take(MOST_INSTANCES).map(|line| pieces(line)).collect();
    for narrow in STEPS {
        let Some(pattern) = build(&pieces, narrow) else { continue };
        let Some(regex) = compile(&pattern) else { continue };
        if instances.iter().all(|line| regex.is_match(line)) && !others.iter().any(|line| regex.is_match(line)) {
            return Some(pattern);
        }
    }
    None
}

/// A pattern as packs read it: a space is any white space, and ends are those of lines.
fn compile(pattern: &str) -> Option<Regex> {
    let relaxed = pattern.replace(' ', r"[ \t\n]+");
    RegexBuilder::new(&relaxed).multi_line(true).size_limit(MAX_BYTES).build().ok()
}

/// A piece of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece<'a> {
    /// A word without a number, or a sign.
    Plain(&'a str),
    /// A word with a number, a quoted text or a path.
    Varying(&'a str),
    Space,
}

impl<'a> Piece<'a> {
    fn text(self) -> &'a str {
        match self {
            Self::Plain(text) | Self::Varying(text) => text,
            Self::Space => " ",
        }
    }
}

/// A line in pieces.
fn pieces(line: &str) -> Vec<Piece<'_>> {
    let mut out = Vec::new();
    let mut rest = line.trim();
    while let Some(first) = rest.chars().next() {
        if out.len() >= MOST_PIECES {
            break;
        }
        let inner = |c: char| c.is_alphanumeric() || c == '_';
        let before_is_word =
            matches!(out.last(), Some(Piece::Plain(word) | Piece::Varying(word)) if word.ends_with(inner));
        let end_of_word = rest.find(|c: char| !inner(c)).unwrap_or(rest.len());
        let end_of_path = rest.find(|c: char| !(inner(c) || "/.+@~*-".contains(c))).unwrap_or(rest.len());
        let quoted = match first {
            '\'' | '"' | '`' if !before_is_word => {
                rest[1..].find(if first == '`' { &['`', '\''][..] } else { &['\'', '"'][..] })
            }
            _ => None,
        };
        let (piece, length) = if first.is_whitespace() {
            (Piece::Space, rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len()))
        } else if let Some(inside) = quoted.filter(|inside| *inside > 0 && !rest[1..=*inside].contains('\n')) {
            // The quotes are signs; what they hold is one piece.
            out.push(Piece::Plain(&rest[..1]));
            rest = &rest[1..];
            (Piece::Varying(&rest[..inside]), inside)
        } else if first == '/' && end_of_path > 1 && !before_is_word {
            let path = rest[..end_of_path].trim_end_matches('.');
            (Piece::Varying(path), path.len().max(1))
        } else if inner(first) {
            let word = &rest[..end_of_word];
            let varies = word.bytes().any(|b| b.is_ascii_digit());
            (if varies { Piece::Varying(word) } else { Piece::Plain(word) }, end_of_word)
        } else {
            (Piece::Plain(&rest[..first.len_utf8()]), first.len_utf8())
        };
        out.push(piece);
        rest = &rest[length..];
    }
    out
}

/// What all instances share: pieces, and between them what each instance has there.
struct Shared<'a> {
    /// The pieces that are kept.
    kept: Vec<Piece<'a>>,
    /// Before each of them, and after the last: what stands there, over all instances.
    between: Vec<BTreeSet<String>>,
}

fn build(instances: &[Vec<Piece<'_>>], narrow: Narrow) -> Option<String> {
    let shared = share(instances, narrow)?;
    let letters = |piece: &Piece<'_>| match piece {
        Piece::Plain(text) | Piece::Varying(text) => text.chars().filter(|c| c.is_alphabetic()).count(),
        Piece::Space => 0,
    };
    if shared.kept.iter().map(letters).sum::<usize>() < FEWEST_LETTERS {
        return None;
    }
    let mut out = String::new();
    let last = shared.between.len() - 1;
    for (at, fillers) in shared.between.iter().enumerate() {
        // What stands before the first and after the last part belongs to the pattern only if it is held to the ends.
        let inside = at > 0 && at < last;
        if inside || narrow.anchored {
            let quote = at.checked_sub(1).and_then(|before| shared.kept.get(before)).map(|piece| piece.text());
            out.push_str(&class(fillers, quote, shared.kept.get(at).map(|piece| piece.text())));
        }
        if let Some(piece) = shared.kept.get(at) {
            out.push_str(&regex::escape(piece.text()));
        }
    }
    let out = out.trim().to_owned();
    let out = if narrow.anchored { format!("^{out}[ \\t]*$") } else { out };
    (out.len() <= MAX_PATTERN).then_some(out)
}

/// The class of what stands between two parts; empty if nothing ever does.
fn class(fillers: &BTreeSet<String>, before: Option<&str>, after: Option<&str>) -> String {
    let may_lack = fillers.contains("");
    let all = |test: &dyn Fn(char) -> bool| fillers.iter().all(|filler| filler.chars().all(test));
    if fillers.iter().all(String::is_empty) {
        return String::new();
    }
    let class = match (before, after) {
        (Some("'"), Some("'")) => r"[^'\n]",
        (Some("\""), Some("\"")) => r#"[^"\n]"#,
        (Some("`"), Some("`" | "'")) => r"[^`'\n]",
        _ if all(&|c| c.is_ascii_digit()) => r"\d",
        _ if all(&|c| !c.is_whitespace()) => r"\S",
        _ => r"[^\n]",
    };
    format!("{class}{}", if may_lack { "*" } else { "+" })
}

fn share<'a>(instances: &[Vec<Piece<'a>>], narrow: Narrow) -> Option<Shared<'a>> {
    let (first, rest) = instances.split_first()?;
    let may_stay = |piece: &Piece<'_>| {
        let number = |text: &str| !text.contains(['/', ' ']);
        !matches!(piece, Piece::Varying(text) if !(narrow.numbers && number(text)))
    };
    let mut kept: Vec<Piece<'a>> = first.iter().filter(|piece| may_stay(piece)).copied().collect();
    for other in rest {
        kept = common(&kept, other).into_iter().map(|(at, _)| kept[at]).collect();
    }
    // A space between two parts that vary belongs to them.
    let mut between = vec![BTreeSet::new(); kept.len() + 1];
    for instance in instances {
        let pairs = common(&kept, instance);
        if pairs.len() != kept.len() {
            return None;
        }
        let mut from = 0;
        let ends = pairs.iter().map(|(_, at)| *at).chain([instance.len()]);
        for (gap, end) in ends.enumerate() {
            between[gap].insert(instance[from..end].iter().map(|piece| piece.text()).collect::<String>());
            from = end + 1;
        }
    }
    Some(Shared { kept, between })
}

/// The longest common subsequence: pairs of places.
fn common(a: &[Piece<'_>], b: &[Piece<'_>]) -> Vec<(usize, usize)> {
    let width = b.len() + 1;
    let mut lengths = vec![0_u16; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            lengths[i * width + j] = if a[i] == b[j] {
                lengths[(i + 1) * width + j + 1] + 1
            } else {
                lengths[(i + 1) * width + j].max(lengths[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j, mut out) = (0, 0, Vec::new());
    while i < a.len() && j < b.len() {
        if a[i] == b[j] && lengths[i * width + j] == lengths[(i + 1) * width + j + 1] + 1 {
            out.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    out
}
