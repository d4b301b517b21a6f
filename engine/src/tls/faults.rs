//! The faults of TLS.

use rustls::{AlertDescription, CertificateError, Error};

use crate::failure::{Failure, Fault};

/// The fault of a server that does not negotiate HTTP/2.
pub const NO_HTTP2: &str = "the server does not speak HTTP/2 over TLS: it did not choose h2 (ALPN)";

const NO_CERTIFICATE: &str = "the server requires a client certificate: pass one (--cert and --key, \
                              in a job tls.certificate and tls.key)";

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
        Error::AlertReceived(AlertDescription::CertificateRequired) => NO_CERTIFICATE,
        Error::AlertReceived(_) => "the server aborted the TLS handshake",
        Error::PeerIncompatible(_) => "the server and this client have no TLS parameters in common",
        Error::InvalidMessage(_) => "the server does not use TLS on this port",
        _ => "the TLS handshake failed",
    };
    Fault::new(Failure::HandshakeFailed, detail)
}

/// The fault of a session that was established.
pub fn session(error: &Error) -> Fault {
    Fault::protocol(match error {
        // With TLS 1.3, the server says so after the client has completed the handshake.
        Error::AlertReceived(AlertDescription::CertificateRequired) => NO_CERTIFICATE,
        Error::AlertReceived(
            AlertDescription::UnknownCA
            | AlertDescription::BadCertificate
            | AlertDescription::DecryptError
            | AlertDescription::CertificateUnknown,
        ) => "the server rejects the client certificate (--cert, in a job tls.certificate)",
        Error::AlertReceived(_) => "the server aborted the TLS session",
        Error::DecryptError => "TLS records that cannot be decrypted",
        _ => "bytes that are not TLS",
    })
}

fn certificate(reason: &CertificateError) -> &'static str {
    match reason {
        // A wrong signature means an issuer that only has the name of a trusted one.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            "the server's certificate is not from a trusted CA: pass the file of its CA (--ca, in a \
             job tls.ca), or accept any certificate (--insecure, tls.insecure)"
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "the server's certificate has expired; --insecure (tls.insecure) accepts it nevertheless"
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "the server's certificate is not valid yet, by this machine's clock; --insecure \
             (tls.insecure) accepts it nevertheless"
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "the server's certificate is for another name than the address: use that name, in a job \
             tls.server_name, or accept any certificate (--insecure, tls.insecure)"
        }
        CertificateError::Revoked => "the server's certificate has been revoked",
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            "the server's certificate is not made for servers (extended key usage); --insecure \
             (tls.insecure) accepts it nevertheless"
        }
        // What `openssl req -x509` makes by default.
        CertificateError::Other(other) if other.to_string().contains("CaUsedAsEndEntity") => {
            "the server's certificate is that of a CA (CA:TRUE), which no server may have: make one \
             with CA:FALSE, or accept any certificate (--insecure, tls.insecure)"
        }
        _ => {
            "the server's certificate is malformed or has an unknown extension; --insecure \
             (tls.insecure) accepts it nevertheless"
        }
    }
}
