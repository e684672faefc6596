//! Folders of strangers, in which any name that `ken` reads may be a link, a device, a FIFO, a socket, a folder, a loop
//! or a file without end. Every verb comes to its end in them, in bounded memory, and no byte from outside of the
//! folder gets onto the screen or into the data directory.
//!
//! Three tables: what may stand at a name ([`TRAPS`]), which names are read ([`REPOSITORY`], [`MODEL`], [`SET`],
//! [`GIVEN`]), and what is run ([`VERBS`]). What the worst run cost is written beside the test's other files.

use crate::support::cost::{Cost, measured};
use crate::support::ken::{User, write};
use crate::support::tiny::Tiny;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A bound against a hang, for machines that do much else; two seconds are wanted.
const MOST: Duration = Duration::from_secs(60);
const MOST_KIB: u64 = 300 << 10;

/// Stands in every file outside of the folder.
const SECRET: &str = "kx9secret7f";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trap {
    Device,
    Fifo,
    Socket,
    Out,
    Huge,
    Folder,
    Loop,
}

/// Names of a repository that are read, and what stands there where all is well.
const REPOSITORY: [(&str, &str); 20] = [
    (".gitignore", "*.tmp\n"),
    (".ignore", "*.tmp\n"),
    (".kenignore", "*.tmp\n"),
    ("docs/.gitignore", "*.tmp\n"),
    (".git/info/exclude", "*.tmp\n"),
    (".git/HEAD", "ref: refs/heads/main\n"),
    (".git/config", "[core]\n\trepositoryformatversion = 0\n"),
    (".git/packed-refs", "# pack-refs with: peeled fully-peeled sorted\n"),
    (".git/refs/heads/main", "1111111111111111111111111111111111111111\n"),
    (".git/objects/11/11111111111111111111111111111111111111", "x"),
    (".git/objects/info/alternates", "../none\n"),
    (".git/objects/info/commit-graph", "CGPH"),
    (".git/objects/pack/pack-1.idx", "x"),
    (".git/objects/pack/pack-1.pack", "PACK"),
    (".git/shallow", "1111111111111111111111111111111111111111\n"),
    (".ken/config.toml", "[search]\nlimit = 5\n"),
    (
        ".ken/canon/x.json",
        r#"{"schema_version": 1, "pack": "x", "title": "X", "entries": [{"id": "x/y", "title": "Disk is full",
            "error_patterns": ["disk <[^>]*> overflowed"], "cause": "It is full.", "fix": ["Free some."]}]}"#,
    ),
    ("README.md", "# Farm\n\nThe early apples are harvested in autumn, and those who come late find the trees bare.\n"),
    ("docs/a.txt", "The old mill by the river has not turned since the flood took the weir and half of the bridge.\n"),
    ("src/x.rs", "/// Waits a little longer after each failure.\npub fn back_off(attempt: u32) -> u64 {\n    1\n}\n"),
];

/// Folders of a repository that are read.
const FOLDERS: [&[&str]; 3] =
    [&[".git", ".ken"], &[".git/info", ".git/refs", ".git/objects", ".ken/canon", "docs"], &[".git/objects/pack"]];

/// Every verb, as somebody might run it in a repository.
const VERBS: [&[&str]; 40] = [
    &["lookup", "error[E0382]: borrow of moved value: `s`"],
    &["lookup", "--explain", "disk <a> overflowed"],
    &["run", "--", "false"],
    &["search", "harvest of apples"],
    &["search", "--scope", "here", "--path", "docs", "harvest of apples"],
    &["pack", "--task", "harvest of apples"],
    &["ask", "ken: search harvest of apples"],
    &["index", "."],
    &["index", "--refresh"],
    &["index", "--thorough"],
    &["status"],
    &["status", "--brief"],
    &["export"],
    &["export", "--markdown", "out"],
    &["import", "out"],
    &["doctor"],
    &["doctor", "--repair"],
    &["gc"],
    &["forget", "--path", "docs/a.txt"],
    &["canon", "list", "--count"],
    &["canon", "show", "x/y"],
    &["canon", "search", "disk"],
    &["canon", "check", ".ken/canon"],
    &["canon", "stats"],
    &["canon", "add", "--title", "T", "--cause", "c", "--fix", "f", "--symptom", "s"],
    &["model", "list"],
    &["model", "pull", "none"],
    &["model", "import", ".", "--name", "x"],
    &["model", "verify", "none"],
    &["model", "use", "."],
    &["model", "path"],
    &["model", "rm", "none"],
    &["bench", "run", "."],
    &["bench", "builtin", "--cases", "docs/a.txt"],
    &["config", "show"],
    &["trust", "--check"],
    &["trust"],
    &["trust", "--revoke"],
    &["completions", "bash"],
    &["purge", "--dry-run"],
];

/// What is run for each name by itself: whatever looks at a repository.
const READERS: [&[&str]; 7] = [
    &["lookup", "disk <a> overflowed"],
    &["search", "--scope", "here", "harvest of apples"],
    &["pack", "--task", "harvest of apples"],
    &["status"],
    &["index", "."],
    &["canon", "check", ".ken/canon"],
    &["trust"],
];

/// Verbs that are given a file, as `{}`.
const GIVEN: [&[&str]; 25] = [
    &["import", "{}"],
    &["pack", "--task", "t", "--state", "{}"],
    &["pack", "--task", "t", "--instructions", "{}"],
    &["pack", "diff", "{}", "{}"],
    &["canon", "check", "{}"],
    &["bench", "builtin", "--cases", "{}"],
    &["bench", "noise", "--inputs", "2", "{}"],
    &["bench", "fingerprint", "{}"],
    &["bench", "compare", "{}", "{}"],
    &["bench", "gate", "--baseline", "{}"],
    &["bench", "ann", "--vectors", "{}"],
    &["bench", "embed", "--texts", "{}"],
    &["bench", "run", "set", "--run", "bm25", "--ranking", "{}"],
    &["bench", "run", "set", "--runs", "{}"],
    &["bench", "run", "{}"],
    &["bench", "run", "set", "--run", "bm25", "--foreign", "{}"],
    &["bench", "pack", "{}"],
    &["index", "{}"],
    &["trust", "{}"],
    &["model", "import", "{}", "--name", "x"],
    &["model", "use", "{}"],
    &["--model", "{}", "lookup", "disk is full"],
    &["search", "--path", "{}", "harvest"],
    &["forget", "--path", "{}"],
    &["export", "--markdown", "{}"],
];

/// Files of a model's folder; the folder is one where all is well.
const MODEL: [&str; 7] = [
    "modules.json",
    "config.json",
    "tokenizer.json",
    "model.safetensors",
    "1_Pooling/config.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
];

const SET: [(&str, &str); 4] = [
    ("corpus.jsonl", "{\"_id\":\"d\",\"text\":\"one apple\"}\n{\"_id\":\"e\",\"title\":\"T\",\"text\":\"two\"}\n"),
    ("queries.jsonl", "{\"_id\":\"q\",\"text\":\"apple\"}\n"),
    ("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq\td\t1\n"),
    ("unanswerable.jsonl", "{\"_id\":\"u\",\"text\":\"zebra\"}\n"),
];

/// A user in a stranger's repository.
struct Stranger {
    user: User,
    trap: Trap,
    worst: (Duration, String),
    largest: (u64, String),
}

impl Stranger {
    /// All is well, indexed and trusted.
    fn new(trap: Trap) -> Self {
        let user = User::new();
        let here = Self { user, trap, worst: Default::default(), largest: Default::default() };
        for (name, text) in REPOSITORY {
            here.write(name, text);
        }
        for (name, text) in SET {
            here.write(&format!("set/{name}"), text);
        }
        here.write(".kenignore", "set\n*.tmp\n");
        for arguments in [&["trust"][..], &["index", "."]] {
            let ran = here.user.ken(arguments);
            assert_eq!(ran.code, 0, "{ran:?}");
        }
        // Outside, something of each kind that might be taken.
        let secrets = [
            ("secret", format!("{SECRET}\n[{SECRET}\n")),
            (
                "secret.md",
                format!("# {SECRET}\n\nA paragraph about {SECRET} that is long enough to be one by itself.\n"),
            ),
            ("secret.toml", format!("[model]\nname = \"{SECRET}\"\n{SECRET}\n")),
            (
                "secret.json",
                REPOSITORY[16].1.replace("Disk is full", SECRET).replace("disk", &format!("(disk|{SECRET})")),
            ),
            ("secret.jsonl", format!("{{\"_id\":\"{SECRET}\",\"text\":\"{SECRET} apple harvest\"}}\n{SECRET}\n")),
            ("secret.tsv", format!("query-id\tcorpus-id\tscore\n{SECRET}\t{SECRET}\t{SECRET}\n")),
        ];
        for (name, text) in secrets {
            write(&here.outside().join(name), text);
        }
        here
    }

    fn outside(&self) -> PathBuf {
        self.user.work().parent().unwrap().join("outside")
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        write(&self.user.work().join(name), text);
    }

    /// Lays the trap at a name, in place of what is there.
    fn lay(&self, name: &str) {
        let path = self.user.work().join(name);
        let was_folder = path.is_dir();
        remove(&path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let ending = path.extension().map_or(String::new(), |ending| format!(".{}", ending.to_str().unwrap()));
        let secret = self.outside().join(format!("secret{ending}"));
        match self.trap {
            Trap::Device => symlink("/dev/zero", &path).unwrap(),
            Trap::Fifo => mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap(),
            Trap::Socket => drop(UnixListener::bind(&path).unwrap()),
            Trap::Out if was_folder => symlink(self.outside(), &path).unwrap(),
            Trap::Out if secret.exists() => symlink(secret, &path).unwrap(),
            Trap::Out => symlink(self.outside().join("secret"), &path).unwrap(),
            Trap::Huge => fs::File::create(&path).unwrap().set_len(8 << 30).unwrap(),
            Trap::Folder => fs::create_dir(&path).unwrap(),
            Trap::Loop => symlink(&path, &path).unwrap(),
        }
    }

    /// Runs a verb; what it says may hold a secret only if the user named the file that leads there.
    fn run(&mut self, arguments: &[&str], named: bool) {
        let Cost { ran, took, peak_kib, hung } = measured(self.user.command(arguments), b"", MOST, MOST_KIB);
        let what = format!("{:?}: {}", self.trap, arguments.join(" "));
        let brief: String = ran.err.chars().take(600).collect();
        assert!(!hung && took < MOST, "{what}: took {took:?}, {} MiB; {brief}", peak_kib >> 10);
        assert!(peak_kib < MOST_KIB, "{what}: {} MiB", peak_kib >> 10);
        // Every verb meets every trap here, and the table of codes has tests of its own: this is about not ending
        // badly.
        assert!(ran.code >= 0 && ran.code != 101 && !ran.err.contains("panicked"), "{what}: {} {brief}", ran.code);
        if self.trap == Trap::Out && !named {
            assert!(!ran.out.contains(SECRET) && !ran.err.contains(SECRET), "{what}: {} {brief}", ran.out);
        }
        if took > self.worst.0 {
            self.worst = (took, what.clone());
        }
        if peak_kib > self.largest.0 {
            self.largest = (peak_kib, what);
        }
    }

    /// Nothing from outside is in the data directory, and what lies there is as it was.
    fn end(self, test: &str) {
        let mut holding = Vec::new();
        contains(&self.user.home(), &mut holding);
        assert!(holding.is_empty(), "{:?}: {holding:?}", self.trap);
        assert!(fs::read_to_string(self.outside().join("secret")).unwrap().starts_with(SECRET));
        let ((took, slow), (peak_kib, large)) = (&self.worst, &self.largest);
        let costs = format!("longest {took:?} ({slow})\nlargest {} MiB ({large})\n", peak_kib >> 10);
        write(&Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("traps/{test}.{:?}", self.trap)), costs);
    }
}

fn remove(path: &Path) {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => fs::remove_dir_all(path).unwrap(),
        Ok(_) => fs::remove_file(path).unwrap(),
        Err(_) => {}
    }
}

/// Files under a folder that hold the secret.
fn contains(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let meta = entry.metadata().unwrap();
        if meta.is_dir() {
            contains(&entry.path(), out);
        } else if meta.is_file()
            && fs::read(entry.path()).unwrap().windows(SECRET.len()).any(|w| w == SECRET.as_bytes())
        {
            out.push(entry.path());
        }
    }
}

/// Every verb where every name is a trap, and where the folders above them are.
fn everything_at_once(trap: Trap) {
    let files: Vec<&str> = REPOSITORY.iter().map(|(name, _)| *name).collect();
    for (number, names) in [&files[..]].iter().chain(&FOLDERS).enumerate() {
        let mut here = Stranger::new(trap);
        names.iter().for_each(|name| here.lay(name));
        for verb in VERBS {
            // Who names a link to a folder means the folder.
            here.run(verb, number > 0 && verb.contains(&".ken/canon"));
            if number == 0 {
                here.run(&[&["--json"], verb].concat(), false);
            }
        }
        here.end(&format!("everything{number}"));
    }
}

/// Each name by itself, so that no trap hides another.
fn one_by_one(trap: Trap) {
    let mut here = Stranger::new(trap);
    for (name, text) in REPOSITORY {
        here.lay(name);
        for verb in READERS {
            here.run(verb, false);
        }
        remove(&here.user.work().join(name));
        here.write(name, text);
        here.run(&["trust"], false);
    }
    here.end("one_by_one");
}

/// Files and folders that somebody names.
fn given(trap: Trap) {
    let mut here = Stranger::new(trap);
    here.lay("given");
    for verb in GIVEN {
        let arguments: Vec<&str> = verb.iter().map(|word| if *word == "{}" { "given" } else { *word }).collect();
        // Who names a link to a file means the file.
        if trap == Trap::Out && matches!(arguments[0], "index" | "import") {
            continue;
        }
        here.run(&arguments, true);
        here.run(&[&["--json"], &arguments[..]].concat(), true);
    }
    for name in MODEL {
        let model = here.user.work().join("model");
        remove(&model);
        Tiny::bert().write(&model);
        here.lay(&format!("model/{name}"));
        // With a model that can be used all the same, a lookup would embed the whole canon, which takes its time.
        here.run(&["--model", "./model", "index", "README.md"], false);
        here.run(&["--model", "./model", "status"], false);
    }
    for (name, text) in SET {
        here.lay(&format!("set/{name}"));
        here.run(&["bench", "run", "set", "--run", "bm25"], true);
        here.run(&["bench", "calibrate", "set"], true);
        remove(&here.user.work().join("set").join(name));
        here.write(&format!("set/{name}"), text);
    }
    // What was written is read back, and written over.
    here.run(&["export", "--markdown", "md"], false);
    let mut written = Vec::new();
    files(&here.user.work().join("md"), &mut written);
    assert!(!written.is_empty());
    for path in written.iter().take(3) {
        let relative = path.strip_prefix(here.user.work()).unwrap().to_str().unwrap().to_owned();
        let text = fs::read(path).unwrap();
        here.lay(&relative);
        here.run(&["import", "md"], false);
        here.run(&["export", "--markdown", "md"], false);
        remove(path);
        write(path, text);
    }
    here.lay("export.jsonl");
    here.run(&["export", "export.jsonl"], true);
    // The bench keeps its indexes among what it is allowed to keep, and the sets there were named.
    remove(&here.user.home().join("cache"));
    here.end("given");
}

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() { files(&entry.path(), out) } else { out.push(entry.path()) }
    }
    out.sort();
}

macro_rules! classes {
    ($($name:ident, $trap:expr;)+) => {
        $(mod $name {
            use super::*;

            #[test]
            fn at_every_name() {
                everything_at_once($trap);
            }

            #[test]
            fn at_each_name() {
                one_by_one($trap);
            }

            #[test]
            fn where_a_file_is_given() {
                given($trap);
            }
        })+
    };
}

classes! {
    devices, Trap::Device;
    fifos, Trap::Fifo;
    sockets, Trap::Socket;
    links_out, Trap::Out;
    huge_files, Trap::Huge;
    folders, Trap::Folder;
    loops, Trap::Loop;
}

/// An ignore file of the largest size costs no more than another; a larger one is not read.
#[test]
fn ignore_files_of_any_size() {
    let rules = |bytes: usize, line: &dyn Fn(usize) -> String| {
        let mut text = String::new();
        let mut number = 0;
        while text.len() + 2000 < bytes {
            text.push_str(&line(number));
            number += 1;
        }
        text
    };
    let texts = [
        rules(27 << 20, &|n| format!("*a{n}b*c\n")),
        rules(1 << 20, &|n| format!("x{n}\n")),
        rules(1 << 20, &|n| format!("*a{n}b*c\n")),
        rules(1 << 20, &|n| format!("{{a,b,c}}/[!a-z{n}]?*/**/q*{n}\n")),
        rules(1 << 20, &|n| format!("{}{n}\n", "*a?[b-c]".repeat(200))),
    ];
    for text in texts {
        let mut here = Stranger::new(Trap::Huge);
        for folder in ["", "docs", "docs/a", "docs/a/b"] {
            here.write(format!("{folder}/.gitignore").trim_start_matches('/'), &text);
            here.write(format!("{folder}/.kenignore").trim_start_matches('/'), &text);
        }
        here.run(&["index", "."], false);
    }
}
