//! TLS by rustls, without input or output: it decrypts and encrypts bytes.

mod faults;
mod identity;
mod session;
mod tickets;
mod trust;
mod witness;

use std::sync::Arc;

use rustls::client::{ClientConfig, Resumption, UnbufferedClientConnection};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::ServerName;
use rustls::version::{TLS12, TLS13};
use rustls::{HandshakeKind, SupportedProtocolVersion};

use crate::failure::{Failure, Fault};

pub use faults::handshake as handshake_fault;
pub use identity::Identity;
pub use session::{MOST_KEPT, Session};
pub use trust::{Trust, roots_of_file, roots_of_system};
pub use witness::Witness;

/// HTTP/1.1 in the negotiation of protocols (ALPN).
pub const ALPN_HTTP1: &[u8] = b"http/1.1";
/// HTTP/2 in ALPN.
pub const ALPN_H2: &[u8] = b"h2";
/// HTTP/3 in ALPN.
pub const ALPN_H3: &[u8] = b"h3";

/// How connections are secured.
#[derive(Clone, Debug)]
pub struct Settings {
    pub trust: Trust,
    /// The name that is sent to the server (SNI), and that its certificate must be valid for.
    pub server_name: ServerName<'static>,
    /// The only version to offer; absent: 1.3 and 1.2.
    pub version: Option<Version>,
    /// Whether later connections resume the sessions of earlier ones, if the server allows it.
    pub resumption: bool,
    /// The client certificate; absent: none.
    pub identity: Option<Identity>,
}

/// A version of TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    Tls12,
    Tls13,
}

/// The TLS settings that all connections of one worker share; workers share nothing, so that no
/// lock is contended.
pub struct Client {
    pub config: Arc<ClientConfig>,
    pub server_name: ServerName<'static>,
    pub witness: Arc<Witness>,
    /// The protocol that must be negotiated.
    required: Option<&'static [u8]>,
}

/// The handshakes of all connections.
#[derive(Clone, Debug, Default)]
pub struct Handshakes {
    pub count: u64,
    pub resumed: u64,
    /// The version and cipher suite of the last handshake.
    pub parameters: Option<(&'static str, &'static str)>,
}

/// The only cryptography provider: ring.
pub fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

impl Client {
    /// A client for connections that speak `protocol` (ALPN). `connections` bounds the number of
    /// tickets that are kept for resumption.
    pub fn new(
        tls: &Settings,
        protocol: &'static [u8],
        connections: usize,
    ) -> Result<Self, rustls::Error> {
        let witness = Arc::new(Witness::new(tls.trust.verifier()?));
        let config = ClientConfig::builder_with_provider(provider())
            .with_protocol_versions(versions(tls.version))?
            .dangerous()
            .with_custom_certificate_verifier(Arc::clone(&witness) as _);
        let mut config = match &tls.identity {
            Some(identity) => config.with_client_cert_resolver(identity.resolver()),
            None => config.with_no_client_auth(),
        };
        config.alpn_protocols = vec![protocol.to_vec()];
        config.resumption = if tls.resumption {
            Resumption::store(Arc::new(tickets::Tickets::new(connections)))
        } else {
            Resumption::disabled()
        };
        Ok(Self {
            config: Arc::new(config),
            server_name: tls.server_name.clone(),
            witness,
            required: (protocol == ALPN_H2).then_some(ALPN_H2),
        })
    }

    /// Begins TLS on a new connection. The fault is that of its first message.
    pub fn session(&self) -> Result<Session, Fault> {
        UnbufferedClientConnection::new(Arc::clone(&self.config), self.server_name.clone())
            .map(Session::new)
            .map_err(|error| faults::handshake(&error))
    }

    /// Counts a complete handshake. The fault is that the required protocol was not negotiated.
    pub fn admit(&self, session: &Session, handshakes: &mut Handshakes) -> Result<(), Fault> {
        let common = session.common();
        handshakes.count += 1;
        handshakes.resumed += u64::from(common.handshake_kind() == Some(HandshakeKind::Resumed));
        let version = common.protocol_version().and_then(|it| it.as_str());
        let suite = common
            .negotiated_cipher_suite()
            .and_then(|it| it.suite().as_str());
        handshakes.parameters = Some((version.unwrap_or("unknown"), suite.unwrap_or("unknown")));
        if self.required.is_some() && common.alpn_protocol() != self.required {
            return Err(Fault::new(Failure::HandshakeFailed, faults::NO_HTTP2));
        }
        Ok(())
    }

    /// Counts a handshake of QUIC, which is always TLS 1.3 and does not expose its cipher suite.
    pub fn note_quic(&self, handshakes: &mut Handshakes) {
        handshakes.count += 1;
        handshakes.resumed = handshakes.count.saturating_sub(self.witness.verified());
        handshakes.parameters = Some(("TLSv1_3", "unknown"));
    }
}

impl Handshakes {
    /// Adds the handshakes of another worker.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.resumed += other.resumed;
        self.parameters = other.parameters.or(self.parameters);
    }
}

fn versions(version: Option<Version>) -> &'static [&'static SupportedProtocolVersion] {
    const ONLY_12: [&SupportedProtocolVersion; 1] = [&TLS12];
    const ONLY_13: [&SupportedProtocolVersion; 1] = [&TLS13];
    const BOTH: [&SupportedProtocolVersion; 2] = [&TLS13, &TLS12];
    match version {
        Some(Version::Tls12) => &ONLY_12,
        Some(Version::Tls13) => &ONLY_13,
        None => &BOTH,
    }
}
