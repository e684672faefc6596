//! Puts a tactic together: a person says that it worked or did not, the turns before say what was tried and against
//! what.
//!
//! What was tried is, in this order: what the sentence itself names ("restarting Docker fixed it"), the change that
//! the program described in its last turn with the command it gave, and what the person said that they did. The
//! problem is the nearest line that only a machine writes, else any sentence of the person that names a failure. A
//! success is certain only with both, and if the program did not leave several ways open.

use std::sync::LazyLock;

use regex::Regex;

use super::found::{Confidence, Kind, Proposal, Trigger};
use super::rules::results::{FAILURES, RULES, SAYS_WHAT};
use super::rules::{Compiled, compiled, phrase};
use super::sentences::{Sentence, head, sentences};
use super::{Role, Turn};
use crate::text::pattern;

/// Turns that are looked back over: a fix is confirmed soon after it was tried.
const TURNS_BACK: usize = 12;

/// What is looked at of each of those turns.
const LOOKED_AT_BYTES: usize = 16 << 10;

/// An error's line is cut there.
const MAX_ERROR_BYTES: usize = 300;

/// A command that is longer is a script.
const MAX_COMMAND_BYTES: usize = 200;

static RESULTS: LazyLock<Vec<Compiled>> = LazyLock::new(|| RULES.iter().map(compiled).collect());

/// What only a machine writes about a failure.
static ERROR: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        concat!(
            r"(?:^|[\s\]>(])(?i:error|fatal|panic|exception|err!?)(?:\[\w+\]|\s+[A-Z]{1,4}\d+)?:\s|",
            r"\b[A-Z]\w*(?:Error|Exception)\b",
        ),
        concat!(
            r"|(?i)\bexit(?:ed)?(?: with)?(?: code| status)?[ :=]+(?:code |status )?-?[1-9]\d{0,9}\b|",
            r"\bpanicked at\b|segmentation fault|core dumped",
        ),
        concat!(
            r"|no such file or directory|permission denied|command not found|connection (?:refused|reset)|",
            r"undefined reference|cannot find module|no module named",
        ),
        concat!(
            r"|\bE(?:CONN[A-Z]+|NOENT|ACCES|PERM|ADDRINUSE|TIMEDOUT|PIPE|EXIST|INVAL|NOSPC)\b|\b(?:OOMKilled|",
            r"CrashLoopBackOff|ImagePullBackOff)\b|\b(?:4\d\d|5\d\d) (?:Unauthorized|Forbidden|Not Found|",
            r"Internal Server|Bad Gateway|Service Unavail)",
        ),
    ))
});

/// What a person says about a failure.
static PROBLEM: LazyLock<Regex> = LazyLock::new(|| {
    phrase(concat!(
        r"\b(?:errors?|exceptions?|fail(?:s|ed|ing|ure)?|crash(?:es|ed|ing)?|broken?|breaks|bug|",
        r"does(?:n't| not) (?:work|build|compile|start|run|show|load|pass)|is(?:n't| not) (?:working|",
        r"showing|loading)|not working|won't|can't|cannot|stuck|hangs?|hanging|wrong|problem|issue|",
        r"timed? ?out|warning|unable)\b",
    ))
});

/// A change that somebody says they made or advises to make.
static CHANGE: LazyLock<Regex> = LazyLock::new(|| {
    phrase(concat!(
        concat!(
            r"^(?:(?:ok|okay|great|done|so|now|yes|first|then|also|instead|alternatively|got it|fixed|perfect|",
            r"i see|\d[.)])[,.!:]* +)*",
        ),
        concat!(
            r"(?:(?:(?:i(?:'ve| have|'ll| will)?|we(?:'ve| have|'ll| will)?|you (?:can|need to|should|have to|",
            r"must|could)|try|this",
        ),
        r"|the (?:fix|solution|workaround)(?: here)? (?:is|was)(?: to)?:?|to fix (?:it|this|that),?)",
        r"(?: also| just| now| then| simply| first| try| to|(?: \w+ly))* +)?",
        concat!(
            r"(?:(?:add|chang|updat|remov|delet|replac|renam|mov|pin|upgrad|downgrad|install|reinstall|",
            r"uninstall|disabl|enabl|clear",
        ),
        concat!(
            r"|restart|switch|fix|increas|decreas|rais|lower|wrap|revert|configur|creat|patch|convert|bump|",
            r"correct|import|export",
        ),
        concat!(
            r"|rebuil|regenerat|reset|modif|adjust|unset|mount|regist|append|prepend|swap|introduc|rewr[io]t|",
            r"downgrad|clean|purg",
        ),
        concat!(
            r"|flush|kill|mov)\w*\b|(?:set|point|cast|put|use[ds]?|escape[ds]?|quote[ds]?|pass(?:ed|es)?|",
            r"stop(?:ped)?|start(?:ed)?|made|makes?)\b",
        ),
        r"|(?:re-?)?r[ua]n(?:ning)? `) ?.{4,})",
    ))
});

/// An answer that leaves several ways open: which one was tried is not known.
static OPEN: LazyLock<Regex> = LazyLock::new(|| {
    phrase(concat!(
        r"\b(?:few|several|some|two|three|four|multiple|following|possible|other|couple of)(?: \w+)?",
        r" (?:options|ways|things|alternatives|possibilities|approaches|solutions|causes|reasons)\b",
        concat!(
            r"|\balternatively\b|\boption (?:\d|[ab])\b|\byou (?:could|can) (?:also|either)\b|\bif (?:that|",
            r"this|it) (?:still )?(?:doesn't|does not|fails)",
        ),
    ))
});

/// A command in backticks.
static QUOTED: LazyLock<Regex> = LazyLock::new(|| pattern(r"`([^`\n]{4,200})`"));

/// The tactics of one turn: at most one, since a turn says how one thing went.
pub(super) fn tactic(turns: &[Turn], at: usize, said: &[Sentence]) -> Option<Proposal> {
    // How it went is said first; what comes later in a long turn is about something else.
    let (index, sentence, result, kept) = said.iter().take(6).enumerate().find_map(|(index, sentence)| {
        let (result, kept) =
            RESULTS.iter().enumerate().find_map(|(row, one)| Some((row, one.kept(&sentence.text)?)))?;
        Some((index, sentence, result, kept))
    })?;
    let rule = RULES.get(result)?;
    let worked = result >= FAILURES;
    let from = at.saturating_sub(TURNS_BACK);
    let before = turns.get(from..at)?;
    let says_what = SAYS_WHAT.contains(&rule.name);
    let (text, first, is_open) = if says_what {
        (kept.to_owned(), sentence.lines.0, false)
    } else {
        let earlier = said.get(..index)?;
        tried(before).or_else(|| done(earlier).map(|(text, first)| (text, first, false)))?
    };
    let error = nearest_error(before, &turns[at]);
    let is_problem = error.is_some() || has_problem(before, said, index, says_what);
    let confidence = match (worked, is_problem) {
        (true, true) if !is_open => Confidence::High,
        (_, true) => Confidence::Medium,
        // Nothing was wrong: a person is content with work that was done.
        (_, false) if !says_what => return None,
        (_, false) => Confidence::Low,
    };
    Some(Proposal {
        kind: Kind::Tactic,
        text,
        confidence,
        is_global: false,
        trigger: Trigger::ValidatedFix,
        worked: Some(worked),
        error,
        lines: (first.min(sentence.lines.0), sentence.lines.1),
        rule: rule.name,
    })
}

/// What the program last tried: the change it described and the command it ran or gave; with its first line, and
/// whether it left several ways open.
fn tried(before: &[Turn]) -> Option<(String, usize, bool)> {
    // Its turns since the person spoke last are one answer.
    let answer = before.iter().rev().skip_while(|turn| turn.role == Role::Tool);
    let answer: Vec<&Turn> = answer.take_while(|turn| matches!(turn.role, Role::Assistant | Role::Tool)).collect();
    let (mut change, mut command, mut first) = (None, None, usize::MAX);
    for turn in answer.iter().filter(|turn| turn.role == Role::Assistant) {
        if change.is_none() {
            let all = sentences(turn);
            // A program sums up at the end.
            if let Some(found) = all.iter().rev().find(|one| is_change(one)) {
                first = first.min(found.lines.0);
                change = Some(found.text.clone());
            }
        }
        if command.is_none()
            && let Some(found) = command_of(&turn.text)
        {
            first = first.min(turn.line_start);
            command = Some(found);
        }
    }
    let text = match (change, command) {
        (Some(change), Some(command)) if !change.contains(&command) && is_short(&change) => {
            format!("{} (`{command}`)", change.trim_end_matches(['.', ':', ' ']))
        }
        (Some(change), _) => change,
        (None, Some(command)) => format!("`{command}`"),
        (None, None) => return None,
    };
    let is_open = answer.iter().any(|turn| OPEN.is_match(head(&turn.text, LOOKED_AT_BYTES)));
    Some((text, first, is_open))
}

/// A change that only points at the command after it.
fn is_short(change: &str) -> bool {
    change.ends_with(':') || change.split_whitespace().count() < 6
}

/// What the person did, by their own words before the result.
fn done(earlier: &[Sentence]) -> Option<(String, usize)> {
    let found = earlier.iter().rev().find(|one| is_change(one))?;
    Some((found.text.clone(), found.lines.0))
}

fn is_change(sentence: &Sentence) -> bool {
    !sentence.text.ends_with('?') && sentence.text.len() <= 400 && CHANGE.is_match(&sentence.text)
}

/// The last command of an answer: a line that was run (`$ ...`), a block of one or two lines, or one in backticks.
fn command_of(text: &str) -> Option<String> {
    let text = head(text, LOOKED_AT_BYTES);
    let fits = |command: &&str| (4..=MAX_COMMAND_BYTES).contains(&command.len()) && looks_run(command);
    let ran = text.lines().rev().find_map(|line| line.trim().strip_prefix("$ ").map(str::trim).filter(fits));
    let block = || {
        // Odd pieces are within fences.
        let inner = text.split("```").collect::<Vec<_>>();
        let blocks = inner.iter().skip(1).step_by(2).rev();
        blocks.filter_map(|block| block.split_once('\n')).find_map(|(language, body)| {
            let is_shell = ["", "bash", "sh", "shell", "console", "zsh", "powershell"].contains(&language.trim());
            let mut lines = body.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
            let first = lines.next()?.trim_start_matches("$ ");
            (is_shell && lines.next().is_none()).then_some(first).filter(fits)
        })
    };
    let quoted = || QUOTED.captures_iter(text).last().and_then(|found| found.get(1)).map(|c| c.as_str()).filter(fits);
    ran.or_else(block).or_else(quoted).map(str::to_owned)
}

/// Whether this is a call of a program: two words, the first a plain name.
fn looks_run(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let name = words.next().unwrap_or_default();
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_./".contains(c);
    let is_set = name.contains('=') && name.chars().next().is_some_and(|c| c.is_ascii_uppercase());
    let is_plain = name.chars().all(is_name) && name.starts_with(|c: char| c.is_ascii_lowercase() || c == '.');
    (is_plain || is_set) && words.next().is_some() && !command.ends_with(['{', ';', ':'])
}

/// The nearest line before that only a machine writes. In the turn itself only above what is judged.
fn nearest_error(before: &[Turn], turn: &Turn) -> Option<String> {
    let in_text = |text: &str| {
        let line = head(text, LOOKED_AT_BYTES).lines().rev().find(|line| ERROR.is_match(head(line, 1000)))?;
        let line = line.trim().trim_matches('`');
        Some(head(line, MAX_ERROR_BYTES).to_owned())
    };
    let own = (turn.role == Role::Unknown).then(|| in_text(&turn.text)).flatten();
    own.or_else(|| before.iter().rev().filter(|turn| turn.role != Role::Assistant).find_map(|turn| in_text(&turn.text)))
}

/// Whether a person said that something is wrong: in a turn before, or in this one above the result.
fn has_problem(before: &[Turn], said: &[Sentence], index: usize, says_what: bool) -> bool {
    let is_person = |turn: &&Turn| matches!(turn.role, Role::User | Role::Unknown);
    let own = said.iter().take(index + usize::from(says_what)).any(|one| PROBLEM.is_match(&one.text));
    // The person's last two turns: further back something else was wrong.
    own || before.iter().rev().filter(is_person).take(2).any(|turn| PROBLEM.is_match(head(&turn.text, LOOKED_AT_BYTES)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found() {
        for (text, wanted) in [
            ("Run this:\n```bash\nnpm ci --force\n```\n", Some("npm ci --force")),
            ("I run it.\n$ cargo clean -p a\n", Some("cargo clean -p a")),
            ("try `pip install -U pip` and `x`", Some("pip install -U pip")),
            ("```rust\nlet a = 1;\n```", None),
            ("see `src/a.rs` and `Some(value)`", None),
            ("```sh\none two\nthree four\n```", None),
        ] {
            assert_eq!(command_of(text).as_deref(), wanted, "{text}");
        }
    }
}
