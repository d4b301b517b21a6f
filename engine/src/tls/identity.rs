//! A client certificate with its key.

use std::fmt::{self, Debug, Formatter};
use std::path::Path;
use std::sync::Arc;

use rustls::Error;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::{CertifiedKey, SingleCertAndKey};

use super::provider;

/// A client certificate with its key.
#[derive(Clone)]
pub struct Identity(Arc<CertifiedKey>);

impl Debug for Identity {
    /// Without the key.
    fn fmt(&self, to: &mut Formatter) -> fmt::Result {
        write!(to, "Identity of {} certificates", self.0.cert.len())
    }
}

impl Identity {
    /// Reads PEM files. The error names the file and says what is wrong with it.
    pub fn read(certificate: &Path, key: &Path) -> Result<Self, String> {
        let wrong = |path: &Path, error: &dyn fmt::Display| format!("{}: {error}", path.display());
        let chain = CertificateDer::pem_file_iter(certificate)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|error| wrong(certificate, &error))?;
        if chain.is_empty() {
            return Err(wrong(certificate, &"has no certificate"));
        }
        let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| wrong(key, &error))?;
        let certified = CertifiedKey::from_der(chain, secret, &provider());
        certified
            .map(|certified| Self(Arc::new(certified)))
            .map_err(|error| match error {
                Error::InconsistentKeys(_) => wrong(key, &"is the key of another certificate"),
                error => wrong(key, &error),
            })
    }

    /// The resolver for the client's configuration.
    pub fn resolver(&self) -> Arc<SingleCertAndKey> {
        Arc::new(SingleCertAndKey::from(Arc::clone(&self.0)))
    }
}
