//! TLS by rustls, without input or output: sealed bytes go in and plain ones come out, and back.

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
use crate::job::{self, TransportKind};

pub use faults::handshake as handshake_fault;
pub use identity::Identity;
pub use session::{MOST_KEPT, Session};
pub use trust::{Trust, roots_of_file, roots_of_system};
pub use witness::Witness;

/// What all connections of one worker share; workers share nothing, so that no lock is contended.
pub struct Client {
    pub config: Arc<ClientConfig>,
    pub server_name: ServerName<'static>,
    pub witness: Arc<Witness>,
    /// The protocol that has to come out of the negotiation, whatever else the server offers.
    required: Option<&'static [u8]>,
}

/// What came out of the handshakes of all connections there have been.
#[derive(Clone, Debug, Default)]
pub struct Handshakes {
    pub count: u64,
    pub resumed: u64,
    /// Version and cipher suite of the last one.
    pub parameters: Option<(&'static str, &'static str)>,
}

/// The one implementation of cryptography: ring.
pub fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

impl Client {
    /// `connections` bounds how many tickets for resumption are kept.
    pub fn new(
        tls: &job::Tls,
        transport: TransportKind,
        connections: usize,
    ) -> Result<Self, rustls::Error> {
        let protocol = protocol(transport);
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
            required: (protocol == H2).then_some(H2),
        })
    }

    /// Begins TLS on a fresh connection.
    pub fn session(&self) -> Result<Session, Fault> {
        UnbufferedClientConnection::new(Arc::clone(&self.config), self.server_name.clone())
            .map(Session::new)
            .map_err(|error| faults::handshake(&error))
    }

    /// Looks at a handshake that is complete.
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

    /// Notes a handshake within QUIC, which is always TLS 1.3 and keeps its cipher suite to itself.
    pub fn note_quic(&self, handshakes: &mut Handshakes) {
        handshakes.count += 1;
        handshakes.resumed = handshakes.count.saturating_sub(self.witness.verified());
        handshakes.parameters = Some(("TLSv1_3", "unknown"));
    }
}

impl Handshakes {
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.resumed += other.resumed;
        self.parameters = other.parameters.or(self.parameters);
    }
}

const H2: &[u8] = b"h2";
const H3: &[u8] = b"h3";
const HTTP1: &[u8] = b"http/1.1";

/// What is asked for in the negotiation of the protocol (ALPN).
fn protocol(transport: TransportKind) -> &'static [u8] {
    match transport {
        TransportKind::Http1 | TransportKind::Websocket => HTTP1,
        TransportKind::Http2 | TransportKind::Grpc => H2,
        TransportKind::Http3 => H3,
    }
}

fn versions(version: Option<job::TlsVersion>) -> &'static [&'static SupportedProtocolVersion] {
    const ONLY_12: [&SupportedProtocolVersion; 1] = [&TLS12];
    const ONLY_13: [&SupportedProtocolVersion; 1] = [&TLS13];
    const BOTH: [&SupportedProtocolVersion; 2] = [&TLS13, &TLS12];
    match version {
        Some(job::TlsVersion::Tls12) => &ONLY_12,
        Some(job::TlsVersion::Tls13) => &ONLY_13,
        None => &BOTH,
    }
}
