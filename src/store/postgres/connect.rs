//! From an address to a connection.
//!
//! A host that is not this machine is reached through TLS alone, whose certificate must be valid for that host, unless
//! the address says `sslmode=disable`. A password stands in a file that its owner alone can read, or in the address.

use super::client::{Client, GRACE, Unmade};
use super::tls::tls;
use crate::map::open::{Links, read_text};
use crate::platform;
use crate::store::{PostgresAccess as Access, StoreError};
use crate::types::limits::CONFIG;
use std::fs;
use std::net::IpAddr;
use std::time::Duration;
use tokio_postgres::Config;
use tokio_postgres::NoTls;
use tokio_postgres::config::{Host, SslMode};

/// The least time that the kernel waits for a server to take what was sent.
const LEAST_SILENCE: Duration = Duration::from_secs(60);

/// What each connection asks of the server. A machine that is gone must not hold a lock for long.
const OPTIONS: &str = "-c search_path=kenning -c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 \
    -c tcp_keepalives_count=3";

/// A connection, and how people know the database: its address without the password.
pub(super) fn connect(address: &str, access: &Access) -> Result<(Client, String), StoreError> {
    let mut config: Config = address.parse().map_err(|source| StoreError::Address { source })?;
    let name = name(&config);
    if let Some(path) = &access.password_file {
        config.password(password(path)?);
    }
    // Each address of a host gets half of the time, so that a second address can still be tried.
    config.application_name("ken").connect_timeout(access.connect_timeout / 2);
    // A server that is gone without a word is noticed too. Large copies may have to wait for a slow server.
    let silence = access.statement_timeout.max(LEAST_SILENCE) + GRACE;
    config.keepalives_idle(Duration::from_secs(30)).tcp_user_timeout(silence);
    // Of two that differ the later one holds.
    let own = format!("-c statement_timeout={} {OPTIONS}", access.statement_timeout.as_millis());
    let options = config.get_options().map_or(own.clone(), |of_address| format!("{of_address} {own}"));
    config.options(&options);
    let hosts = config.get_hosts().len().max(config.get_hostaddrs().len()).max(1);
    let at_most = access.connect_timeout.saturating_mul(u32::try_from(hosts).unwrap_or(u32::MAX));
    let made = match config.get_ssl_mode() {
        SslMode::Disable => Client::connect(&config, NoTls, at_most, access.statement_timeout),
        SslMode::Prefer if is_near(&config) => Client::connect(&config, NoTls, at_most, access.statement_timeout),
        _ => {
            config.ssl_mode(SslMode::Require);
            Client::connect(&config, tls(access.ca_file.as_deref())?, at_most, access.statement_timeout)
        }
    };
    match made {
        Ok(client) => Ok((client, name)),
        Err(Unmade::Said(source)) => Err(StoreError::Postgres { name, source }),
        Err(Unmade::Silent) => Err(StoreError::Silent { name }),
        Err(Unmade::Io(source)) => Err(StoreError::NoConnection { name, source }),
    }
}

/// Whether a connection can only lead to this machine. Where the address has `hostaddr`, that is what is connected to,
/// and the host is a name for the certificate.
fn is_near(config: &Config) -> bool {
    config.get_hosts().iter().all(is_this_machine) && config.get_hostaddrs().iter().all(IpAddr::is_loopback)
}

fn is_this_machine(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback()),
        #[allow(unreachable_patterns, reason = "a socket of the file system, which there is on Unix alone")]
        _ => true,
    }
}

/// How people know the database of an address.
pub(in crate::store) fn name_of(address: &str) -> Result<String, StoreError> {
    Ok(name(&address.parse().map_err(|source| StoreError::Address { source })?))
}

/// `postgres://user@host:port/database`.
fn name(config: &Config) -> String {
    let user = config.get_user().map(|user| format!("{user}@")).unwrap_or_default();
    let host = |(at, host): (usize, &Host)| {
        let name = match host {
            Host::Tcp(name) => name.clone(),
            #[allow(unreachable_patterns, reason = "as above")]
            _ => "a socket".to_owned(),
        };
        // One port stands for all hosts.
        let ports = config.get_ports();
        let port = ports.get(at).or(ports.first()).filter(|port| **port != 5432);
        port.map_or(name.clone(), |port| format!("{name}:{port}"))
    };
    let hosts: Vec<String> = match config.get_hosts() {
        // The address alone says where it is.
        [] => config.get_hostaddrs().iter().map(IpAddr::to_string).collect(),
        hosts => hosts.iter().enumerate().map(host).collect(),
    };
    let database = config.get_dbname().map(|name| format!("/{name}")).unwrap_or_default();
    format!("postgres://{user}{}{database}", hosts.join(","))
}

fn password(path: &std::path::Path) -> Result<String, StoreError> {
    let unread = |source| StoreError::NoPassword { path: path.to_owned(), source };
    let meta = fs::metadata(path).map_err(unread)?;
    if platform::is_open_to_others(&meta) {
        return Err(StoreError::OpenPassword { path: path.to_owned() });
    }
    let text = read_text(path, Links::Follow, CONFIG).map_err(unread)?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::is_address;

    #[test]
    fn an_address_is_named_without_its_password() {
        let named = |address: &str| name(&address.parse().unwrap());
        assert_eq!(named("postgres://team:secret@db.example/kenning"), "postgres://team@db.example/kenning");
        assert_eq!(named("postgresql://db.example:5433/k?user=a&password=secret"), "postgres://a@db.example:5433/k");
        assert_eq!(named("postgres:///k?user=a&hostaddr=10.0.0.5"), "postgres://a@10.0.0.5/k");
        assert!(is_address("postgres://x") && is_address("postgresql:///k") && !is_address("/home/postgres"));
    }

    #[test]
    fn only_this_machine_is_reached_without_tls() {
        let near = |address: &str| is_near(&address.parse().unwrap());
        assert!(near("postgres://localhost/k") && near("postgres://127.0.0.2/k") && near("postgres://[::1]/k"));
        assert!(near("postgres:///k?hostaddr=127.0.0.1") && near("postgres://localhost/k?hostaddr=::1"));
        for far in [
            "postgres://db/k",
            "postgres://localhost,db/k",
            "postgres://localhost.example/k",
            "postgres://10.0.0.1/k",
            "postgres:///k?hostaddr=10.0.0.5",
            "postgres://localhost/k?hostaddr=10.0.0.5",
            "postgres://%2Frun%2Fpostgresql/k?hostaddr=10.0.0.5",
            "postgres://localhost,localhost/k?hostaddr=127.0.0.1,10.0.0.5",
            "postgres://db/k?hostaddr=127.0.0.1",
        ] {
            assert!(!near(far), "{far}");
        }
    }

    #[test]
    fn a_password_is_the_file_without_the_end_of_its_line() {
        // Made for its owner alone.
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "secret word\n").unwrap();
        assert_eq!(password(file.path()).unwrap(), "secret word");
    }
}
