//! One pattern: its source, and the regex, compiled at its first use.

use super::compiled::compiled_pattern;
use super::literal::{Required, required};
use regex_automata::meta::{self, BuildError, Regex};
use regex_automata::util::primitives::PatternID;
use regex_automata::util::syntax;
use std::borrow::Cow;
use std::sync::OnceLock;

/// Most memory one compiled pattern may take, in bytes. A counted repetition of a counted repetition is over it.
const SIZE_LIMIT: usize = 1 << 20;
/// Longest pattern in bytes.
pub(super) const MAX_PATTERN_BYTES: usize = 2_000;

/// A pattern of an entry.
#[derive(Debug)]
pub(super) struct Pattern {
    /// Index of the entry.
    pub entry: usize,
    /// As the pack has it.
    pub source: Cow<'static, str>,
    /// Whether it only points to the entry.
    pub generic: bool,
    plain: OnceLock<Option<Regex>>,
    fast: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// A pattern, and the words that every match of it contains.
    ///
    /// # Errors
    /// One sentence, if the pattern is too long or no word is certain.
    pub fn new(entry: usize, source: &str, generic: bool) -> Result<(Self, Required), String> {
        if source.len() > MAX_PATTERN_BYTES {
            return Err(format!("the pattern is longer than {MAX_PATTERN_BYTES} bytes"));
        }
        let required = required(source)
            .ok_or_else(|| "no word of four letters or more stands in every match of the pattern".to_owned())?;
        Ok((Self::of(entry, Cow::Owned(source.to_owned()), generic), required))
    }

    /// A pattern that the build has read.
    pub fn compiled(number: usize) -> Self {
        let (entry, source, generic) = compiled_pattern(number);
        Self::of(entry, Cow::Borrowed(source), generic)
    }

    fn of(entry: usize, source: Cow<'static, str>, generic: bool) -> Self {
        Self { entry, source, generic, plain: OnceLock::new(), fast: OnceLock::new() }
    }

    /// The compiled pattern; `None` if it does not compile within its limits (`canon check` says why). For little text
    /// it is compiled without the automata that only pay on much: a cold lookup spent most of its time on building
    /// them.
    pub fn regex(&self, much: bool) -> Option<&Regex> {
        let (slot, engine) = if much { (&self.fast, Engine::Fast) } else { (&self.plain, Engine::Plain) };
        slot.get_or_init(|| compile_for(&self.source, engine).ok()).as_ref()
    }
}

/// Compiles a pattern: multi-line, a plain space matching any white space, bounded in size and nesting. `\w`, `\d`,
/// `\s` and `\b` are ASCII, as they are in RE2, which also keeps counted repetitions small; a pattern with a class of
/// other letters is compiled with Unicode classes instead. It is made for few texts, as checks of packs have.
///
/// # Errors
/// What the regex crate says, in one line.
pub(super) fn compile(source: &str) -> Result<Regex, String> {
    compile_for(source, Engine::Plain)
}

/// What a compiled pattern is good at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Engine {
    /// Cheap to build.
    Plain,
    /// Quick on much text.
    Fast,
}

fn compile_for(source: &str, engine: Engine) -> Result<Regex, String> {
    let relaxed = relax_spaces(source);
    let build = |unicode| {
        let fast = engine == Engine::Fast;
        let limits = meta::Config::new()
            .nfa_size_limit(Some(SIZE_LIMIT))
            .auto_prefilter(fast)
            .hybrid(fast)
            .onepass(fast)
            .dfa(false)
            .utf8_empty(false);
        let syntax = syntax::Config::new().unicode(unicode).utf8(false).multi_line(true).nest_limit(64);
        meta::Builder::new().configure(limits).syntax(syntax).build(&relaxed).map_err(|e| reason(&e))
    };
    build(false).or_else(|reason| if relaxed.is_ascii() { Err(reason) } else { build(true) })
}

fn reason(error: &BuildError) -> String {
    if let Some(limit) = error.size_limit() {
        return format!("the pattern needs more than {} KiB", limit >> 10);
    }
    let text = error.syntax_error().map_or_else(|| error.to_string(), ToString::to_string);
    text.lines().last().unwrap_or("invalid pattern").trim_start_matches("error: ").to_owned()
}

/// The names of a pattern's groups.
pub(super) fn group_names(regex: &Regex) -> impl Iterator<Item = (usize, &str)> {
    let names = regex.group_info().pattern_names(PatternID::ZERO);
    names.enumerate().filter_map(|(index, name)| Some((index, name?)))
}

/// Lets a plain space outside a class match any run of white space, so that a line a tool wrapped still matches.
fn relax_spaces(source: &str) -> String {
    let mut out = String::with_capacity(source.len() + 32);
    let mut chars = source.chars().peekable();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                out.push(c);
                out.extend(chars.next());
                continue;
            }
            '[' => in_class = true,
            ']' => in_class = false,
            ' ' if !in_class => {
                let quantified = matches!(chars.peek(), Some('?' | '*' | '+' | '{'));
                out.push_str(if quantified { r"[ \t\n]" } else { r"[ \t\n]+" });
                continue;
            }
            _ => {}
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_space_spans_a_wrapped_line() {
        let regex = compile(r"creating S3 Bucket \((?P<name>[^) ]+)\)").unwrap();
        assert!(regex.is_match("Error: creating S3\n  Bucket (logs)"));
        assert_eq!(group_names(&regex).collect::<Vec<_>>(), [(1, "name")]);
        assert!(compile("a ?b").unwrap().is_match("ab"));
    }

    /// However a pattern is compiled, it matches the same.
    #[test]
    fn both_ways_to_compile_agree() {
        let (canon, _) = crate::canon::Canon::load(&[]);
        for stored in canon.entries().iter().step_by(9) {
            let entry = stored.entry();
            for source in entry.patterns().map(|one| &one.pattern) {
                let (plain, fast) =
                    (compile_for(source, Engine::Plain).unwrap(), compile_for(source, Engine::Fast).unwrap());
                for example in entry.examples.iter().map(|one| &one.text).chain(&entry.counterexamples) {
                    assert_eq!(plain.find(example.as_str()), fast.find(example.as_str()), "{source}");
                }
            }
        }
    }

    #[test]
    fn letters_beyond_ascii_match_too() {
        for source in ["× Building wheel", "(?:‘|')cc(?:’|') missing", "[‘']cc[’'] missing"] {
            assert!(compile(source).unwrap().is_match("× Building wheel, ‘cc’ missing".as_bytes()), "{source}");
        }
    }

    #[test]
    fn a_bomb_is_refused() {
        assert!(compile("(?:failed{1000}){1000}").unwrap_err().contains("KiB"));
        assert!(Pattern::new(0, r"\w+", false).is_err());
    }
}
