//! The `ken` binary as a process in surroundings of its own: an empty home, no network, no colours.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// A section of a Markdown text that is a chunk of its own: longer than what is joined to a neighbour, shorter than
/// what is cut.
pub fn section(number: u32, text: &str) -> String {
    const REST: &str = "It goes on about the weather of the last weeks, about the road that is closed because of the \
        bridge, about the new lamps along the market that nobody likes, and about the dog of the neighbours, who has \
        learnt to open the gate and now goes for walks by himself.";
    format!("## Section {number}\n\n{text} {REST}\n\n")
}

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

/// Models of which this process has seen canon's vectors complete.
static COMPLETE: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// A user with a home of their own.
pub struct User {
    dir: tempfile::TempDir,
    /// The address of the store that is used in place of the home.
    store: Option<String>,
}

impl User {
    /// Somebody who has just installed `ken`.
    pub fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap(), store: None }
    }

    /// Somebody whose store is a database in PostgreSQL.
    #[cfg(all(target_os = "linux", feature = "postgres"))]
    pub fn sharing() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Some(super::postgres::database_for(dir.path()));
        Self { dir, store }
    }

    /// Somebody whose store is the database of this address.
    #[cfg(target_os = "linux")]
    pub fn at(store: impl Into<String>) -> Self {
        Self { dir: tempfile::tempdir().unwrap(), store: Some(store.into()) }
    }

    /// Somebody on another machine who uses the same store.
    #[cfg(all(target_os = "linux", feature = "postgres"))]
    pub fn beside(other: &Self) -> Self {
        Self { dir: tempfile::tempdir().unwrap(), store: other.store.clone() }
    }

    /// A connection to that database.
    #[cfg(all(target_os = "linux", feature = "postgres"))]
    pub fn client(&self) -> postgres::Client {
        postgres::Client::connect(self.store.as_deref().unwrap(), postgres::NoTls).unwrap()
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
        if let Some(store) = &self.store {
            command.env("KEN_STORE_URL", store);
        }
        command
    }

    /// Whether the store is a database in PostgreSQL.
    #[cfg(all(target_os = "linux", feature = "postgres"))]
    pub fn is_sharing(&self) -> bool {
        self.store.is_some()
    }

    /// Where the store is, if it is no file.
    pub fn store(&self) -> Option<&str> {
        self.store.as_deref()
    }

    /// Every row of the database that [`User::sharing`] made, as text.
    #[cfg(all(target_os = "linux", feature = "postgres"))]
    pub fn dump(&self) -> String {
        super::postgres::dumped(self.store.as_deref().unwrap())
    }

    /// What `psql` prints of the database that [`User::sharing`] made, errors too.
    #[cfg(all(target_os = "linux", feature = "postgres"))]
    pub fn psql(&self, sql: &str) -> String {
        super::postgres::asked(self.store.as_deref().unwrap(), sql)
    }

    /// Runs `ken`.
    pub fn ken(&self, arguments: &[&str]) -> Ran {
        run(self.command(arguments), b"")
    }

    /// Runs `ken` with something on standard input.
    pub fn ken_with(&self, arguments: &[&str], input: &[u8]) -> Ran {
        run(self.command(arguments), input)
    }

    /// A real model, and canon's vectors by it, as if this user had pulled it.
    #[cfg(unix)]
    pub fn with_model(self, name: &str) -> Self {
        super::home::installed(name);
        self.write("config.toml", format!("[model]\nname = \"{name}\"\n"));
        for folder in ["models", "vectors"] {
            let shared = super::home::dir().join(folder);
            std::fs::create_dir_all(&shared).unwrap();
            std::os::unix::fs::symlink(shared, self.home().join(folder)).unwrap();
        }
        std::fs::set_permissions(self.home(), std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
        // Whoever asks first would get an answer from some of the vectors.
        let mut complete = COMPLETE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if complete.insert(name.to_owned()) {
            let pulled = self.ken(&["model", "pull", name]);
            assert_eq!(pulled.code, 0, "{pulled:?}");
        }
        drop(complete);
        self
    }

    /// A command on a disk that misbehaves as `tests/support/shim.c` says.
    pub fn on_bad_disk(&self, arguments: &[&str], trouble: &str, how: &str) -> Ran {
        let mut command = self.command(arguments);
        command.env("LD_PRELOAD", shim()).env(trouble, how);
        run(command, b"")
    }

    /// Writes a file to work with; its time lies in the past, so that it counts as settled.
    pub fn document(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = write(&self.work().join(name), text);
        let past = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(past).unwrap();
        path
    }

    /// Everything that is stored, line by line.
    pub fn exported(&self) -> Vec<serde_json::Value> {
        let ran = self.ken(&["export"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The texts of all stored items, sorted.
    pub fn texts(&self) -> Vec<String> {
        let items = self.exported().into_iter().filter(|record| record["type"] == "item");
        let mut texts: Vec<String> = items.map(|record| record["item"]["body"].as_str().unwrap().to_owned()).collect();
        texts.sort();
        texts
    }

    /// Whether `ken doctor` finds nothing wrong.
    pub fn assert_sound(&self) {
        let ran = self.ken(&["doctor", "--json"]);
        assert_eq!((ran.code, ran.json()["sound"].as_bool()), (0, Some(true)), "{ran:?}");
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

/// The library that makes a disk misbehave, compiled once.
fn shim() -> &'static Path {
    static SHIM: std::sync::LazyLock<(tempfile::TempDir, PathBuf)> = std::sync::LazyLock::new(|| {
        let dir = tempfile::tempdir().unwrap();
        let library = dir.path().join("shim.so");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/shim.c");
        let made = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).args([source, "-ldl"]).output();
        assert!(made.as_ref().is_ok_and(|out| out.status.success()), "{made:?}");
        (dir, library)
    });
    &SHIM.1
}
