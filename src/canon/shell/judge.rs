//! What a command does with its words: which of them choose what runs, and which are read as a program again.
//!
//! A word that a shell passes on whole is safe only if the command takes it as data. The tables name the commands
//! that do not: shells and interpreters, clients of databases, what runs another command, what evaluates its
//! arguments. They can hold what is common, not everything: a command that is in none of them gets its words as data.

use super::Reason;
use super::word::{HOLE, Word};

/// Words before a command that leave it a command.
const BEFORE: &[&str] = &["!", "time", "if", "then", "elif", "else", "while", "until", "do", "{", "$"];
/// Words whose command has captures in none of its words.
const HEADS: &[&str] = &["for", "case", "select", "function", "coproc", "[["];
/// Commands that read their arguments as commands, expressions or names of variables again.
const EVALUATE: &[&str] = &[
    "eval",
    "source",
    ".",
    "trap",
    "let",
    "alias",
    "bind",
    "complete",
    "compgen",
    "unset",
    "read",
    "mapfile",
    "readarray",
    "getopts",
    "hash",
    "enable",
    "fc",
    "watch",
    "parallel",
    "at",
    "batch",
    "rsh",
    "pdsh",
    "mosh",
    "tmux",
    "screen",
    "osascript",
    "Invoke-Expression",
    "iex",
    "Start-Process",
    "cmd",
    "cmd.exe",
];
/// Commands whose arguments are names of variables, with values behind `=`.
const DECLARE: &[&str] = &["export", "declare", "typeset", "local", "readonly", "set", "setx", "setenv"];
/// Shells: what follows `-c` is a command, and what follows no option is a script.
const SHELLS: &[&str] =
    &["sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "csh", "tcsh", "pwsh", "powershell", "powershell.exe"];

/// A command that runs the command in its arguments.
struct Runner {
    names: &'static [&'static str],
    /// Options that are followed by a value.
    values: &'static [&'static str],
    /// Words between the options and the command.
    operands: usize,
}

const RUNNERS: &[Runner] = &[
    Runner {
        names: &["sudo", "doas", "gosu", "runuser"],
        values: &[
            "-u", "-g", "-h", "-p", "-C", "-r", "-t", "-T", "-U", "-D", "-R", "--user", "--group", "--host", "--chdir",
        ],
        operands: 0,
    },
    Runner { names: &["env"], values: &["-u", "-C", "--unset", "--chdir"], operands: 0 },
    Runner { names: &["nice", "ionice"], values: &["-n", "-c", "--adjustment"], operands: 0 },
    Runner {
        names: &["nohup", "setsid", "exec", "builtin", "command", "time", "stdbuf", "unbuffer", "RUN", "xvfb-run"],
        values: &["-a", "-f", "-i", "-o", "-e"],
        operands: 0,
    },
    Runner { names: &["strace", "ltrace"], values: &["-e", "-o", "-p", "-s", "-P", "-E", "-u"], operands: 0 },
    Runner { names: &["timeout"], values: &["-s", "-k", "--signal", "--kill-after"], operands: 1 },
    Runner { names: &["chroot"], values: &[], operands: 1 },
    Runner { names: &["flock"], values: &["-w", "-E", "--timeout"], operands: 1 },
    Runner { names: &["nsenter", "unshare"], values: &["-t", "-S", "-G", "--target"], operands: 0 },
    Runner { names: &["systemd-run"], values: &["-p", "-u", "-E", "-H", "-M", "--unit"], operands: 0 },
    Runner { names: &["xargs"], values: &["-n", "-I", "-P", "-L", "-d", "-a", "-E", "-s"], operands: 0 },
    Runner { names: &["npx", "pnpx", "bunx", "uvx"], values: &["-p", "--package", "--from", "--with"], operands: 0 },
];

/// A command that takes a program text.
struct Interpreter {
    names: &'static [&'static str],
    /// Options that are followed by a program, or by the name of one.
    code: &'static [&'static str],
    /// Options that are followed by a value, and by how many.
    values: &'static [(&'static str, usize)],
    /// Whether the first word that is no option is a program as well.
    first: bool,
}

const INTERPRETERS: &[Interpreter] = &[
    Interpreter {
        names: &[
            "python", "python2", "python3", "py", "ipython", "perl", "ruby", "node", "nodejs", "deno", "bun", "php",
            "lua",
        ],
        code: &["-c", "-e", "-E", "-m", "-p", "-r", "-R", "--eval", "--print", "--require", "--import"],
        values: &[("-W", 1), ("-X", 1), ("-I", 1), ("-d", 1)],
        first: true,
    },
    Interpreter {
        names: &["awk", "gawk", "mawk", "nawk"],
        code: &["-f", "-e", "--source", "-i"],
        values: &[("-F", 1), ("-v", 1)],
        first: true,
    },
    Interpreter {
        names: &["sed", "gsed"],
        code: &["-e", "-f", "--expression", "--file"],
        values: &[("-l", 1)],
        first: true,
    },
    Interpreter {
        names: &["jq", "yq", "gojq"],
        code: &["-f", "--from-file"],
        values: &[("--arg", 2), ("--argjson", 2), ("--slurpfile", 2), ("--rawfile", 2), ("--indent", 1), ("-L", 1)],
        first: true,
    },
    Interpreter {
        names: &["rundll32", "wscript", "cscript", "mshta", "java"],
        code: &["-jar"],
        values: &[],
        first: true,
    },
    Interpreter {
        names: &[
            "psql",
            "mysql",
            "mariadb",
            "sqlcmd",
            "mongosh",
            "mongo",
            "duckdb",
            "cqlsh",
            "clickhouse-client",
            "sqlplus",
        ],
        code: &[
            "-c",
            "-e",
            "-f",
            "-q",
            "-Q",
            "-i",
            "--command",
            "--execute",
            "--eval",
            "--query",
            "--file",
            "--init-command",
        ],
        values: &[],
        first: false,
    },
    Interpreter {
        names: &["su", "script", "vagrant", "gcloud"],
        code: &["-c", "--command", "--session-command"],
        values: &[],
        first: false,
    },
    Interpreter {
        names: &["vim", "vi", "nvim", "view", "emacs", "ex"],
        code: &["-c", "-S", "--cmd", "--eval", "-l"],
        values: &[],
        first: false,
    },
    Interpreter { names: &["test", "[", "printf"], code: &["-v"], values: &[], first: false },
    Interpreter { names: &["git"], code: &["--exec", "--upload-pack", "--receive-pack"], values: &[], first: false },
    Interpreter { names: &["tar"], code: &["-I", "--to-command", "--use-compress-program"], values: &[], first: false },
    Interpreter {
        names: &["rsync", "scp", "sftp"],
        code: &["-e", "-S", "-o", "--rsh", "--rsync-path"],
        values: &[],
        first: false,
    },
];

/// Options of ssh that are followed by a value which is data. Those of `-o` may be commands.
const SSH_VALUES: &[&str] =
    &["-p", "-i", "-l", "-b", "-c", "-m", "-L", "-R", "-D", "-W", "-w", "-J", "-E", "-F", "-Q", "-B"];
/// Options of `docker exec` that are followed by a value.
const EXEC_VALUES: &[&str] = &["-e", "-u", "-w", "--env", "--env-file", "--user", "--workdir", "--detach-keys"];

/// First words of SQL and of Dockerfiles: no commands.
const OTHER_LANGUAGES: &[&str] = &[
    "SELECT",
    "INSERT",
    "UPDATE",
    "DELETE",
    "CREATE",
    "ALTER",
    "DROP",
    "GRANT",
    "REVOKE",
    "TRUNCATE",
    "REINDEX",
    "VACUUM",
    "ANALYZE",
    "EXPLAIN",
    "SET",
    "RESET",
    "SHOW",
    "COPY",
    "BEGIN",
    "COMMIT",
    "ROLLBACK",
    "WITH",
    "CALL",
    "DO",
    "COMMENT",
    "CLUSTER",
    "REFRESH",
    "LOCK",
    "REASSIGN",
    "SECURITY",
    "FROM",
    "ENV",
    "ARG",
    "ADD",
    "LABEL",
    "CMD",
    "ENTRYPOINT",
    "USER",
    "WORKDIR",
    "EXPOSE",
    "VOLUME",
    "HEALTHCHECK",
    "SHELL",
];

/// The captures of a command that may not stand where they stand. Of what is told beside code only that counts which no
/// sentence says by chance.
pub(super) fn judge(words: &[Word], is_told: bool) -> Vec<(usize, Reason)> {
    let mut out = Vec::new();
    if words.iter().any(|word| !word.holes.is_empty()) {
        let mut judge = Judge { out: &mut out };
        if is_told {
            judge.anywhere(words);
            judge.refuse(&words[..1], Reason::CommandName);
        } else {
            judge.command(words);
        }
    }
    out
}

struct Judge<'a> {
    out: &'a mut Vec<(usize, Reason)>,
}

impl Judge<'_> {
    fn refuse(&mut self, words: &[Word], reason: Reason) {
        self.out.extend(words.iter().flat_map(|word| &word.holes).map(|number| (*number, reason)));
    }

    fn command(&mut self, all: &[Word]) {
        let mut words = all;
        while words.first().and_then(Word::reserved).is_some_and(|word| BEFORE.contains(&word)) {
            words = &words[1..];
        }
        if words.first().and_then(Word::reserved).is_some_and(|word| HEADS.contains(&word)) {
            return self.refuse(words, Reason::Condition);
        }
        words = self.assignments(words, false);
        if is_other_language(words) {
            return self.refuse(words, Reason::Language);
        }
        self.anywhere(words);
        self.named(words, all.len() == 1);
    }

    /// Passes `NAME=value` before a command. In arguments it may be quoted.
    fn assignments<'w>(&mut self, mut words: &'w [Word], quoted: bool) -> &'w [Word] {
        let name = |word: &'w Word| assigned(word, if quoted { word.text.len() } else { word.bare });
        while let Some(name) = words.first().and_then(name) {
            if name.contains(&HOLE) {
                self.refuse(&words[..1], Reason::AssignmentName);
            } else if runs(name) {
                self.refuse(&words[..1], Reason::Evaluated);
            }
            words = &words[1..];
        }
        words
    }

    /// What is so wherever it stands, since commands of all kinds hand commands on.
    fn anywhere(&mut self, words: &[Word]) {
        for (at, word) in words.iter().enumerate() {
            let rest = &words[at + 1..];
            match word.known().map(base_name) {
                Some("-exec" | "-execdir" | "-ok" | "-okdir") => self.named(rest, false),
                // What follows its program are arguments of that.
                Some(shell) if SHELLS.contains(&shell) && self.shell(rest) => return,
                _ => {}
            }
        }
    }

    /// Arguments of a shell; whether a program is among them.
    fn shell(&mut self, mut words: &[Word]) -> bool {
        while let Some((first, rest)) = words.split_first() {
            if first.is_expansion() {
                self.refuse(rest, Reason::Evaluated);
            }
            let Some(option) = first.known().filter(|word| word.starts_with(['-', '+'])) else { break };
            let lower = option.to_ascii_lowercase();
            let short =
                option.starts_with('-') && !option.starts_with("--") && option.len() <= 5 && option.contains('c');
            if short || lower == "--command" || "-encodedcommand".starts_with(&lower) || "-command".starts_with(&lower)
            {
                // PowerShell reads all that follows, the others one word; what follows that is data to them.
                let length = if short { 1 } else { rest.len() };
                self.refuse(&rest[..length.min(rest.len())], Reason::Evaluated);
                return true;
            }
            words = if matches!(option, "-o" | "+o" | "-O" | "+O" | "--rcfile" | "--init-file") {
                rest.get(1..).unwrap_or(&[])
            } else {
                rest
            };
        }
        // A script. Where the option itself is a capture nothing is certain.
        self.refuse(&words[..words.len().min(1)], Reason::CommandName);
        false
    }

    /// A command with its name, behind whatever runs it.
    fn named(&mut self, words: &[Word], alone: bool) {
        let Some((head, rest)) = words.split_first() else { return };
        if head.is_expansion() {
            // It may be nothing, and then the next word is the command.
            return self.named(rest, false);
        }
        let is_data = alone && is_address(head);
        if !head.holes.is_empty() && !is_data {
            self.refuse(&words[..1], Reason::CommandName);
        }
        let Some(name) = head.known().map(base_name) else { return };
        if let Some(runner) = RUNNERS.iter().find(|runner| runner.names.contains(&name)) {
            return self.run(name, runner, rest);
        }
        if EVALUATE.contains(&name) {
            return self.refuse(rest, Reason::Evaluated);
        }
        if DECLARE.contains(&name) {
            for word in rest.iter().filter(|word| !word.holes.is_empty()) {
                match assigned(word, word.text.len()) {
                    Some(variable) if !variable.contains(&HOLE) && !runs(variable) => {}
                    _ => self.refuse(std::slice::from_ref(word), Reason::AssignmentName),
                }
            }
            return;
        }
        if let Some(interpreter) = INTERPRETERS.iter().find(|interpreter| interpreter.names.contains(&name)) {
            self.interpret(interpreter, rest);
        }
        match name {
            "ssh" | "autossh" => self.ssh(rest),
            // A setting, which may be a command. Behind the subcommand -c is something else.
            "git" if rest.first().and_then(Word::known) == Some("-c") => {
                self.refuse(&rest[1..rest.len().min(2)], Reason::Evaluated)
            }
            "make" | "gmake" | "nmake" => {
                let variables = rest.iter().filter(|word| word.text.contains(&b'='));
                variables.for_each(|word| self.refuse(std::slice::from_ref(word), Reason::Evaluated));
            }
            "docker" | "podman" | "nerdctl" if rest.first().and_then(Word::known) == Some("exec") => {
                let runner = Runner { names: &[], values: EXEC_VALUES, operands: 1 };
                self.run(name, &runner, &rest[1..]);
            }
            "kubectl" | "oc" => {
                if let Some(at) = rest.iter().position(|word| word.known() == Some("--")) {
                    self.named(&rest[at + 1..], false);
                }
            }
            _ => {}
        }
    }

    /// What runs the command in its arguments.
    fn run(&mut self, name: &str, runner: &Runner, mut words: &[Word]) {
        while let Some((first, rest)) = words.split_first() {
            let Some(option) = first.known().filter(|word| word.starts_with('-')) else {
                if first.text.first() == Some(&b'-') {
                    words = rest;
                    continue;
                }
                break;
            };
            words = rest;
            match option {
                "--" => break,
                // It tells of a command and runs none.
                "-v" | "-V" if name == "command" => return,
                "-S" | "--split-string" | "-c" | "--call" if matches!(name, "env" | "npx" | "flock") => {
                    self.refuse(&words[..words.len().min(1)], Reason::Evaluated);
                    words = words.get(1..).unwrap_or(&[]);
                }
                _ if runner.values.contains(&option) => words = words.get(1..).unwrap_or(&[]),
                _ => {}
            }
        }
        words = words.get(runner.operands..).unwrap_or(&[]);
        let words = self.assignments(words, true);
        self.named(words, false);
    }

    fn interpret(&mut self, interpreter: &Interpreter, mut words: &[Word]) {
        while let Some((first, rest)) = words.split_first() {
            words = rest;
            let known = first.known();
            let option = first.text.starts_with(b"-");
            if first.is_expansion() {
                return self.refuse(rest, Reason::Evaluated);
            }
            if known.is_some_and(|word| interpreter.code.contains(&word)) {
                self.refuse(&rest[..rest.len().min(1)], Reason::Evaluated);
                words = rest.get(1..).unwrap_or(&[]);
                // What follows a program are its arguments; clients of databases take options in any order.
                if interpreter.first {
                    return;
                }
            } else if option && interpreter.code.iter().any(|code| first.text.starts_with(code.as_bytes())) {
                self.refuse(std::slice::from_ref(first), Reason::Evaluated);
            } else if let Some((_, count)) = interpreter.values.iter().find(|(name, _)| known == Some(*name)) {
                words = rest.get(*count..).unwrap_or(&[]);
            } else if !option && interpreter.first {
                return self.refuse(std::slice::from_ref(first), Reason::Evaluated);
            }
        }
    }

    /// ssh joins what follows the host and has the shell there read it again.
    fn ssh(&mut self, mut words: &[Word]) {
        while let Some((first, rest)) = words.split_first() {
            if !first.text.starts_with(b"-") {
                return self.refuse(rest, Reason::Evaluated);
            }
            words = rest;
            if first.text.starts_with(b"-o") {
                self.refuse(std::slice::from_ref(first), Reason::Evaluated);
                self.refuse(&words[..words.len().min(usize::from(first.text == b"-o"))], Reason::Evaluated);
                words = if first.text == b"-o" { words.get(1..).unwrap_or(&[]) } else { words };
            } else if first.known().is_some_and(|option| SSH_VALUES.contains(&option)) {
                words = rest.get(1..).unwrap_or(&[]);
            }
        }
    }
}

/// The name in `NAME=value`, captures included, if it ends within the first `within` bytes.
fn assigned(word: &Word, within: usize) -> Option<&[u8]> {
    let end = word.text[..within].iter().position(|&b| b == b'=').filter(|end| *end > 0)?;
    let name = word.text[..end].strip_suffix(b"+").unwrap_or(&word.text[..end]);
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_' || *b == HOLE;
    (name.iter().all(is_name) && !name.first()?.is_ascii_digit()).then_some(name)
}

/// Whether programs run the value of a variable, or find what they run by it.
fn runs(name: &[u8]) -> bool {
    let ends: [&[u8]; 12] = [
        b"PATH",
        b"_COMMAND",
        b"EDITOR",
        b"PAGER",
        b"SHELL",
        b"BROWSER",
        b"OPTIONS",
        b"OPTS",
        b"FLAGS",
        b"_ENV",
        b"_ASKPASS",
        b"STARTUP",
    ];
    let starts: [&[u8]; 3] = [b"LD_", b"DYLD_", b"PS"];
    ends.iter().any(|end| name.ends_with(end))
        || starts.iter().any(|start| name.starts_with(start))
        || matches!(name, b"IFS" | b"ENV" | b"GIT_SSH" | b"RUSTC_WRAPPER" | b"CC" | b"CXX")
}

/// What is shown rather than run: an option or an address on its own, such as `-Wno-error={flag}` or
/// `localhost:{port}`.
fn is_address(word: &Word) -> bool {
    let before = word.text.split(|&b| b == HOLE).next().unwrap_or_default();
    before.starts_with(b"-") || before.contains(&b':')
}

/// SQL, settings, magics of notebooks, commands of psql. `VAR = x` is a setting in most languages and a command in
/// none.
fn is_other_language(words: &[Word]) -> bool {
    let Some(first) = words.first() else { return false };
    let name = first.known().unwrap_or_default();
    let second = words.get(1).and_then(Word::reserved);
    OTHER_LANGUAGES.contains(&name)
        || first.escaped
        || name.starts_with(['%', '!'])
        || (name.ends_with(':') && words.len() > 1)
        || (matches!(second, Some("=" | ":=" | "==" | "=>" | "+=" | "?=")) && !matches!(name, "[" | "test"))
}

fn base_name(word: &str) -> &str {
    word.rsplit(['/', '\\']).next().unwrap_or(word)
}
