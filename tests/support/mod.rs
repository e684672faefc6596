//! What tests share: models for tests, a hub on loopback, small models made on the spot.

pub mod agent;
#[cfg(target_os = "linux")]
pub mod cost;
pub mod held;
pub mod home;
pub mod ken;
pub mod long;
pub mod moments;
#[cfg(all(target_os = "linux", feature = "postgres"))]
pub mod postgres;
#[cfg(unix)]
pub mod program;
pub mod request;
pub mod service;
pub mod stub_hub;
pub mod terminal;
pub mod tiny;

use kenning::embed::{ModelStore, StoreSettings};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::time::Duration;

/// SHA-256 in lower-case hex.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

/// Settings for a store in `dir` that reaches nothing outside this machine and does not wait long.
pub fn settings(dir: &Path) -> StoreSettings {
    let mut settings = StoreSettings::new(dir.join("models"), dir.join("hub"));
    settings.hub.endpoint = "http://127.0.0.1:9".into(); // The discard port: nobody listens.
    settings.hub.backoff = Duration::from_millis(5);
    settings.hub.answer_timeout = Duration::from_millis(800);
    settings.hub.read_timeout = Duration::from_secs(5);
    settings.pip.commands = vec![vec!["ken-no-such-pip".into()]];
    settings
}

/// A store in `dir` with [`settings`].
pub fn store(dir: &Path) -> ModelStore {
    ModelStore::new(settings(dir))
}

/// The first file in a folder, or in one below it, that has these bytes in it.
pub fn file_with(folder: &Path, bytes: &[u8]) -> Option<std::path::PathBuf> {
    std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path()).find_map(|path| {
        if path.is_dir() {
            return file_with(&path, bytes);
        }
        std::fs::read(&path).unwrap_or_default().windows(bytes.len()).any(|at| at == bytes).then_some(path)
    })
}

/// The largest difference of two vectors' components.
pub fn distance(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f32::max)
}
