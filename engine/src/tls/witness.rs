//! Records the verification of certificates. QUIC's state machine does not expose its TLS; the
//! number of full handshakes, and the cause of a failed one, come from here.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, Error, SignatureScheme};

/// A verifier that records the results of another one.
#[derive(Debug)]
pub struct Witness {
    verifier: Arc<dyn ServerCertVerifier>,
    verified: AtomicU64,
    refused: Mutex<Option<Error>>,
}

impl Witness {
    /// Records the results of `verifier`.
    pub fn new(verifier: Arc<dyn ServerCertVerifier>) -> Self {
        Self {
            verifier,
            verified: AtomicU64::new(0),
            refused: Mutex::default(),
        }
    }

    /// The number of accepted certificates; resumed sessions have none.
    pub fn verified(&self) -> u64 {
        self.verified.load(Ordering::Relaxed)
    }

    /// The error of the last rejected certificate, if there was one.
    pub fn refused(&self) -> Option<Error> {
        let refused = self.refused.lock();
        refused.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl ServerCertVerifier for Witness {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verified = self.verifier.verify_server_cert(
            certificate,
            intermediates,
            server_name,
            ocsp_response,
            now,
        );
        match &verified {
            Ok(_) => {
                self.verified.fetch_add(1, Ordering::Relaxed);
            }
            Err(error) => {
                let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
                *refused = Some(error.clone());
            }
        }
        verified
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier
            .verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier
            .verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.verifier.supported_verify_schemes()
    }
}
