//! What a tool was to do, in one word, and whether it may change something.
//!
//! A command line is cut at `&&`, `||`, `;`, pipes and line ends outside of quotes. Other rules of shells do not
//! matter, because only the program is wanted. A step that is not known to be harmless may change something.

use serde_json::Value;

/// Parts of a tool's name that say that it runs commands.
const SHELLS: &[&str] = &["bash", "sh", "zsh", "shell", "terminal", "cmd", "powershell", "pwsh", "exec", "command"];
/// Parts of a tool's name that say that it runs statements of SQL.
const DATABASES: &[&str] =
    &["sql", "mysql", "postgres", "postgresql", "psql", "sqlite", "duckdb", "mariadb", "bigquery"];
/// Fields of an input in JSON that hold the command or the statement.
const FIELDS: &[&str] = &["command", "cmd", "script", "query", "sql", "statement"];

/// Programs that run another, with those of their options that take a word of their own.
const WRAPPERS: &[(&str, &[&str])] = &[
    ("sudo", &["-u", "-g", "-h", "-p", "-C", "-r", "-t"]),
    ("doas", &["-u", "-C"]),
    ("env", &["-u", "-C", "-S"]),
    ("time", &["-f", "-o"]),
    ("nice", &["-n"]),
    ("ionice", &["-c", "-n", "-p"]),
    ("nohup", &[]),
    ("timeout", &["-s", "-k"]),
    ("stdbuf", &["-i", "-o", "-e"]),
    ("command", &[]),
    ("exec", &["-a"]),
    ("builtin", &[]),
    ("npx", &["-p", "--package"]),
    ("xvfb-run", &["-s", "-n"]),
];
/// Programs whose next word is `run` or `exec`, and then another program.
const RUNNERS: &[&str] = &["uv", "poetry", "pipenv", "pdm", "rye", "bundle", "mise"];
/// What only prepares for the command that follows it on the line.
const PREPARES: &[&str] =
    &["cd", "pushd", "popd", "export", "source", ".", "set", "true", ":", "unset", "ulimit", "umask"];
/// Words of a shell after which a command stands.
const KEYWORDS: &[&str] = &["if", "then", "do", "else", "elif", "while", "until", "!", "{", "("];

/// Programs that only look.
const LOOKS: &[&str] = &[
    "ls",
    "dir",
    "cat",
    "bat",
    "head",
    "tail",
    "less",
    "more",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "ag",
    "ack",
    "find",
    "fd",
    "tree",
    "wc",
    "pwd",
    "which",
    "whereis",
    "type",
    "file",
    "stat",
    "du",
    "df",
    "ps",
    "top",
    "env",
    "printenv",
    "echo",
    "printf",
    "date",
    "cal",
    "uname",
    "hostname",
    "whoami",
    "id",
    "groups",
    "uptime",
    "free",
    "man",
    "help",
    "diff",
    "cmp",
    "comm",
    "sort",
    "uniq",
    "cut",
    "tr",
    "awk",
    "sed",
    "jq",
    "yq",
    "xxd",
    "od",
    "hexdump",
    "strings",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "cksum",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "test",
    "[",
    "[[",
    "true",
    "false",
    "sleep",
    "history",
    "lsof",
    "netstat",
    "ss",
    "ping",
    "host",
    "dig",
    "nslookup",
    "journalctl",
    "dmesg",
    "nproc",
    "lscpu",
    "lsblk",
    "column",
    "nl",
    "tac",
    "rev",
    "fold",
    "seq",
    "expr",
    "bc",
    "cd",
    "pushd",
    "popd",
    "for",
    "while",
    "xargs",
    "if",
    "case",
    "done",
    "fi",
    "esac",
    "read",
    "exit",
    "Get-ChildItem",
    "Get-Content",
    "Select-String",
];
/// Verbs that only look, of programs that have verbs.
const LOOKING_VERBS: &[(&str, &[&str])] = &[
    (
        "git",
        &[
            "status",
            "log",
            "diff",
            "show",
            "rev-parse",
            "blame",
            "ls-files",
            "ls-remote",
            "grep",
            "describe",
            "shortlog",
        ],
    ),
    ("docker", &["ps", "images", "logs", "inspect", "version", "info", "top", "stats"]),
    ("podman", &["ps", "images", "logs", "inspect", "version", "info"]),
    ("kubectl", &["get", "describe", "logs", "top", "explain", "version", "api-resources"]),
    ("helm", &["list", "status", "get", "show", "template", "version"]),
    ("terraform", &["plan", "show", "validate", "output", "version", "providers"]),
    ("pip", &["list", "show", "freeze", "check", "index"]),
    ("pip3", &["list", "show", "freeze", "check", "index"]),
    ("npm", &["ls", "list", "view", "outdated", "why"]),
    ("cargo", &["tree", "metadata", "search", "--list"]),
    ("go", &["list", "env", "version", "doc"]),
    ("apt", &["list", "show", "search", "policy"]),
    ("apt-cache", &["show", "search", "policy", "madison"]),
    ("brew", &["list", "info", "search"]),
    ("systemctl", &["status", "is-active", "list-units", "show", "cat"]),
    ("gh", &["--version", "status"]),
];
/// More programs that have verbs; none of theirs is known to only look.
const MORE_WITH_VERBS: &[&str] = &[
    "apt-get",
    "aws",
    "az",
    "bundle",
    "composer",
    "conda",
    "docker-compose",
    "dotnet",
    "flyctl",
    "gcloud",
    "glab",
    "gradle",
    "mix",
    "pnpm",
    "poetry",
    "pulumi",
    "rustup",
    "svn",
    "tofu",
    "uv",
    "yarn",
];
/// Options before a verb that take a word of their own.
const BEFORE_VERBS: &[&str] =
    &["-C", "-c", "-n", "--context", "--git-dir", "--namespace", "--prefix", "--profile", "--work-tree"];
/// Verbs of SQL that only look.
const SQL_LOOKS: &[&str] = &["SELECT", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "WITH", "VALUES", "PRAGMA", "TABLE"];
/// First words of the names of tools that only look.
const LOOKING_TOOLS: &[&str] = &[
    "read",
    "get",
    "list",
    "ls",
    "search",
    "grep",
    "glob",
    "find",
    "view",
    "show",
    "fetch",
    "describe",
    "lookup",
    "query",
    "think",
    "web",
    "notebookread",
    "status",
    "count",
    "check",
    "inspect",
    "browse",
    "todo",
    "recall",
    "websearch",
    "webfetch",
];

/// What kind of input a tool takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    Command,
    Sql,
    Other,
}

fn takes(tool: &str) -> Takes {
    let parts = words_of(tool);
    let has = |names: &[&str]| parts.iter().any(|part| names.contains(&part.as_str()));
    match () {
        () if has(DATABASES) => Takes::Sql,
        () if has(SHELLS) => Takes::Command,
        () => Takes::Other,
    }
}

/// The words of a name in lower case: `mcp__db__runQuery` is `mcp`, `db`, `run`, `query`.
fn words_of(name: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut lower_before = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || lower_before && c.is_uppercase() {
            out.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(last) = out.last_mut()
        {
            last.extend(c.to_lowercase());
        }
        lower_before = c.is_lowercase();
    }
    out.retain(|word| !word.is_empty());
    out
}

/// The command or statement within an input, which may be JSON.
fn text_of(input: &str) -> std::borrow::Cow<'_, str> {
    if input.trim_start().starts_with('{')
        && let Ok(Value::Object(fields)) = serde_json::from_str::<Value>(input)
        && let Some(text) = FIELDS.iter().find_map(|name| fields.get(*name)?.as_str())
    {
        return text.to_owned().into();
    }
    input.into()
}

/// What a tool was to do, in one word: the program of a command line, past `sudo`, assignments and `cd x &&`, or the
/// verb of a statement of SQL. Empty for other tools, and where there is none.
pub fn head(tool: &str, input: &str) -> String {
    let text = text_of(input);
    match takes(tool) {
        Takes::Sql => verb(&text),
        Takes::Command => {
            let commands = commands(&text);
            let prepares = |words: &&Vec<String>| !PREPARES.contains(&words[0].as_str());
            let first = commands.iter().find(prepares).or_else(|| commands.first());
            first.map_or_else(String::new, |words| words[0].clone())
        }
        Takes::Other => String::new(),
    }
}

/// What the command of this head does, in its first plain word: `pull` of `cd a && git -C b pull --rebase`. None for
/// statements and other tools, and where there is none.
pub fn command_verb(tool: &str, head: &str, input: &str) -> Option<String> {
    if !matches!(takes(tool), Takes::Command) {
        return None;
    }
    let commands = commands(&text_of(input));
    let verb = verb_of(commands.iter().find(|words| words[0] == head)?)?;
    let is_plain = verb.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-' || byte == b':');
    is_plain.then(|| verb.to_owned())
}

/// Whether a program says with its first word what it does, as `git` and `npm` do.
pub fn has_verbs(program: &str) -> bool {
    LOOKING_VERBS.iter().any(|(name, _)| *name == program) || MORE_WITH_VERBS.contains(&program)
}

/// The commands of an input in order, each from its program on; none for tools that run no commands.
pub(super) fn commands_of(tool: &str, input: &str) -> Vec<Vec<String>> {
    if matches!(takes(tool), Takes::Command) { commands(&text_of(input)) } else { Vec::new() }
}

/// Whether a command changes nothing, or only the folder in which the next commands run.
pub(super) fn only_looks(words: &[String]) -> bool {
    PREPARES.contains(&words[0].as_str()) || !command_changes(words)
}

/// The first word of a command that is no option.
pub(super) fn verb_of(words: &[String]) -> Option<&str> {
    after_options(&words[1..], BEFORE_VERBS).first().map(String::as_str)
}

/// Whether such a step may change something. Looking, searching and reading do not; what is not known may.
pub fn changes(tool: &str, head: &str, input: &str) -> bool {
    let text = text_of(input);
    match takes(tool) {
        Takes::Sql => {
            let upper = text.to_uppercase();
            let writes = ["INSERT", "UPDATE", "DELETE", "MERGE", "OUTFILE", "DUMPFILE", "CREATE", "DROP", "ALTER"];
            let words = || upper.split(|c: char| !c.is_alphanumeric() && c != '_');
            let verb = verb(&text);
            let looks = SQL_LOOKS.contains(&if verb.is_empty() { head.to_uppercase() } else { verb.clone() }.as_str());
            // What a look's own words may be is told by its verb; `WITH` and `EXPLAIN` may stand before any other.
            let hides = ["WITH", "EXPLAIN", "SELECT"].contains(&verb.as_str());
            !looks || hides && words().any(|word| writes[..6].contains(&word)) || verb == "PRAGMA" && text.contains('=')
        }
        Takes::Command => {
            let commands = commands(&text);
            writes_file(&text) || commands.is_empty() || commands.iter().any(|words| command_changes(words))
        }
        Takes::Other => {
            let words = words_of(tool.rsplit("__").next().unwrap_or(tool));
            !words.first().is_some_and(|word| LOOKING_TOOLS.contains(&word.as_str()))
        }
    }
}

/// The first word of a statement in upper case, past comments and brackets.
fn verb(text: &str) -> String {
    let mut rest = text.trim_start_matches(|c: char| c.is_whitespace() || c == '(' || c == ';');
    while let Some(after) = rest.strip_prefix("--").and_then(|rest| rest.split_once('\n')) {
        rest = after.1.trim_start();
    }
    if let Some((_, after)) = rest.strip_prefix("/*").and_then(|rest| rest.split_once("*/")) {
        rest = after.trim_start();
    }
    rest.chars().take_while(|c| c.is_ascii_alphabetic()).take(20).collect::<String>().to_uppercase()
}

fn command_changes(words: &[String]) -> bool {
    let program = words[0].as_str();
    let has = |flag: &str| words[1..].iter().any(|word| word == flag);
    if has("--version") || has("--help") || words.len() == 2 && (has("-V") || has("-v")) {
        return false;
    }
    let inner = |at: usize| words.get(at..).is_some_and(|rest| !rest.is_empty() && command_changes(rest));
    match program {
        "find" => {
            let acts = |word: &str| ["-exec", "-execdir", "-ok", "-okdir"].contains(&word);
            has("-delete")
                || words.iter().any(|word| word.starts_with("-fprint"))
                || words.iter().enumerate().any(|(at, word)| acts(word) && inner(at + 1))
        }
        "xargs" => {
            let at = words[1..].iter().position(|word| !word.starts_with(['-', '{']) && word.parse::<u32>().is_err());
            at.is_some_and(|at| inner(at + 1))
        }
        "sed" => words[1..].iter().any(|word| word.starts_with("-i") || word == "--in-place"),
        "sort" => has("-o"),
        _ => {
            let verb = verb_of(words);
            let looks = LOOKING_VERBS.iter().find(|(name, _)| *name == program);
            match looks {
                Some((_, verbs)) => !verb.is_some_and(|verb| verbs.contains(&verb)),
                None => !LOOKS.contains(&program),
            }
        }
    }
}

/// Whether a line sends output into a file.
fn writes_file(text: &str) -> bool {
    let (mut quote, mut escaped) = (None, false);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (None | Some('"'), '\\') => escaped = true,
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None, '>') => {
                let to = text[at..].trim_start_matches(['>', '|']).trim_start();
                let process = text[at + 1..].starts_with('(') || text[..at].ends_with(['-', '=']);
                if !(process || to.is_empty() || to.starts_with('&') || to.starts_with("/dev/")) {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// The commands of a line in order, each from its program on: without assignments and what only runs another.
fn commands(text: &str) -> Vec<Vec<String>> {
    let mut out = Vec::new();
    collect(text, 0, &mut out);
    out
}

/// Levels of `sh -c "..."` that are read.
const MAX_DEPTH: usize = 3;

fn collect(text: &str, depth: usize, out: &mut Vec<Vec<String>>) {
    for words in split(text) {
        let mut words = &words[..];
        while let Some(first) = words.first() {
            if is_assignment(first) || KEYWORDS.contains(&first.as_str()) {
                words = &words[1..];
            } else if let Some((_, takes)) = WRAPPERS.iter().find(|(name, _)| *name == base(first)) {
                let rest = after_options(&words[1..], takes);
                // A wrapper by itself is what is run: `env`, `time`.
                if rest.is_empty() {
                    break;
                }
                words = if base(first) == "timeout" { rest.get(1..).unwrap_or_default() } else { rest };
            } else if RUNNERS.contains(&base(first)) && words.get(1).is_some_and(|w| w == "run" || w == "exec") {
                words = after_options(&words[2..], &[]);
            } else {
                break;
            }
        }
        let Some(first) = words.first() else { continue };
        let program = base(first);
        let script = matches!(program, "bash" | "sh" | "zsh" | "dash" | "ksh").then(|| {
            words.iter().position(|word| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c'))
        });
        match script.flatten().and_then(|at| words.get(at + 1)) {
            Some(script) if depth < MAX_DEPTH => collect(script, depth + 1, out),
            _ if program.is_empty() => {}
            _ => out.push(std::iter::once(program.to_owned()).chain(words[1..].iter().cloned()).collect()),
        }
    }
}

/// The name of a program without its folder and its extension.
fn base(word: &str) -> &str {
    let name = word.trim_end_matches(['/', ')']).rsplit(['/', '\\']).next().unwrap_or(word);
    name.strip_suffix(".exe").unwrap_or(name)
}

fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn after_options<'a>(mut words: &'a [String], takes: &[&str]) -> &'a [String] {
    while let Some(word) = words.first() {
        if word == "--" {
            return &words[1..];
        }
        if is_assignment(word) {
            words = &words[1..];
        } else if word.starts_with('-') {
            words = words.get(if takes.contains(&word.as_str()) { 2.. } else { 1.. }).unwrap_or_default();
        } else {
            break;
        }
    }
    words
}

/// A line as lists of words, one for each simple command. Quotes join, and are taken away.
fn split(text: &str) -> Vec<Vec<String>> {
    let mut out = vec![Vec::new()];
    let (mut word, mut in_word, mut quote) = (String::new(), false, None);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None | Some('"'), '\\') => {
                let next = chars.next();
                in_word |= next != Some('\n');
                word.extend(next.filter(|c| *c != '\n'));
            }
            (None, '\'' | '"') => (quote, in_word) = (Some(c), true),
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => word.push(c),
            (None, c) if c.is_whitespace() || ";|&".contains(c) => {
                // `2>&1` and `&>file` end no command.
                let joins = c == '&' && (word.ends_with('>') || chars.peek() == Some(&'>'));
                if joins {
                    word.push(c);
                    continue;
                }
                if in_word || !word.is_empty() {
                    push(&mut out, std::mem::take(&mut word));
                }
                in_word = false;
                if !c.is_whitespace() || c == '\n' {
                    out.push(Vec::new());
                }
            }
            (None, '#') if word.is_empty() && !in_word => while chars.next_if(|c| *c != '\n').is_some() {},
            (None, c) => word.push(c),
        }
    }
    if in_word || !word.is_empty() {
        push(&mut out, word);
    }
    out.retain(|words| !words.is_empty());
    out
}

fn push(out: &mut [Vec<String>], word: String) {
    // A subshell opens where its program stands.
    let word = match out.last() {
        Some(words) if words.is_empty() => word.trim_start_matches(['(', '{']).to_owned(),
        _ => word,
    };
    if let Some(words) = out.last_mut()
        && !(words.is_empty() && word.is_empty())
    {
        words.push(word);
    }
}

#[cfg(test)]
mod tests {
    use super::{changes, command_verb, has_verbs, head};
    use proptest::prelude::*;

    #[test]
    fn the_program_of_a_line() {
        for (input, expected) in [
            ("ls -l", "ls"),
            ("cd /a/b && cargo build", "cargo"),
            ("sudo -u root apt-get install gcc", "apt-get"),
            ("env A=b C=d make all", "make"),
            ("A=b /usr/bin/python3 x.py", "python3"),
            ("time -f %e timeout -s KILL 20 go test ./...", "go"),
            ("bash -lc 'cd x; npm run build'", "npm"),
            ("uv run pytest -q", "pytest"),
            ("# why\nexport A=1; git status", "git"),
            ("if [ -d x ]; then rm -r x; fi", "["),
            ("cd x", "cd"),
            ("env", "env"),
            ("(cd x && make)", "make"),
            ("echo 'a && b'", "echo"),
            (r#"{"command": "docker ps", "timeout": 3}"#, "docker"),
            ("", ""),
            ("'", ""),
        ] {
            assert_eq!(head("Bash", input), expected, "{input}");
        }
        assert_eq!(head("mysql", "-- all of them\n select * from t"), "SELECT");
        assert_eq!(head("mcp__db__run_sql", r#"{"sql": "(SELECT 1)"}"#), "SELECT");
        assert_eq!(head("Read", "/etc/hosts"), "");
    }

    #[test]
    fn what_a_command_does() {
        for (input, expected) in [
            ("git push", Some("push")),
            ("cd a && git -C b pull --rebase", Some("pull")),
            (r#"{"command": "cd web && npm --prefix x ci", "timeout": 3}"#, Some("ci")),
            ("sudo docker compose up -d", Some("compose")),
            ("python -m pytest", Some("pytest")),
            ("cat a.txt", None),
            ("make -j8", None),
        ] {
            assert_eq!(command_verb("Bash", &head("Bash", input), input).as_deref(), expected, "{input}");
        }
        assert_eq!(command_verb("mysql", "SELECT", "select all"), None);
        assert!(has_verbs("git") && has_verbs("yarn") && !has_verbs("make"));
    }

    #[test]
    fn what_may_change_something() {
        let cases = [
            ("Bash", "ls -l | grep x", false),
            ("Bash", "cat a > b", true),
            ("Bash", "make 2>&1 | tail", true),
            ("Bash", "cat a 2>/dev/null", false),
            ("Bash", "find . -name x -delete", true),
            ("Bash", "find . -exec cat {} +", false),
            ("Bash", "find . -exec rm {} +", true),
            ("Bash", "sed -n 1p a", false),
            ("Bash", "sed -i s/a/b/ a", true),
            ("Bash", "git status && git diff", false),
            ("Bash", "git log; git commit -m x", true),
            ("Bash", "pip install x", true),
            ("Bash", "pip --version", false),
            ("Bash", "echo 'a > b'", false),
            ("Bash", "ls | xargs rm", true),
            ("mysql", "SELECT * FROM t", false),
            ("mysql", "SHOW TABLES", false),
            ("mysql", "WITH a AS (SELECT 1) DELETE FROM t", true),
            ("mysql", "update t set a = 1", true),
            ("Read", "/a", false),
            ("Grep", "x", false),
            ("Edit", "/a", true),
            ("mcp__github__get_issue", "{}", false),
            ("mcp__github__create_issue", "{}", true),
        ];
        for (tool, input, expected) in cases {
            assert_eq!(changes(tool, &head(tool, input), input), expected, "{tool} {input}");
        }
    }

    proptest! {
        #[test]
        fn any_input_is_read(input in "\\PC{0,60}|[a-z ;&|><'\"\\\\(){}=#-]{0,60}") {
            for tool in ["Bash", "mysql", "Read"] {
                changes(tool, &head(tool, &input), &input);
            }
        }
    }
}
