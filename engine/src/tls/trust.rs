//! Which certificates of servers are accepted.

use std::path::Path;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

use super::provider;

/// The accepted certificates.
#[derive(Clone, Debug)]
pub enum Trust {
    /// Those that the system trusts.
    System(Arc<RootCertStore>),
    /// Those of a file, of CAs or of the server itself.
    File(Arc<RootCertStore>),
    /// Any certificate, without authentication of the server.
    Anything,
}

impl Trust {
    /// The name in results.
    pub fn name(&self) -> &'static str {
        match self {
            Self::System(_) => "system",
            Self::File(_) => "ca",
            Self::Anything => "insecure",
        }
    }

    /// The verifier of certificates. The error is that of the trusted ones.
    pub fn verifier(&self) -> Result<Arc<dyn ServerCertVerifier>, Error> {
        match self {
            Self::System(roots) | Self::File(roots) => {
                let roots = Arc::clone(roots);
                let verifier = WebPkiServerVerifier::builder_with_provider(roots, provider());
                let verifier = verifier
                    .build()
                    .map_err(|error| Error::General(error.to_string()))?;
                Ok(verifier)
            }
            Self::Anything => Ok(Arc::new(AnyCertificate)),
        }
    }
}

/// The certificates that the system trusts. The error says why there are none.
pub fn roots_of_system() -> Result<Arc<RootCertStore>, String> {
    let mut roots = RootCertStore::empty();
    let (added, _) =
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if added == 0 {
        return Err("the system has no trusted certificates".into());
    }
    Ok(Arc::new(roots))
}

/// The certificates of a PEM file. The error names the file and says what is wrong with it.
pub fn roots_of_file(path: &Path) -> Result<Arc<RootCertStore>, String> {
    let name = path.display();
    let certificates = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| format!("{name}: {error}"))?;
    let mut roots = RootCertStore::empty();
    for certificate in certificates {
        roots
            .add(certificate)
            .map_err(|error| format!("{name}: {error}"))?;
    }
    if roots.is_empty() {
        return Err(format!("{name}: has no certificate"));
    }
    Ok(Arc::new(roots))
}

/// Accepts any certificate, but checks the signature of its key, so that the handshake costs the
/// same.
#[derive(Debug)]
struct AnyCertificate;

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _certificate: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = provider().signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, &algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = provider().signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, &algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        provider()
            .signature_verification_algorithms
            .supported_schemes()
    }
}
