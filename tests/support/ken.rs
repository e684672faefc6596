//! The `ken` binary as a process in surroundings of its own: an empty home, no network, no colours.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a run came to.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    /// Standard output as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }
}

/// A user with a home of their own.
pub struct User {
    dir: tempfile::TempDir,
}

impl User {
    /// Somebody who has just installed `ken`.
    pub fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    /// Where `ken` keeps its data.
    pub fn home(&self) -> PathBuf {
        self.dir.path().join("ken")
    }

    /// A folder to work in.
    pub fn work(&self) -> PathBuf {
        let work = self.dir.path().join("work");
        std::fs::create_dir_all(&work).unwrap();
        work
    }

    /// A command with nothing of this machine's surroundings but the path.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ken"));
        command
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("KEN_HOME", self.home())
            .env("HF_HOME", self.dir.path().join("hf"))
            .env("HF_HUB_OFFLINE", "1")
            .current_dir(self.work());
        command
    }

    /// Runs `ken`.
    pub fn ken(&self, arguments: &[&str]) -> Ran {
        run(self.command(arguments), b"")
    }

    /// Runs `ken` with something on standard input.
    pub fn ken_with(&self, arguments: &[&str], input: &[u8]) -> Ran {
        run(self.command(arguments), input)
    }

    /// Writes a file of the user's data.
    pub fn write(&self, relative: &str, content: impl AsRef<[u8]>) -> PathBuf {
        write(&self.home().join(relative), content)
    }
}

/// Writes a file and the folders above it.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> PathBuf {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
    path.to_owned()
}

/// Runs a command with an input to its end.
pub fn run(mut command: Command, input: &[u8]) -> Ran {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        // A command that does not read its input closes the pipe; that is its right.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().unwrap()
    });
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}
