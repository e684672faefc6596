//! Databases for tests: one for each folder of a test, in a server that all tests of the process share.

use crate::store::{PostgresAccess as Access, SharedDatabase};
use crate::text::sha256_hex;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

#[path = "../../../../tests/support/postgres/server.rs"]
mod server;

pub(in crate::store) use server::Server;

/// A store that is copied for each test.
const TEMPLATE: &str = "made";

static SERVER: LazyLock<&Server> = LazyLock::new(|| {
    // It ends with the process, which leaves nothing of it.
    let server: &Server = Box::leak(Box::new(Server::start_as("for all", "", &["-A", "trust"])));
    said(&server.psql("postgres", &format!("CREATE DATABASE {TEMPLATE}")), "CREATE DATABASE");
    drop(SharedDatabase::open_to_write(&at(server, TEMPLATE), &Access::default()).unwrap());
    server
});

/// The databases by the folders that they are for.
static MADE: Mutex<BTreeMap<PathBuf, String>> = Mutex::new(BTreeMap::new());

/// The server.
pub(in crate::store) fn server() -> &'static Server {
    &SERVER
}

fn at(server: &Server, database: &str) -> String {
    server.address().replace("/kenning", &format!("/{database}"))
}

fn said(printed: &str, wanted: &str) {
    assert!(printed.contains(wanted), "{printed}");
}

/// The name of the database that is for a folder: an empty store at first. Those of folders that are gone go.
pub(in crate::store) fn database_of(folder: &Path) -> String {
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    made.retain(|folder, name| {
        let stays = folder.exists();
        if !stays {
            said(&server().psql("postgres", &format!("DROP DATABASE {name} WITH (FORCE)")), "DROP DATABASE");
        }
        stays
    });
    let make = || {
        let name = format!("of_{}", &sha256_hex(folder.as_os_str().as_encoded_bytes())[..16]);
        let sql = format!("CREATE DATABASE {name} TEMPLATE {TEMPLATE}");
        said(&server().psql("postgres", &sql), "CREATE DATABASE");
        name
    };
    made.entry(folder.to_owned()).or_insert_with(make).clone()
}

/// Its address.
pub(in crate::store) fn address_of(folder: &Path) -> String {
    at(server(), &database_of(folder))
}
