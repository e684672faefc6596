//! Tells an answer of "no" from a failure: some programs say with exit code 1 that nothing was found, that two files
//! differ, or that a condition does not hold.

use super::head::{commands_of, only_looks, verb_of};
use super::payload::is_wordless;

/// Programs that say "no" with exit code 1, and the verbs that do so; no verbs means all calls of the program. Their
/// manuals say so. On an error they exit with another code or print a message.
const ANSWER: &[(&str, &[&str])] = &[
    // 0 if a line was selected, 1 if none was, more for an error (POSIX).
    ("grep", &[]),
    ("egrep", &[]),
    ("fgrep", &[]),
    ("zgrep", &[]),
    ("bzgrep", &[]),
    ("xzgrep", &[]),
    ("rg", &[]),
    ("ag", &[]),
    ("ack", &[]),
    ("findstr", &[]),
    // 0 if the files are alike, 1 if they differ, more for an error (POSIX).
    ("diff", &[]),
    ("sdiff", &[]),
    ("zdiff", &[]),
    ("cmp", &[]),
    ("zcmp", &[]),
    ("fc", &[]),
    // 1 if the condition does not hold, more for an error (POSIX).
    ("test", &[]),
    ("[", &[]),
    ("[[", &[]),
    ("expr", &[]),
    // 1 if nothing is there of that name or kind.
    ("pgrep", &[]),
    ("pkill", &[]),
    ("pidof", &[]),
    ("which", &[]),
    ("where", &[]),
    ("lsof", &[]),
    ("fuser", &[]),
    ("mountpoint", &[]),
    // With -e: the last value is false or null.
    ("jq", &[]),
    ("git", &["grep", "diff", "merge-base", "check-ignore", "show-ref", "rev-parse"]),
];

/// Those of these programs that print what differs.
const PRINT: &[&str] = &["diff", "sdiff", "zdiff", "cmp", "zcmp", "fc", "git"];
/// What the other programs print for "no".
const NO: &[&str] = &["0", "false", "null"];

/// Whether a run that ended with this exit code and text only answered "no". The commands before it on the line must
/// change nothing, since one of them may have failed instead.
pub(super) fn is_no(tool: &str, input: &str, exit_code: Option<i32>, error: &str) -> bool {
    if exit_code != Some(1) {
        return false;
    }
    let commands = commands_of(tool, input);
    let Some((last, before)) = commands.split_last() else { return false };
    let answers = |(program, verbs): &(&str, &[&str])| {
        last[0] == *program && (verbs.is_empty() || verb_of(last).is_some_and(|verb| verbs.contains(&verb)))
    };
    if !ANSWER.iter().any(answers) || !before.iter().all(|words| only_looks(words)) {
        return false;
    }
    let program = last[0].as_str();
    let own = format!("{program}:");
    let complains = |line: &str| ["fatal:", "error:", "interrupted", &own].iter().any(|sign| line.starts_with(sign));
    let says_no = |line: &str| NO.iter().any(|no| line.trim_end().ends_with(no));
    let is_printed = |line: &str| if PRINT.contains(&program) { !complains(line) } else { says_no(line) };
    // Of several commands it is not known which has printed it.
    is_wordless(error) || before.is_empty() && error.lines().all(is_printed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_is_an_answer() {
        for (input, error) in [
            ("grep -r unwrap src", ""),
            ("grep -r unwrap src", "Exit code 1"),
            ("grep -c unwrap src/a.rs", "0\n"),
            ("cd src && rg 'a|b' --type rust", ""),
            ("cat a.log | sort | grep -i oom", "Exit code 1\n"),
            ("sudo /usr/bin/grep x y", ""),
            ("diff a b", "1c1\n< a\n---\n> b\n"),
            ("cmp a b", "a b differ: byte 1, line 1"),
            ("test -f Cargo.lock", ""),
            ("[ -d target ]", ""),
            ("git diff --exit-code", "diff --git a/x b/x"),
            ("git grep todo", ""),
            ("pgrep -f server", ""),
            ("bash -c 'grep x y'", ""),
            ("{\"command\":\"grep x y\"}", ""),
            ("grep x y", "Command: grep x y\nOutput: (empty)\nError: (none)\nExit Code: 1\nSignal: 0"),
        ] {
            assert!(is_no("Bash", input, Some(1), error), "{input}: {error}");
        }
    }

    #[test]
    fn a_failure_is_none() {
        for (input, code, error) in [
            ("grep x y", Some(2), ""),
            ("grep x y", None, ""),
            ("diff a b", Some(1), "interrupted"),
            ("git diff", Some(1), "fatal: bad revision"),
            ("grep x y", Some(1), "grep: y: No such file or directory"),
            ("cd nowhere && grep x y", Some(1), "bash: cd: nowhere: No such file or directory"),
            ("make && grep x y", Some(1), ""),
            ("grep x y && make", Some(1), ""),
            ("grep x y || exit 1", Some(1), ""),
            ("git push", Some(1), ""),
            ("npm test", Some(1), ""),
            ("which cargo", Some(1), "which: no cargo in (/bin)"),
            ("test -f a", Some(1), "interrupted"),
            ("", Some(1), ""),
        ] {
            assert!(!is_no("Bash", input, code, error), "{input}: {error}");
        }
        assert!(!is_no("mcp__files__grep", "grep x y", Some(1), ""));
    }
}
