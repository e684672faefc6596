//! A server of PostgreSQL for one test, and one that all tests of the process share, with a database for each of them.

mod server;

pub use server::Server;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

/// It ends with the process, which leaves nothing of it.
static SHARED: LazyLock<&Server> =
    LazyLock::new(|| Box::leak(Box::new(Server::start_as("for all", "", &["-A", "trust"]))));

/// The names of databases by the folders of the tests that they are for.
static MADE: Mutex<BTreeMap<PathBuf, String>> = Mutex::new(BTreeMap::new());

/// The address of an empty database for whoever has this folder. Those of folders that are gone go.
pub fn database_for(folder: &Path) -> String {
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    made.retain(|folder, name| {
        let stays = folder.exists();
        if !stays {
            SHARED.psql("postgres", &format!("DROP DATABASE {name} WITH (FORCE)"));
        }
        stays
    });
    let own = folder.file_name().unwrap().as_encoded_bytes();
    let name = own.iter().fold("of_".to_owned(), |name, byte| format!("{name}{byte:02x}"));
    let ran = SHARED.psql("postgres", &format!("CREATE DATABASE {name}"));
    assert!(ran.contains("CREATE DATABASE"), "{ran}");
    made.insert(folder.to_owned(), name.clone());
    SHARED.address().replace("/kenning", &format!("/{name}"))
}

/// What `psql` prints of such a database, errors too.
pub fn asked(address: &str, sql: &str) -> String {
    let (_, name) = address.rsplit_once('/').unwrap();
    SHARED.psql(name, sql)
}

/// Every row of such a database, as text.
pub fn dumped(address: &str) -> String {
    let (_, name) = address.rsplit_once('/').unwrap();
    let mut dump = SHARED.command(&server::programs().join("pg_dump"));
    dump.arg("-h").arg(SHARED.dir.path()).args(["-p", &SHARED.port.to_string(), "-U", "postgres", "--data-only", name]);
    let ran = dump.output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    String::from_utf8(ran.stdout).unwrap()
}

impl Server {
    /// Starts one.
    pub fn start() -> Self {
        Self::start_as("sh", "", &["-A", "trust"])
    }

    /// Starts one that was made with these options of `initdb` and can be reached by the network of this machine too.
    pub fn start_in_network(made: &[&str]) -> Self {
        Self::start_as("sh", "127.0.0.1", made)
    }

    /// Its port on this machine, if it is in the network. Ask again after each start.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The address by the network of this machine. Ask again after each start.
    pub fn address_at(&self, host: &str) -> String {
        format!("postgres://postgres@{host}:{}/kenning", self.port)
    }

    /// Starts a standby of this one: it has everything from the first, and follows.
    pub fn standby(&self) -> Self {
        let mut standby = Self::place("sh", "");
        let mut backup = standby.command(&server::programs().join("pg_basebackup"));
        backup.args(["-D", "data", "--write-recovery-conf", "--checkpoint=fast", "--no-sync", "-U", "postgres", "-h"]);
        let ran = backup.arg(self.dir.path()).args(["-p", &self.port.to_string()]).output().unwrap();
        assert!(ran.status.success(), "{ran:?}");
        standby.run();
        standby
    }
}
