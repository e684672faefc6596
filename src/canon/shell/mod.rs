//! Where a captured value may stand in a step of a fix.
//!
//! A value comes from a stranger's log and ends up in a line that somebody pastes. The filler writes it as one shell
//! word ([`shell_quote`](crate::text::shell_quote)), which holds only where the shell reads a word: within quotes the
//! value's own quotes would end them, and behind `sh -c` or `psql -c` it is read as a program. So a step is read as
//! sh and bash read it ([`read`]), each command is looked at for what it does with its words ([`judge`]), and each
//! `{capture}` gets a [`Form`]. `canon::check` reports what is refused, and `canon::fill` fills by the same answer:
//! there is no second grammar. What cannot be read for sure is refused.
//!
//! Code stands between backticks ([`span`]); everything else is prose. Prose is read by the same grammar, since
//! people paste too much as well, but less strictly: it is no command, and where a command would be refused a value
//! that needs no quotes may be told. A placeholder such as `<bucket>` is one word for whoever replaces it before
//! pasting. Left as it is, a shell takes it for two redirections and runs nothing unless a file of that name lies
//! there.

mod judge;
mod read;
mod span;
mod word;

use read::Reader;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

/// The longest step that is read. What nests is read by recursion, and nobody pastes more.
const MAX_STEP_BYTES: usize = 16_384;

/// How a value may be written at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As one word, quoted where it needs quotes.
    Word,
    /// Only if it needs no quotes and so means the same everywhere.
    Bare,
    /// Not at all.
    Never(Reason),
}

/// Why a value may not stand at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    Quotes,
    Substitution,
    HereDocument,
    Comment,
    Escaped,
    Dollar,
    Expanded,
    Pattern,
    Redirection,
    CommandName,
    AssignmentName,
    Evaluated,
    Condition,
    Language,
    Unclear,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Quotes => "in quotes: a value is quoted when it is filled in, write it bare",
            Self::Substitution => "in a substitution or in arithmetic, where it is read as a command or a number",
            Self::HereDocument => "in a here-document, where no quotes hold",
            Self::Comment => "in a comment",
            Self::Escaped => "behind a backslash, which would take its quotes away",
            Self::Dollar => "behind a dollar sign, where it would name a variable or change what its quotes mean",
            Self::Expanded => "behind ~, = or !, which mean something else before quotes",
            Self::Pattern => "in a word with unquoted braces, brackets, parentheses, * or ?: quote these",
            Self::Redirection => "in a redirection: a value must not name a file that is written or read",
            Self::CommandName => "where a command's name stands: it would choose what runs",
            Self::AssignmentName => "in the name of a variable: write <name>",
            Self::Evaluated => "in what is read as a program again (such as sh -c, eval, ssh, psql -c)",
            Self::Condition => "in a condition or the head of a loop",
            Self::Language => "in something that is no shell command: write <name> there, and the value into the text",
            Self::Unclear => "in code that cannot be read for sure: simplify it",
        })
    }
}

impl Reason {
    /// Whether it concerns prose too. The others are about commands, and prose is none.
    fn holds_in_prose(self) -> bool {
        match self {
            Self::Quotes
            | Self::Substitution
            | Self::HereDocument
            | Self::Escaped
            | Self::Dollar
            | Self::Evaluated
            | Self::Unclear => true,
            Self::Comment
            | Self::Expanded
            | Self::Pattern
            | Self::Redirection
            | Self::CommandName
            | Self::AssignmentName
            | Self::Condition
            | Self::Language => false,
        }
    }
}

/// A `{capture}` in a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// Where it stands, braces included.
    pub range: Range<usize>,
    /// Whether it stands between backticks.
    pub in_code: bool,
    /// What may be written there.
    pub form: Form,
}

impl Place {
    /// The capture's name.
    pub fn name<'a>(&self, step: &'a str) -> &'a str {
        &step[self.range.start + 1..self.range.end - 1]
    }
}

/// All places of declared captures in a step, in their order.
pub(super) fn places(step: &str, declared: &BTreeSet<String>) -> Vec<Place> {
    let holes = holes(step, declared);
    if step.len() > MAX_STEP_BYTES {
        let form = Form::Never(Reason::Unclear);
        return holes.into_iter().map(|range| Place { range, in_code: false, form }).collect();
    }
    if holes.is_empty() {
        return Vec::new();
    }
    let code = span::code(step);
    let of = |hole: &Range<usize>| code.iter().find(|span| span.outer.start < hole.end && hole.start < span.outer.end);
    // Prose with a word in place of each piece of code, so that offsets stay.
    let mut prose = step.as_bytes().to_vec();
    for span in &code {
        prose[span.outer.clone()].fill(b'x');
    }
    let told: Vec<Range<usize>> = holes.iter().filter(|hole| of(hole).is_none()).cloned().collect();
    let mut text = Reader::prose(&prose, &told, !code.is_empty());
    text.read();
    let mut out = Vec::new();
    for (hole, reason) in told.iter().zip(text.verdicts()) {
        let form = match reason {
            Some(reason) if reason.holds_in_prose() => Form::Never(reason),
            Some(_) => Form::Bare,
            None if text.is_loose(hole.start) => Form::Bare,
            None => Form::Word,
        };
        out.push(Place { range: hole.clone(), in_code: false, form });
    }
    for span in &code {
        let inner: Vec<Range<usize>> =
            holes.iter().filter(|hole| of(hole).is_some_and(|of| of.outer == span.outer)).cloned().collect();
        let mut command = Reader::code(&step.as_bytes()[..span.inner.end], span.inner.start, &inner);
        command.read();
        for (hole, reason) in inner.iter().zip(command.verdicts()) {
            let form = match reason {
                Some(reason) => Form::Never(reason),
                None if !span.is_shell => Form::Never(Reason::Language),
                // Who pastes the whole step opens a quote before the code begins.
                None if text.is_loose(span.outer.start) => Form::Bare,
                None => Form::Word,
            };
            out.push(Place { range: hole.clone(), in_code: true, form });
        }
    }
    out.sort_by_key(|place| place.range.start);
    out
}

/// Where `{name}` of a declared capture stands. `${name}` is a variable of the shell and stays.
fn holes(step: &str, declared: &BTreeSet<String>) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(open) = step[at..].find('{').map(|found| at + found) {
        at = open + 1;
        let Some(end) = step[at..].find(['{', '}']).map(|found| at + found) else { break };
        if step[end..].starts_with('}') && declared.contains(&step[at..end]) && !step[..open].ends_with('$') {
            out.push(open..end + 1);
        }
        at = if step[end..].starts_with('}') { end + 1 } else { end };
    }
    out
}

#[cfg(test)]
mod tests;
