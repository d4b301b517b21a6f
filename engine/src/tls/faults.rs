//! What can go wrong with TLS, in words that say what to do.

use rustls::{AlertDescription, CertificateError, Error};

use crate::failure::{Failure, Fault};

pub const NO_HTTP2: &str = "the server does not speak HTTP/2 over TLS: it did not choose h2 (ALPN)";

/// The fault of a handshake.
pub fn handshake(error: &Error) -> Fault {
    let detail = match error {
        Error::InvalidCertificate(reason) => certificate(reason),
        Error::AlertReceived(AlertDescription::NoApplicationProtocol) => {
            "the server speaks TLS, but not this protocol over it (ALPN)"
        }
        Error::AlertReceived(AlertDescription::ProtocolVersion) => {
            "the server does not speak this version of TLS"
        }
        Error::AlertReceived(_) => "the server broke the TLS handshake off",
        Error::PeerIncompatible(_) => "the server and this client have no TLS parameters in common",
        Error::InvalidMessage(_) => "the server does not speak TLS here",
        _ => "the TLS handshake failed",
    };
    Fault::new(Failure::HandshakeFailed, detail)
}

/// The fault of a session that was established.
pub fn session(error: &Error) -> Fault {
    Fault::protocol(match error {
        Error::AlertReceived(_) => "the server broke the TLS session off",
        Error::DecryptError => "TLS records that cannot be decrypted",
        _ => "bytes that are not TLS",
    })
}

fn certificate(reason: &CertificateError) -> &'static str {
    match reason {
        // A wrong signature: of an issuer that only has the name of one we trust.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            "the server's certificate is from nobody we trust: name the file of its CA, or \
             declare the target insecure"
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "the server's certificate has expired"
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "the server's certificate is not valid yet"
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "the server's certificate is for another name: give the right server_name"
        }
        _ => "the server's certificate is not acceptable",
    }
}
