//! What comes out of a log stays one argument: every step of every pack, filled with hostile values, run by real
//! shells.
//!
//! Nothing of a fix runs. The path holds one program under many names, which writes down how it was called; the working
//! folder and the home are empty and private; and a line that names a program by its path is not run. A run with a
//! harmless value says what a line does; with a hostile one it must do the same, and hand the value on as it is.

use crate::support::program::program;
use kenning::canon::{Canon, Stored, fill};
use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Stdio};

const HARMLESS: &str = "harmless";
const PLACED: &str = "placed";

/// `touched` is a name of the program that writes down calls, `made` a file that must not appear.
fn hostile() -> Vec<String> {
    let mut values: Vec<String> = [
        "$(touched x)",
        "`touched x`",
        "'$(touched x)'",
        "\"$(touched x)\"",
        "'; touched x; '",
        "\"; touched x; \"",
        "x; touched x",
        "x && touched x",
        "x || touched x",
        "x | touched x",
        "x & touched x",
        "x > made",
        "x' > made '",
        "<(touched x)",
        "x\ntouched x\n",
        "x\r\ntouched x",
        "# x",
        "x #",
        "~",
        "~root",
        "*",
        "[a-z]?",
        "{a,b}",
        "!touched",
        "!!",
        "-rf",
        "--output=made",
        "+!touched",
        "@made",
        "@scope/name",
        "\\",
        "x\\",
        "\\'; touched x; '",
        "$HOME",
        "${HOME}",
        "$((1+1))",
        "$'x'",
        "=touched",
        "%COMSPEC%",
        "a=b",
        "a  b",
        " ",
        "",
        "ä ö \u{1F980}",
        "\u{2018}; touched x; \u{2019}",
        "\u{202e}x",
        "\u{1b}[2Jx",
        "it's",
        "say \"hi\"",
    ]
    .map(str::to_owned)
    .into();
    values.push("y".repeat(5_000));
    values.push(format!("{} z", "y".repeat(400)));
    values
}

/// What stands between backticks.
fn code(step: &str) -> Vec<&str> {
    step.split('`').skip(1).step_by(2).collect()
}

/// Placeholders as whoever pastes the line replaces them, and a first word that other programs' output would choose.
fn ready(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(open) = rest.find('<') {
        out.push_str(&rest[..open]);
        rest = &rest[open..];
        let inner = |c: char| c.is_ascii_alphanumeric() || "-_ .".contains(c);
        match rest[1..].find(|c| !inner(c)).filter(|&end| end > 0 && rest[1 + end..].starts_with('>')) {
            Some(end) => {
                out.push_str(PLACED);
                rest = &rest[end + 2..];
            }
            None => {
                out.push('<');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    // An option on its own is somebody's argument.
    if out.starts_with('-') {
        return format!("p {out}");
    }
    match out.starts_with("$(").then(|| out.find(")/")).flatten() {
        Some(end) => format!("p{}", out[end + 1..].find(' ').map_or("", |word| &out[end + 1 + word..])),
        None => out,
    }
}

/// Whether the line could start a program by its path, or write a file: then it is not run.
fn is_dangerous(line: &str) -> bool {
    let mut first = true;
    let mut words = line.split_whitespace().peekable();
    while let Some(word) = words.next() {
        if first && (word.contains('/') && !word.contains("://") || word.starts_with(['$', '~', '.', '"'])) {
            return true;
        }
        first = matches!(word, "|" | "||" | "&&" | ";" | "&" | "(" | "{" | "then" | "do" | "else" | "!")
            || word.ends_with(';');
        let target = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&').strip_prefix('>');
        let target = target.map(|rest| if rest.is_empty() { words.peek().copied().unwrap_or("") } else { rest });
        if target.is_some_and(|target| !target.starts_with('&') && target != "/dev/null") {
            return true;
        }
    }
    false
}

/// The names that words of a line could have as programs.
fn names(line: &str) -> impl Iterator<Item = &str> {
    let parts = line.split(|c: char| !(c.is_ascii_alphanumeric() || "._+-".contains(c)));
    parts.filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.len() < 60)
}

/// Words that a function must not be named after: the shell's own (dash reads `local()` as an error, and then runs
/// nothing of the script), and what writes the calls down.
const TAKEN: &[&str] = &[
    "if", "then", "else", "elif", "fi", "for", "in", "do", "done", "while", "until", "case", "esac", "select",
    "function", "local", "time", "coproc", "break", "continue", "eval", "exec", "exit", "export", "readonly", "return",
    "set", "shift", "source", "times", "trap", "unset", "printf", "call",
];

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for name in ["bin", "work"] {
            std::fs::create_dir(folder.path(name)).unwrap();
        }
        let text = "#!/bin/sh\nprintf '%s\\0' \"${0##*/}\" \"$@\" '<end>' >>\"$TRACE\"\nexit \"$CODE\"\n";
        program(&folder.path("bin/touched"), text);
        folder
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    /// What each line does, in one process: the calls that it makes when programs succeed and when they fail. All
    /// words of the lines are names of what writes its calls down: a function, and for the rest a program, the only
    /// one there is.
    fn run(&self, shell: &str, lines: &[String]) -> BTreeSet<Vec<String>> {
        let mut script = "call() { printf '%s\\0' \"$@\" '<end>' >>\"$TRACE\"; return \"$CODE\"; }\n".to_owned();
        let mut known: BTreeSet<&str> = ["touched", "p", "type", "command", "cd", "kill"].into();
        known.extend(lines.iter().flat_map(|line| names(line)));
        for name in known {
            let _ = std::os::unix::fs::symlink(self.path("bin/touched"), self.path("bin").join(name));
            if !TAKEN.contains(&name) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
                script.push_str(&format!("{name}() {{ call {name} \"$@\"; }}\n"));
            }
        }
        if shell.ends_with("bash") {
            // As at a prompt.
            script.push_str("set -o history -o histexpand\n");
        }
        script.push_str(&lines.join("\n"));
        script.push('\n');
        std::fs::write(self.path("script"), script).unwrap();
        let mut calls = BTreeSet::new();
        for code in if lines.iter().any(|line| line.contains("||")) { &["0", "1"][..] } else { &["0"] } {
            let trace = self.path("trace");
            std::fs::write(&trace, "").unwrap();
            let mut command = Command::new(shell);
            command.arg(self.path("script")).current_dir(self.path("work")).env_clear().env("CODE", code);
            command.env("PATH", self.path("bin")).env("HOME", self.path("work")).env("TRACE", &trace);
            // Waits for what runs in the background too: it holds these pipes.
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
            let trace = std::fs::read(trace).unwrap();
            let words: Vec<String> =
                trace.split(|&b| b == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect();
            calls.extend(words[..words.len() - 1].split(|word| word == "<end>").map(<[String]>::to_vec));
        }
        calls.remove(&Vec::new());
        calls
    }

    fn is_untouched(&self) -> bool {
        std::fs::read_dir(self.path("work")).unwrap().next().is_none()
    }
}

fn filled(step: &str, declared: &BTreeSet<String>, value: &str) -> String {
    fill(step, declared, &declared.iter().map(|name| (name.clone(), value.to_owned())).collect::<BTreeMap<_, _>>())
}

/// What is wrong with the steps of an entry, and how many lines were run how often.
fn faults(folder: &Folder, stored: &Stored, values: &[String], counts: &mut (usize, usize)) -> Vec<String> {
    let mut faults = Vec::new();
    let declared = stored.captures();
    for step in stored.entry().fix.iter().map(|step| &step.text) {
        let calm_step = filled(step, &declared, HARMLESS);
        if calm_step == *step {
            continue;
        }
        if !calm_step.contains(HARMLESS) {
            faults.push(format!("nothing is filled in: {step}"));
        }
        // Many values are written alike: as a placeholder.
        let mut steps: BTreeMap<String, &str> = BTreeMap::new();
        for value in values {
            steps.entry(filled(step, &declared, value)).or_insert(value);
        }
        for (number, calm) in code(&calm_step).into_iter().enumerate().filter(|(_, calm)| calm.contains(HARMLESS)) {
            let calm = ready(calm);
            if is_dangerous(&calm) {
                faults.push(format!("cannot be tried, since it names a file: {calm}"));
                continue;
            }
            counts.0 += 1;
            let mut lines: Vec<(String, &str)> = Vec::new();
            for (hostile_step, value) in &steps {
                match code(hostile_step).get(number).map(|line| ready(line)) {
                    Some(line) => {
                        let gone = line.matches(PLACED).count() > calm.matches(PLACED).count();
                        lines.push((line, if gone { PLACED } else { value }));
                    }
                    None => faults.push(format!("a value ends the code: {hostile_step}")),
                }
            }
            for shell in ["/bin/sh", "/bin/bash"] {
                let expected = folder.run(shell, std::slice::from_ref(&calm));
                let hoped = |value: &str| -> BTreeSet<Vec<String>> {
                    let call = |call: &Vec<String>| call.iter().map(|word| word.replace(HARMLESS, value)).collect();
                    expected.iter().map(call).collect()
                };
                // An address on its own is no command.
                if !expected.iter().flatten().any(|word| word.contains(HARMLESS)) && calm.contains(' ') {
                    faults.push(format!("{shell} hands no value on: {calm}"));
                }
                let all: Vec<String> = lines.iter().map(|(line, _)| line.clone()).collect();
                counts.1 += all.len();
                let together: BTreeSet<Vec<String>> = lines.iter().flat_map(|(_, value)| hoped(value)).collect();
                if folder.run(shell, &all) == together && folder.is_untouched() {
                    continue;
                }
                for (line, value) in &lines {
                    let calls = folder.run(shell, std::slice::from_ref(line));
                    if calls != hoped(value) || !folder.is_untouched() {
                        faults.push(format!("{shell}: {line}\n  called {calls:?}\n  not {:?}", hoped(value)));
                        std::fs::remove_dir_all(folder.path("work")).unwrap();
                        std::fs::create_dir(folder.path("work")).unwrap();
                    }
                }
            }
        }
    }
    faults
}

#[test]
fn every_step_keeps_a_hostile_value_one_argument() {
    let (canon, _) = Canon::load(&[]);
    let (folder, values, mut counts) = (Folder::new(), hostile(), (0, 0));
    let all: Vec<String> = canon
        .entries()
        .iter()
        .flat_map(|stored| {
            let faults = faults(&folder, stored, &values, &mut counts);
            faults.into_iter().map(|fault| format!("{}: {fault}", stored.id())).collect::<Vec<_>>()
        })
        .collect();
    assert!(all.is_empty(), "{} faults, the first of them:\n{}", all.len(), all[..all.len().min(40)].join("\n"));
    assert!(counts.0 > 25 && counts.1 > 250, "{} lines, {} runs", counts.0, counts.1);
}

/// A placeholder that nobody replaced is two redirections. They fail before anything runs, and write nothing.
#[test]
fn a_placeholder_left_in_a_line_runs_and_writes_nothing() {
    let (canon, _) = Canon::load(&[]);
    let folder = Folder::new();
    let mut lines = 0;
    for stored in canon.entries() {
        let declared = stored.captures();
        for step in stored.entry().fix.iter().map(|step| &step.text).filter(|step| step.contains('{')) {
            let all = filled(step, &declared, "\n");
            for (line, calm) in code(&all).into_iter().zip(code(&filled(step, &declared, HARMLESS))) {
                if line == calm || is_dangerous(&ready(line)) || line.contains(['&', '|', ';']) {
                    continue;
                }
                assert_eq!(folder.run("/bin/sh", &[line.to_owned()]), BTreeSet::new(), "{line}");
                assert!(folder.is_untouched(), "{line}");
                lines += 1;
            }
        }
    }
    assert!(lines > 12, "{lines} lines");
}
