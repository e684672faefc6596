//! A server of PostgreSQL for one test, and one that all tests of the process share, with a database for each of them.

mod server;

pub use server::Server;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

/// It ends with the process, which leaves nothing of it.
static SHARED: LazyLock<&Server> = LazyLock::new(|| Box::leak(Box::new(Server::start_as("for all", &["-A", "trust"]))));

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

impl Server {
    /// Starts one.
    pub fn start() -> Self {
        Self::start_with(&["-A", "trust"])
    }

    /// Starts one that was made with these options of `initdb`.
    pub fn start_with(made: &[&str]) -> Self {
        Self::start_as("sh", made)
    }

    /// Its port on this machine.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The address by the network of this machine.
    pub fn address_at(&self, host: &str) -> String {
        format!("postgres://postgres@{host}:{}/kenning", self.port)
    }
}
