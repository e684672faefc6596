//! TLS to a database, by the same library as pulls of models.

use crate::map::open::{Links, read};
use crate::store::StoreError;
use crate::types::limits::CONFIG;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;
use std::path::Path;
use std::sync::Arc;
use tokio_postgres_rustls::MakeRustlsConnect;

/// Connects with certificates of the authorities in a file, or of those that this machine trusts.
pub(super) fn tls(ca_file: Option<&Path>) -> Result<MakeRustlsConnect, StoreError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions().map_err(|source| StoreError::Tls { source })?;
    let config = match ca_file {
        Some(path) => builder.with_root_certificates(authorities(path)?),
        None => builder.with_platform_verifier().map_err(|source| StoreError::Tls { source })?,
    };
    Ok(MakeRustlsConnect::new(config.with_no_client_auth()))
}

fn authorities(path: &Path) -> Result<RootCertStore, StoreError> {
    let damaged = |what: String| StoreError::Damaged { path: path.to_owned(), what };
    let bytes = read(path, Links::Follow, CONFIG).map_err(StoreError::io(path))?;
    let mut store = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&bytes) {
        let certificate = certificate.map_err(|error| damaged(error.to_string()))?;
        store.add(certificate).map_err(|error| damaged(error.to_string()))?;
    }
    if store.is_empty() { Err(damaged("it holds no certificate".to_owned())) } else { Ok(store) }
}
