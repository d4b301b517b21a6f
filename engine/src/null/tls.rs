//! TLS for null servers, with a self-signed certificate.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection};

use super::Protocol;
use crate::tls::provider;

/// A self-signed certificate for one run; its file is removed with it.
pub struct Identity {
    file: PathBuf,
    config: Arc<ServerConfig>,
}

impl Identity {
    /// Creates a certificate for this machine, and writes it to a file for clients. The error is
    /// that of writing it.
    pub fn new(protocol: Protocol, port: u16) -> io::Result<Self> {
        let names = ["localhost".into(), "127.0.0.1".into()];
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(names).map_err(io::Error::other)?;
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
        let config = ServerConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .and_then(|builder| {
                let certificates = vec![cert.der().clone()];
                builder
                    .with_no_client_auth()
                    .with_single_cert(certificates, key)
            });
        let mut config = config.map_err(io::Error::other)?;
        let protocols: &[&[u8]] = match protocol {
            Protocol::Http | Protocol::Sse => &[b"h2", b"http/1.1"],
            Protocol::Grpc => &[b"h2"],
            Protocol::Ws => &[b"http/1.1"],
            Protocol::Http3 => &[b"h3"],
        };
        config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
        config.ticketer = rustls::crypto::ring::Ticketer::new().map_err(io::Error::other)?;
        let name = format!("wirelab-null-{}-{port}.pem", std::process::id());
        let file = std::env::temp_dir().join(name);
        std::fs::write(&file, cert.pem())?;
        Ok(Self {
            file,
            config: Arc::new(config),
        })
    }

    /// The file of the certificate.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The settings of TLS.
    pub fn config(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.config)
    }

    /// Begins TLS on a connection.
    pub fn session(&self) -> io::Result<Session> {
        let mut connection =
            ServerConnection::new(Arc::clone(&self.config)).map_err(io::Error::other)?;
        connection.set_buffer_limit(None);
        Ok(Session(connection))
    }
}

impl Drop for Identity {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.file);
    }
}

/// TLS on one connection.
pub struct Session(ServerConnection);

impl Session {
    /// Decrypts received bytes, and appends the plain ones to `plain`. The error is that of TLS.
    pub fn open(&mut self, mut sealed: &[u8], plain: &mut Vec<u8>) -> io::Result<()> {
        while !sealed.is_empty() {
            self.0.read_tls(&mut sealed)?;
            self.0.process_new_packets().map_err(io::Error::other)?;
            match self.0.reader().read_to_end(plain) {
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// Encrypts plain bytes, and appends them and TLS's own records to `out`.
    pub fn seal(&mut self, plain: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        self.0.writer().write_all(plain)?;
        while self.0.wants_write() {
            self.0.write_tls(out)?;
        }
        Ok(())
    }
}
