//! The settings that all QUIC connections of one worker share.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use quinn_proto::crypto::rustls::QuicClientConfig;
use quinn_proto::{ClientConfig, EndpointConfig, TransportConfig};

use super::{Link, faults};
use crate::failure::Fault;
use crate::tls::{self, Witness};

/// Connections may be idle for long before the window begins.
const KEEP_ALIVE: Duration = Duration::from_secs(5);

/// Creates QUIC connections.
pub struct Client {
    endpoint: Arc<EndpointConfig>,
    config: ClientConfig,
    server_name: String,
    witness: Arc<Witness>,
    streams: u32,
}

impl Client {
    /// `streams` is the number of concurrent calls on a connection; `window` is its flow-control
    /// window in bytes. The error is that no cipher suite suits QUIC.
    pub fn new(
        tls: &tls::Client,
        streams: u32,
        window: u32,
    ) -> Result<Self, quinn_proto::crypto::rustls::NoInitialCipherSuite> {
        let crypto = QuicClientConfig::try_from(Arc::clone(&tls.config))?;
        let mut transport = TransportConfig::default();
        transport.max_idle_timeout(None);
        transport.keep_alive_interval(Some(KEEP_ALIVE));
        transport.stream_receive_window(window.into());
        transport.receive_window(window.into());
        let mut config = ClientConfig::new(Arc::new(crypto));
        config.transport_config(Arc::new(transport));
        Ok(Self {
            endpoint: Arc::default(),
            config,
            server_name: tls.server_name.to_str().into_owned(),
            witness: Arc::clone(&tls.witness),
            streams,
        })
    }

    /// Starts to connect, from a local address if one is given. The fault is that of the socket or of QUIC.
    pub fn link(&self, address: SocketAddr, source: Option<IpAddr>) -> Result<Link, Fault> {
        let (endpoint, config) = (Arc::clone(&self.endpoint), self.config.clone());
        let witness = Arc::clone(&self.witness);
        let link = Link::new(
            endpoint,
            config,
            (address, source),
            &self.server_name,
            witness,
            self.streams,
        );
        link.map_err(|error| faults::begin(&error))
    }
}
