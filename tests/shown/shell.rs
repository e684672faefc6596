//! A user who types what a document shows: a home, a folder with the files that the documents speak of, and a shell
//! that finds `ken` on its path.

use super::{fixture, programs};
use crate::support::ken::{User, run, write};
use crate::support::program::program;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, Mutex, PoisonError};

/// The model of the sessions: small, and in the shared home for tests.
pub const MODEL: &str = "bge-small-en-v1.5-int8";

/// Indexes of measurements, the same for all users: their sets are equal.
static INDEXES: LazyLock<tempfile::TempDir> = LazyLock::new(|| tempfile::tempdir().unwrap());

/// Held by who measures, so that an index is made once.
static BENCH: Mutex<()> = Mutex::new(());

/// What a command line came to.
#[derive(Debug)]
pub struct Ended {
    /// What stands on the screen: standard output and standard error as they came.
    pub shown: String,
    /// Exit code of the whole line.
    pub code: i32,
    /// Each call of `ken` in it: its exit code, and its arguments.
    pub calls: Vec<(i32, String)>,
}

/// A user with a folder of files, and a shell.
pub struct Shell {
    user: User,
    chunk: String,
}

impl Shell {
    /// Somebody with a model, and files of which nothing is indexed.
    pub fn new() -> Self {
        let user = User::new().with_model(MODEL);
        std::os::unix::fs::symlink(INDEXES.path(), user.home().join("cache")).unwrap();
        Self::of(user)
    }

    /// The same without a model.
    pub fn without_model() -> Self {
        Self::of(User::new())
    }

    /// The same as `new`, when all files are indexed.
    pub fn indexed() -> Self {
        let mut shell = Self::new();
        let ran = shell.user.ken(&["index", "notes", "docs", "src", "CHANGES"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let found = shell.user.ken(&["search", "--json", "--kind", "chunk", "--min-relevance", "0", "retry budget"]);
        shell.chunk = found.json()["results"][0]["hits"][0]["id"].as_str().unwrap().to_owned();
        shell
    }

    /// The same as `indexed`, when a program has put items in too.
    pub fn with_items() -> Self {
        let shell = Self::indexed();
        let ran = shell.user.ken(&["items", "put", "notes.jsonl"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        shell
    }

    fn of(user: User) -> Self {
        let shell = Self { user, chunk: String::new() };
        shell.own_vectors();
        fixture::lay_out(&shell.user, &shell.person());
        for (name, script) in programs::PROGRAMS {
            shell.program(name, &format!("#!/bin/sh\n{script}"));
        }
        let call = "code=$?\nprintf '%s %s\\n' \"$code\" \"$*\" >> \"$CALLS\"\nexit $code\n";
        shell.program("ken", &format!("#!/bin/sh\n'{}' \"$@\"\n{call}", env!("CARGO_BIN_EXE_ken")));
        shell
    }

    /// Copies the vectors of the packs, which a pack of this user's own would change for everybody.
    fn own_vectors(&self) {
        let folder = self.user.home().join("vectors");
        let Ok(shared) = std::fs::read_link(&folder) else { return };
        std::fs::remove_file(&folder).unwrap();
        std::fs::create_dir(&folder).unwrap();
        for entry in std::fs::read_dir(shared).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if name.contains(MODEL) || name.ends_with(".terms") {
                std::fs::copy(&path, folder.join(name)).unwrap();
            }
        }
    }

    /// The user, to ask `ken` something without a shell.
    pub fn user(&self) -> &User {
        &self.user
    }

    /// Puts a program on the path.
    fn program(&self, name: &str, script: &str) {
        program(&self.root().join("bin").join(name), script);
    }

    /// Everything of this user lies below here.
    fn root(&self) -> PathBuf {
        self.user.home().parent().unwrap().to_owned()
    }

    /// The home of the person; the data of `ken` lies beside it.
    fn person(&self) -> PathBuf {
        self.root().join("ann")
    }

    /// Types a line. Standard input holds a log, or a plan for `ken check`.
    pub fn types(&self, line: &str) -> Ended {
        let calls = self.root().join("calls");
        write(&calls, "");
        let mut command = Command::new("sh");
        let beside = std::env::var_os("PATH").unwrap_or_default();
        let paths = [self.root().join("bin")].into_iter().chain(std::env::split_paths(&beside));
        command
            .args(["-c", &format!("exec 2>&1\n{line}")])
            .env_clear()
            .env("PATH", std::env::join_paths(paths).unwrap())
            .env("HOME", self.person())
            .env("KEN_HOME", self.user.home())
            .env("KEN_BACKGROUND", "false")
            .env("HF_HOME", self.root().join("hf"))
            .env("HF_HUB_OFFLINE", "1")
            .env("EDITOR", "cat")
            .env("CALLS", &calls)
            .env("CHUNK", &self.chunk)
            .env("REPOSITORY", env!("CARGO_MANIFEST_DIR"))
            .env("MESSAGE", "no space left on device")
            .current_dir(self.user.work());
        let input = if line.contains("ken check") { fixture::PLAN } else { fixture::BUILD_LOG };
        let bench = line.contains("ken bench").then(|| BENCH.lock().unwrap_or_else(PoisonError::into_inner));
        let ran = run(command, input.as_bytes());
        drop(bench);
        assert_eq!(ran.err, "", "{line}");
        let calls = std::fs::read_to_string(calls).unwrap();
        let calls = calls.lines().filter_map(|line| line.split_once(' '));
        let calls = calls.filter_map(|(code, arguments)| Some((code.parse().ok()?, arguments.to_owned()))).collect();
        Ended { shown: self.as_documents_say(&ran.out), code: ran.code, calls }
    }

    /// The folders of this user under the names that the documents use.
    fn as_documents_say(&self, text: &str) -> String {
        let name = |path: &Path| path.to_str().unwrap().to_owned();
        text.replace(&name(&self.user.home()), "/home/ann/.local/share/kenning")
            .replace(&name(&self.person()), "/home/ann")
    }
}
