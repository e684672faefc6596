//! What strangers write (names of files and folders, packs, documents, models, sets, exports, arguments) goes through
//! every verb: nothing of it moves a cursor, hides, or makes a line of its own, and JSON gives it back as it was.

use crate::support::ken::{Ran, User, run, write};
use crate::support::tiny::Tiny;
use kenning::screen::{CODES, is_hidden};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Colours of ours, other codes, a title, C1, directions, nothing, line ends of all kinds. `EVIL` never begins a line.
const EVIL: &str = "x\u{1b}[31mEVIL\u{1b}[35m\u{1b}[2J\u{1b}]0;EVIL\u{7}\u{9b}32m\u{202e}\u{200b}\u{8}\r\nEVIL 99 % sure\rEVIL\u{85}EVIL\u{2028}EVIL\u{feff}\u{e0041}y";

/// The same as the name of a file: neither a slash nor a zero byte is in it.
const NAME: &str = "a.md:5\n  EVIL 99 % sure\u{1b}[31m\u{9b}2J\u{202e}\u{200b}\r\nEVIL.md";

/// A paragraph that is long enough to be a chunk.
fn paragraph(about: &str) -> String {
    format!(
        "The quartermaster of the {about} counts barrels of tar each morning, {EVIL}, and writes their number down. "
    )
    .repeat(4)
}

/// Somebody whose surroundings are all of a stranger's making: the folder that they work in, their home, what lies in
/// both.
struct Victim {
    user: User,
    home: PathBuf,
}

impl Victim {
    fn new() -> Self {
        let user = User::new();
        let home = user.work().join("home\nEVIL\u{1b}[31m");
        let victim = Self { user, home };
        victim.packs();
        victim.documents();
        victim
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.user.command(arguments);
        command.env("KEN_HOME", &self.home);
        command
    }

    fn ken(&self, arguments: &[&str]) -> Ran {
        run(self.command(arguments), b"")
    }

    fn work(&self) -> PathBuf {
        self.user.work()
    }

    fn packs(&self) {
        let texts = || json!([EVIL, format!("tarred {EVIL}")]);
        let entry = |id: &str, patterns: Value| {
            json!({
                "id": id, "title": format!("Tar {EVIL}"), "error_patterns": patterns, "generic_patterns": [],
                "symptoms": texts(), "cause": format!("Cause {EVIL}"), "tags": texts(), "references": texts(),
                "fix": [format!("Fix {EVIL} `run {EVIL}`."), format!("Do {{barrel}} {EVIL}")], "resource": EVIL, "provider": EVIL,
                "aliases": texts(), "examples": [format!("barrel <b{EVIL}> leaks tar")], "counterexamples": [EVIL],
            })
        };
        let good = entry("tar/leak", json!(["barrel <(?P<barrel>[^>]*)> leaks tar"]));
        let bad = entry(&format!("tar/{EVIL}"), json!([format!("barrel({EVIL}")]));
        let pack = json!({"schema_version": 1, "pack": "tar", "title": EVIL, "entries": [good]});
        write(&self.home.join("canon/tar.json"), pack.to_string());
        let pack = json!({"schema_version": 1, "pack": EVIL, "title": EVIL, "entries": [bad]});
        write(&self.home.join(format!("canon/{NAME}.json")), pack.to_string());
        write(&self.home.join(format!("canon/torn{NAME}.json")), format!("{{\"{EVIL}\": 1"));
    }

    fn documents(&self) {
        let matter = format!("---\ntitle: {}\ntags: [{}]\n---\n", json!(EVIL), json!(EVIL));
        let text = format!("{matter}# Tar {EVIL}\n\n{}\n\n````\n# EVIL\n```\n", paragraph("harbour"));
        self.user.document(&format!("docs/{NAME}"), &text);
        self.user.document(&format!("docs/back`tick`{NAME}"), text.replace("harbour", "shipyard"));
        // Another repository: more than one scope.
        std::fs::create_dir_all(self.work().join(format!("repo{NAME}/.git"))).unwrap();
        self.user.document(&format!("repo{NAME}/b.md"), paragraph("lighthouse"));
        self.user.document(&format!("docs/binary{NAME}"), [0u8, 159, 146, 150, 0, 1, 2, 0]);
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt;
            let name = std::ffi::OsStr::from_bytes(b"docs/\xff\nEVIL.md");
            write(&self.work().join(name), "no name");
        }
    }

    fn index(&self) -> Ran {
        let ran = self.ken(&["index", ".", "--json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran
    }
}

/// Fails if anything of a stranger's reaches the screen as it is.
fn scan(what: &str, ran: &Ran, colour: bool) {
    assert!(!ran.err.contains("panicked"), "{what}: {ran:?}");
    for text in [&ran.out, &ran.err] {
        assert!(!text.contains("\u{1b}[31mEVIL"), "{what} paints: {text:?}");
        let mut rest = text.clone();
        if colour {
            CODES.iter().for_each(|code| rest = rest.replace(&format!("\u{1b}[{code}m"), ""));
        }
        let raw = rest.chars().find(|c| is_hidden(*c) && *c != '\n' && *c != '\t');
        assert!(raw.is_none(), "{what}: {raw:?} in {text:?}");
        let forged = outside(&rest).find(|line| line.starts_with("EVIL") || line.starts_with("  EVIL 99"));
        assert!(forged.is_none(), "{what}: forged {forged:?} in {text:?}");
    }
}

/// The lines that stand in no fence: what a document says stands in one.
fn outside(text: &str) -> impl Iterator<Item = &str> {
    let mut open = "";
    text.lines().filter(move |line| {
        let mark = &line[..line.len() - line.trim_start_matches('`').len()];
        match open {
            "" if mark.len() >= 3 => open = mark,
            "" => return true,
            _ if *line == open => open = "",
            _ => {}
        }
        false
    })
}

/// Runs a verb as text and as JSON, with colours and without. Gives the lines of JSON.
fn everyway(victim: &Victim, arguments: &[&str]) -> Vec<Value> {
    let mut lines = Vec::new();
    for more in [&[][..], &["--color", "always"], &["--json"], &["--json", "--color", "always"]] {
        // Before the verb, because what follows `--` belongs to it.
        let all: Vec<&str> = more.iter().chain(arguments).copied().collect();
        let ran = victim.ken(&all);
        scan(&format!("{all:?}"), &ran, more.contains(&"always"));
        if more.contains(&"--json")
            && !matches!(arguments[0], "completions" | "--help")
            && arguments != ["config", "sample"]
        {
            lines = ran
                .out
                .lines()
                .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{all:?}: {e}: {line}")))
                .collect();
        }
    }
    lines
}

fn path_of(path: &Path) -> String {
    path.canonicalize().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn no_verb_that_reads_lets_anything_through() {
    let victim = Victim::new();
    victim.index();
    let (home, list) = (victim.home.clone(), victim.work().join("list.jsonl"));
    let evil_pack = home.join(format!("canon/{NAME}.json"));
    let evil_pack = evil_pack.to_str().unwrap();
    let exported = victim.ken(&["export"]);
    std::fs::write(&list, exported.out).unwrap();
    std::fs::write(
        victim.work().join(NAME),
        format!("---\nkenning: 1\nx{EVIL}: 1\n---\n\n# Knowledge\n\n## `{EVIL}`\n```1 2%\nx\n```\n"),
    )
    .unwrap();
    std::fs::write(victim.work().join("frame.md"), "---\nkenning: 1\n---\n\n# Task\n\nx\n").unwrap();
    let why_not = format!("--why-not={EVIL}");
    let id = EVIL.replace(|c: char| c.is_control(), "");
    let item = json!({"id": id, "title": EVIL, "text": paragraph("fort"), "attributes": {"a": EVIL}});
    std::fs::write(victim.work().join("items.jsonl"), format!("{item}\n")).unwrap();

    let tool = json!([{"name": EVIL, "server": EVIL, "tags": [EVIL], "inputSchema": {"properties": {EVIL: {"type": EVIL}}},
        "description": format!("the quartermaster counts barrels of tar {EVIL}")}]);
    std::fs::write(victim.work().join("tools.json"), tool.to_string()).unwrap();

    let report = json!({"tool": EVIL, "session": EVIL, "input": EVIL, "error": EVIL}).to_string();
    assert_eq!(run(victim.command(&["hook", "post-tool"]), report.as_bytes()).code, 0);

    for arguments in [
        &["lookup", "barrel <bEVIL> leaks tar", "--explain"][..],
        &["lookup", "--explain", &why_not, EVIL],
        &["lookup", "--pack", EVIL, "tar"],
        &[
            "search",
            "--min-relevance",
            "0",
            "--explain",
            &why_not,
            "--dry-run",
            "the quartermaster counts barrels of tar",
        ],
        &["search", "--kind", EVIL, "tar"],
        &["search", "--scope", EVIL, "--path", NAME, "tar"],
        &["search", EVIL],
        &["items", "put", "items.jsonl"],
        &["items", "put", NAME],
        &["items", "get", EVIL],
        &["items", "list"],
        &["items", "list", "-n", "1", "--after", EVIL],
        &["items", "list", "--where", EVIL],
        &["items", "list", "--where", "a exists", "--tag", EVIL],
        &["items", "delete", EVIL],
        &["search", "--where", "a exists", "--min-relevance", "0", "--full", "the quartermaster counts barrels of tar"],
        &["remember", "--author", "person", "--category", EVIL, "--because", EVIL, EVIL],
        &["remember", "--worked", "--service", EVIL, "--session", EVIL, "the quartermaster counts barrels of tar"],
        &["remember", "--error", NAME, EVIL],
        &["remember", "--update", EVIL, EVIL],
        &["dispute", "--because", EVIL, EVIL],
        &["learn", NAME],
        &["memory", "list"],
        &["memory", "list", "--after", EVIL],
        &["memory", "history", EVIL],
        &["outcomes"],
        &["outcomes", "--all"],
        &["outcomes", "--all", "--after", EVIL],
        &["outcomes", "--since", EVIL, "--tool", EVIL],
        &["tools", "add", NAME],
        &["tools", "add", "tools.json", "--server", EVIL],
        &["tools", "add", "--mcp", "--server", EVIL, "--", "true"],
        &["tools", "add", "--mcp", "--server", "a", "--", EVIL],
        &["tools", "list"],
        &["tools", "find", "the quartermaster counts barrels of tar"],
        &["tools", "find", "--used", EVIL, EVIL],
        &["tools", "find", "--session", EVIL, EVIL],
        &["tools", "capabilities"],
        &["tools", "trace"],
        &["tools", "plan", "the quartermaster counts barrels of tar"],
        &["tools", "plan", "--mermaid", "the quartermaster counts barrels of tar"],
        &["tools", "approve", EVIL],
        &["tools", "remove", EVIL],
        &["patterns", "list"],
        &["patterns", "show", EVIL],
        &["patterns", "propose-canon", "--least", "1"],
        &["patterns", "propose-canon", EVIL],
        &["patterns", "propose-canon", "--pack", EVIL, "--least", "1"],
        &["forget", "--session", EVIL],
        &["search", "--like", EVIL],
        &["pack", "--explain", "--task", "the quartermaster counts barrels of tar"],
        &["pack", "--task", EVIL, "--state", NAME, "--instructions", "no such\nEVIL"],
        &["pack", "diff", "frame.md", NAME],
        &["ask", EVIL],
        &["ask", "what do we know about the barrels of tar?"],
        &["status"],
        &["status", "--brief"],
        &["status", "--strict"],
        &["canon", "list", "--pack", "tar"],
        &["canon", "list", "--count"],
        &["canon", "show", "tar/leak"],
        &["canon", "show", EVIL],
        &["canon", "search", "tar"],
        &["canon", "stats"],
        &["canon", "check", evil_pack],
        &["canon", "check", NAME],
        &["canon", "add", "--pack", EVIL, "--title", EVIL, "--cause", EVIL, "--fix", EVIL],
        &["canon", "add", "--pack", "mine", "--title", EVIL, "--cause", EVIL, "--fix", EVIL, "--symptom", EVIL],
        &["model", "list"],
        &["model", "verify", EVIL],
        &["model", "use", EVIL],
        &["model", "path", EVIL],
        &["model", "pull", EVIL],
        &["model", "import", NAME],
        &["model", "import", "list.jsonl"],
        &["model", "bundle", "out\nEVIL.ken", EVIL],
        &["config", "show", "--origin"],
        &["config", "path"],
        &["config", "sample"],
        &["trust", "--check"],
        &["completions", "bash"],
        &["init", "--client", EVIL],
        &["init", "--client", "codex", "--dry-run"],
        &["init", "--client", "codex", "--user"],
        &["hook", "install", EVIL],
        &["hook", "install", "cursor"],
        &["doctor"],
        &["gc"],
        &["purge", "--dry-run"],
        &["export", "out\nEVIL.jsonl"],
        &["import", "list.jsonl"],
        &["import", NAME],
        &["store", "copy", "--to", "copied\nEVIL"],
        &["store", "compare", "--to", "copied\nEVIL"],
        &["store", "compare", "--to", EVIL],
        &["store", "copy", "--to", "evil\nEVIL://host/name"],
        &["store", "copy", "--to", "postgres://evil\nEVIL@127.0.0.1:1/name"],
        &["forget", EVIL],
        &["forget", "--path", "none\nEVIL"],
        &["--model", EVIL, "status"],
        &["index", "docs", "no such\nEVIL"],
        &[EVIL],
        &["search", EVIL, &format!("--{EVIL}")],
        &["run", "--", "no such\nEVIL"],
        &["--help"],
    ] {
        everyway(&victim, arguments);
    }
    // It reads all packs, so it runs once in colours and once as JSON.
    for (more, colour) in [(&["--color", "always"][..], true), (&["--json"], false)] {
        let all = [&["canon", "check"], more].concat();
        scan(&format!("{all:?}"), &victim.ken(&all), colour);
    }
}

#[test]
fn files_of_agents_are_shown_clean() {
    let victim = Victim::new();
    let root = victim.work().join(format!("repo{NAME}"));
    write(&root.join("AGENTS.md"), format!("{EVIL}\n<!-- kenning:begin 0 -->\n{EVIL}\n<!-- kenning:end -->\n"));
    write(&root.join(".cursor/mcp.json"), format!("{{\"{EVIL}\": 1}}"));
    write(&root.join(".cursor/hooks.json"), format!("{{\n\"a\": {},\n\"b\": [\n]\n}}", json!(EVIL)));
    for arguments in [
        &["init", "--client", "cursor", "--dry-run"][..],
        &["init", "--client", "cursor", "--dry-run", "--force"],
        &["hook", "install", "cursor"],
        &["init", "--client", "cursor", "--force"],
        &["init", "--remove", "--dry-run"],
        &["init", "--remove", "--force"],
    ] {
        for more in [&[][..], &["--color", "always"], &["--json"]] {
            let all: Vec<&str> = more.iter().chain(arguments).copied().collect();
            let mut command = victim.command(&all);
            command.current_dir(&root);
            scan(&format!("{all:?}"), &run(command, b""), more.contains(&"always"));
        }
    }
}

#[test]
fn no_measurement_lets_anything_through() {
    let victim = Victim::new();
    let folder = victim.work().join("set\nEVIL\u{1b}[31m");
    let id = "d\u{202e}\u{200b}EVIL";
    let documents = (0..6).map(|at| format!("{}\n", json!({"_id": format!("{id}{at}"), "title": EVIL, "text": format!("{at} barrels {EVIL}"), "metadata": {EVIL: EVIL}})));
    write(&folder.join("corpus.jsonl"), documents.collect::<String>());
    let questions =
        (0..6).map(|at| format!("{}\n", json!({"_id": format!("q{id}{at}"), "text": format!("{at} barrels {EVIL}")})));
    write(&folder.join("queries.jsonl"), questions.collect::<String>());
    let judged = (0..6).map(|at| format!("q{id}{at}\t{id}{}\t1\n", (at + at % 2) % 6)).collect::<String>();
    write(&folder.join("qrels/test.tsv"), format!("query-id\tcorpus-id\tscore\n{judged}"));
    let folder = folder.to_str().unwrap();
    let case = |kind: &str| json!({"id": EVIL, "kind": kind, "domain": EVIL, "text": EVIL, "expect": [EVIL]});
    write(&victim.work().join("cases.jsonl"), format!("{}\n{}\n", case("message"), case("unanswerable")));
    write(&victim.work().join("bad\nEVIL.jsonl"), json!({"id": EVIL, "kind": EVIL}).to_string());
    write(&victim.work().join("lines.tsv"), "system\ttemplate\tcontent\n\"sys EVIL\u{1b}[31m\u{202e}\"\tt\tbarrel 1\n");
    let ran =
        victim.ken(&["bench", "run", folder, "--run", "bm25", "--run", "regex", "--out", "out", "--html", "page.html"]);
    scan("bench run", &ran, false);
    assert_eq!(ran.code, 0, "{ran:?}");
    let page = std::fs::read_to_string(victim.work().join("page.html")).unwrap();
    assert!(!page.chars().any(|c| is_hidden(c) && c != '\n' && c != '\t'));
    let mut results: Vec<PathBuf> =
        std::fs::read_dir(victim.work().join("out")).unwrap().flatten().map(|e| e.path()).collect();
    results.retain(|path| path.extension().is_some_and(|e| e == "json"));
    results.sort();
    let [a, b] = &results[..] else { panic!("{results:?}") };
    for path in [a, b] {
        let text = std::fs::read_to_string(path).unwrap();
        assert!(!text.chars().any(|c| is_hidden(c) && c != '\n'), "{text}");
        assert!(text.contains("d\\u202e\\u200bEVIL"), "nothing is lost: {text}");
    }
    let (a, b) = (a.to_str().unwrap(), b.to_str().unwrap());
    for arguments in [
        &["bench", "run", folder, "--run", "bm25", "--stages"][..],
        &["bench", "run", NAME],
        &["bench", "run", folder, "--run", "bm25", "--foreign", NAME],
        &["bench", "from-index", NAME],
        &["bench", "run", folder, "--run", EVIL],
        &["bench", "run", folder, "--group-by", EVIL],
        &["bench", "run", folder, "--ranking", "lines.tsv"],
        &["bench", "compare", a, b],
        &["bench", "compare", a, b, "--metric", EVIL],
        &["bench", "compare", a, "bad\nEVIL.jsonl"],
        &["bench", "gate", "--baseline", a],
        &["bench", "builtin", "--cases", "cases.jsonl", "--misses"],
        &["bench", "builtin", "--cases", "bad\nEVIL.jsonl"],
        &["bench", "noise", "--lines", "1", "--inputs", "3", "--entries", "cases.jsonl"],
        &["bench", "fingerprint", "lines.tsv"],
        &["bench", "fingerprint", "bad\nEVIL.jsonl"],
        &["bench", "pack", folder, "--budget", "500"],
        &["bench", "calibrate", folder],
        &["bench", "embed", "--texts", "none\nEVIL"],
    ] {
        everyway(&victim, arguments);
    }
}

#[test]
fn models_with_strange_names_and_fields_are_shown_clean() {
    let victim = Victim::new();
    let folder = victim.work().join("from\nEVIL\u{1b}[31m");
    Tiny::quick().write(&folder.join("tiny"));
    let good = folder.join("tiny");
    let ran = victim.ken(&["model", "import", good.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{ran:?}");
    scan("import", &ran, false);
    Tiny::quick().write(&folder.join(NAME));
    for (name, file, content) in [
        ("a", "config.json", json!({"model_type": EVIL})),
        ("b", "modules.json", json!([{"idx": 0, "name": EVIL, "path": EVIL, "type": EVIL}])),
        ("c", "1_Pooling/config.json", json!({"embedding_dimension": 32, "pooling_mode": EVIL})),
        ("d", "tokenizer.json", json!({EVIL: EVIL})),
        ("e", "config.json", json!({"model_type": "bert", "hidden_act": EVIL})),
    ] {
        let folder = folder.join(name);
        Tiny::quick().write(&folder);
        write(&folder.join(file), content.to_string());
        let folder = folder.to_str().unwrap();
        everyway(&victim, &["model", "import", folder]);
        everyway(&victim, &["--model", folder, "lookup", "tar on the barrels"]);
    }
    let named = folder.join(NAME);
    let named = named.to_str().unwrap();
    for arguments in [
        &["model", "list"][..],
        &["model", "verify", "tiny"],
        &["model", "bundle", "out\nEVIL\u{1b}[31m.ken", "tiny", "--force"],
        &["model", "import", "out\nEVIL\u{1b}[31m.ken"],
        &["model", "path", "tiny"],
        &["model", "path", named],
        &["model", "import", named],
        &["model", "use", named],
        &["--model", named, "status"],
        &["--model", named, "model", "list"],
        &["--model", named, "index", "docs"],
        &["--model", named, "status"],
        &["model", "rm", "tiny"],
    ] {
        everyway(&victim, arguments);
    }
    assert_eq!(everyway(&victim, &["model", "path", named])[0]["path"], path_of(Path::new(named)));
}

#[test]
fn json_gives_names_and_texts_back() {
    let victim = Victim::new();
    let report = victim.index().json();
    let docs = victim.work().join("docs");
    let file = path_of(&docs.join(NAME));
    // What was left out names what it left out.
    let skipped = report["skipped"].as_array().unwrap();
    let binary = path_of(&docs.join(format!("binary{NAME}")));
    assert!(skipped.iter().any(|one| one["path"] == binary.as_str() && one["path_bytes"].is_null()), "{report}");
    #[cfg(unix)]
    {
        let bytes: String =
            [path_of(&docs).as_bytes(), b"/\xff\nEVIL.md"].concat().iter().map(|b| format!("{b:02x}")).collect();
        assert!(skipped.iter().any(|one| one["path_bytes"] == bytes.as_str()), "{bytes} {report}");
    }
    // A hit names a file that opens.
    let found = victim
        .ken(&["search", "--json", "--kind", "chunk", "--min-relevance", "0", "quartermaster of the harbour"])
        .json();
    let hit = &found["results"][0]["hits"][0];
    assert_eq!(hit["path"], file.as_str(), "{found}");
    let task = "the quartermaster of the harbour counts barrels of tar";
    let frame = victim.ken(&["pack", "--json", "--task", task]).json();
    let pieces = frame["sections"][1]["items"].as_array().unwrap();
    assert!(pieces.iter().any(|piece| piece["path"] == file.as_str()), "{frame}");
    assert!(!frame["text"].as_str().unwrap().chars().any(|c| is_hidden(c) && c != '\n' && c != '\t'), "{frame}");
    // What changed and what is gone is named by its name.
    std::fs::remove_file(&file).unwrap();
    assert_eq!(victim.ken(&["status", "--json"]).json()["gone"], json!([file]));
    let shown = victim.ken(&["status"]);
    assert!(
        shown.out.contains(r"$'")
            && shown.out.contains(r"a.md:5\n  EVIL 99 % sure\e[31m\u009b2J\u202e\u200b\r\nEVIL.md'"),
        "{shown:?}"
    );
    // Findings name the pack.
    let pack = victim.home.join(format!("canon/{NAME}.json"));
    let checked = victim.ken(&["canon", "check", "--json", pack.to_str().unwrap()]).json();
    assert_eq!(checked["findings"][0]["file"], pack.to_str().unwrap());
    // An error's message too.
    let failed = victim.ken(&["--json", "canon", "show", EVIL]).json();
    assert!(failed["error"]["message"].as_str().unwrap().contains(EVIL), "{failed}");
}

#[cfg(unix)]
#[test]
fn a_path_that_is_no_text_is_named_by_its_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let victim = Victim::new();
    victim.index();
    let mut command = victim.command(&["--json", "export"]);
    command.arg(std::ffi::OsStr::from_bytes(b"out\xff.jsonl"));
    let ran = run(command, b"");
    assert_eq!(ran.json()["path_bytes"], "6f7574ff2e6a736f6e6c", "{ran:?}");
    let mut command = victim.command(&["export"]);
    command.arg(std::ffi::OsStr::from_bytes(b"out\xff.jsonl"));
    assert!(run(command, b"").out.contains(r"$'out\xff.jsonl'"));
}

#[test]
fn what_is_exported_is_clean_and_comes_back_byte_for_byte() {
    let victim = Victim::new();
    victim.index();
    let lines = victim.ken(&["export"]);
    scan("export", &lines, false);
    let items = |ran: &Ran| -> Vec<Value> {
        let all = ran.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        all.filter(|record| record["type"] == "item").map(|record| record["item"].clone()).collect()
    };
    let before = items(&lines);
    assert!(before.iter().any(|item| item["body"].as_str().unwrap().contains(EVIL)), "{before:?}");
    assert_eq!(victim.ken(&["export", "out.jsonl"]).code, 0);
    assert_eq!(victim.ken(&["export", "--markdown", "out"]).code, 0);
    for entry in walk(&victim.work().join("out")) {
        let text = std::fs::read_to_string(&entry).unwrap();
        let raw = text.chars().find(|c| kenning::screen::moves(*c) && *c != '\n' && *c != '\t');
        assert!(raw.is_none(), "{raw:?} in {entry:?}: {text:?}");
    }
    // The packs break rules of `ken canon check`, and are no part of this.
    std::fs::remove_dir_all(victim.work().join("out/canon")).unwrap();
    for from in ["out.jsonl", "out"] {
        let other = User::new();
        let from = victim.work().join(from);
        let ran = other.ken(&["import", from.to_str().unwrap()]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let mut after = items(&other.ken(&["export"]));
        let mut before = before.clone();
        for all in [&mut before, &mut after] {
            all.sort_by_key(|item| item["uid"].as_str().unwrap().to_owned());
        }
        assert_eq!(after, before);
    }
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let inside = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    inside.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[test]
fn an_import_of_a_stranger_s_is_shown_clean() {
    let victim = Victim::new();
    victim.index();
    let records = victim.ken(&["export"]).out.replace("harbour", "customs house");
    let mut lines: Vec<Value> = records.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in &mut lines {
        if line["type"] == "item" && line["item"]["body"].as_str().unwrap().contains("customs house") {
            line["item"]["uid"] = format!("chunk/{:x}", line["item"]["uid"].as_str().unwrap().len() + 7).into();
            line["item"]["title"] = EVIL.into();
            line["item"]["scope"] = EVIL.into();
            line["item"]["path"] = Value::Null;
        }
    }
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    write(&victim.work().join("theirs.jsonl"), &text);
    let imported = everyway(&victim, &["import", "theirs.jsonl"]);
    assert!(imported[0]["error"].is_null(), "{imported:?}");
    for arguments in [
        &["search", "--min-relevance", "0", "quartermaster of the customs house"][..],
        &["pack", "--task", "quartermaster of the customs house"],
        &["status"],
        &["index"],
    ] {
        everyway(&victim, arguments);
    }
    for bad in [
        json!({"type": EVIL}),
        json!({"type": "usage", "uid": EVIL, EVIL: 1}),
        json!({"type": "item", "item": {"uid": EVIL}}),
    ] {
        write(
            &victim.work().join("bad.jsonl"),
            format!("{{\"type\":\"kenning\",\"format\":1,\"exported_at\":1}}\n{bad}\n"),
        );
        everyway(&victim, &["import", "bad.jsonl"]);
    }
    let folder = victim.work().join("bad\nEVIL");
    write(&folder.join("records.jsonl"), "");
    write(&folder.join(format!("chunk/{NAME}")), format!("---\nid: {}\n---\nx\n", json!(EVIL)));
    everyway(&victim, &["import", folder.to_str().unwrap()]);
}

#[test]
fn trust_and_an_untrusted_folder_are_named_clean() {
    let victim = Victim::new();
    let repository = victim.work().join(format!("repo{NAME}"));
    write(&repository.join(".ken/canon/x.json"), format!("{{\"{EVIL}\": 1}}"));
    write(&repository.join(".ken/config.toml"), format!("[lookup]\nlimit = {}\n", json!(EVIL)));
    let within = |arguments: &[&str]| {
        let mut command = victim.command(arguments);
        command.current_dir(&repository);
        run(command, b"")
    };
    for colour in ["auto", "always"] {
        for arguments in [
            &["status"][..],
            &["trust", "--check"],
            &["trust"],
            &["lookup", "tar"],
            &["config", "show", "--origin"],
            &["trust", "--revoke"],
        ] {
            for more in [&["--color", colour][..], &["--json", "--color", colour]] {
                let all: Vec<&str> = more.iter().chain(arguments).copied().collect();
                scan(&format!("{all:?}"), &within(&all), colour == "always");
            }
        }
    }
    assert_eq!(within(&["trust", "--json"]).json()["folder"], path_of(&repository.join(".ken")));
}

#[test]
fn a_command_speaks_for_itself_and_what_is_added_is_clean() {
    let victim = Victim::new();
    for (colour, style) in [("auto", false), ("always", true)] {
        for more in [&["--color", colour][..], &["--color", colour, "--json"]] {
            let mut all = more.to_vec();
            all.extend([
                "run",
                "--",
                "sh",
                "-c",
                "printf '\\033[35mout\\007'; echo 'barrel <b> leaks tar' >&2; exit 3",
            ]);
            let ran = victim.ken(&all);
            // The command's own bytes are its own.
            assert_eq!((ran.code, ran.out.as_str()), (3, "\u{1b}[35mout\u{7}"), "{ran:?}");
            assert!(ran.err.contains("tar/leak"), "{ran:?}");
            scan("run", &Ran { out: String::new(), ..ran }, style);
        }
    }
}

#[test]
fn a_check_refuses_titles_of_several_lines_and_what_hides() {
    let user = User::new();
    let entry = json!({"id": "tar/leak", "title": "Tar\nEVIL", "cause": "c\u{200b}", "fix": ["f\u{1b}[2J", "several\nlines"],
        "symptoms": ["s"], "tags": ["a\u{202e}"], "error_patterns": ["barrel\u{9b} leaks"]});
    let pack = json!({"schema_version": 1, "pack": "tar", "title": "T\n", "entries": [entry]});
    let path = user.write("canon/tar.json", serde_json::to_string_pretty(&pack).unwrap());
    let checked = user.ken(&["canon", "check", "--json", path.to_str().unwrap()]);
    assert_eq!(checked.code, 8, "{checked:?}");
    let findings = checked.json()["findings"].as_array().unwrap().clone();
    for (what, entry) in [
        ("the title is one line", Some("tar/leak")),
        ("pack's title is one line", None),
        ("cause holds the control or hidden character U+200B", Some("tar/leak")),
        ("fix holds the control or hidden character U+001B", Some("tar/leak")),
        ("tag is one line without control or hidden characters, and holds U+202E", Some("tar/leak")),
        ("pattern holds the control or hidden character U+009B", Some("tar/leak")),
    ] {
        let found = findings.iter().find(|f| f["message"].as_str().unwrap().contains(what) && f["severity"] == "error");
        let found = found.unwrap_or_else(|| panic!("{what}: {findings:?}"));
        assert_eq!((found["entry"].as_str(), found["line"].as_u64().unwrap() > 1), (entry, entry.is_some()), "{found}");
    }
    // It is used all the same, folded.
    assert_eq!(user.ken(&["canon", "show", "--json", "tar/leak"]).json()["entry"]["title"], "Tar EVIL");
    assert!(user.ken(&["canon", "show", "tar/leak"]).out.starts_with("Tar EVIL\n"));
    let added = user.ken(&["canon", "add", "--title", "a\nEVIL", "--cause", "c", "--fix", "f", "--symptom", "s"]);
    assert!(added.code == 8 && added.err.contains("title is one line"), "{added:?}");
}
