//! A server of PostgreSQL for one test.

mod server;

pub use server::Server;

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
