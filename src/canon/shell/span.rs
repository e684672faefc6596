//! Code in a step: what stands between backticks, as Markdown has it.
//!
//! A run of backticks opens, the next run of the same length closes. Three or more with a word after them are a fence
//! with its language. A run that nothing closes is text.

use std::ops::Range;

/// A piece of code.
pub(super) struct Code {
    /// With its backticks.
    pub outer: Range<usize>,
    /// Without them, and without the language of a fence.
    pub inner: Range<usize>,
    /// Whether it may be a command: a fence that names another language is none.
    pub is_shell: bool,
}

/// Languages of fences that are commands.
const SHELLS: &[&str] = &["", "sh", "bash", "dash", "zsh", "ksh", "shell", "console", "terminal", "shell-session"];

/// The pieces of code of a step, in their order.
pub(super) fn code(step: &str) -> Vec<Code> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(open) = step[at..].find('`').map(|found| at + found) {
        let from = open + run(step, open);
        let Some(close) = closing(step, from, from - open) else {
            at = from;
            continue;
        };
        at = close + (from - open);
        let (mut inner, mut is_shell) = (from..close, true);
        if let Some(end) = step[inner.clone()].find('\n').filter(|_| from - open >= 3) {
            let language = step[from..from + end].trim().to_ascii_lowercase();
            is_shell = SHELLS.contains(&language.as_str());
            inner.start = from + end + 1;
        }
        out.push(Code { outer: open..at, inner, is_shell });
    }
    out
}

/// Length of the run of backticks at a place.
fn run(step: &str, at: usize) -> usize {
    step[at..].bytes().take_while(|&b| b == b'`').count()
}

/// Where the next run of exactly this length begins.
fn closing(step: &str, mut at: usize, length: usize) -> Option<usize> {
    loop {
        at += step[at..].find('`')?;
        match run(step, at) {
            found if found == length => return Some(at),
            found => at += found,
        }
    }
}
