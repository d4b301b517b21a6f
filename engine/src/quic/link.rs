//! One QUIC connection of the client and its socket.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Endpoint, EndpointConfig, Event,
    VarInt,
};
use quinn_udp::RecvMeta;

use super::READINGS;
use super::faults::{self, BeginError};
use super::socket::{RETRY, Socket, datagrams};
use super::streams::Streams;
use crate::failure::Fault;
use crate::system::tcp::TcpCounters;
use crate::tls::Witness;
use crate::transport::http3::error;

/// A QUIC connection with its own UDP socket.
pub struct Link {
    socket: Socket,
    address: SocketAddr,
    endpoint: Endpoint,
    handle: ConnectionHandle,
    connection: Connection,
    streams: Streams,
    witness: Arc<Witness>,
    /// The last reading.
    arrivals: [RecvMeta; READINGS],
    is_established: bool,
    fault: Option<Fault>,
}

impl Link {
    /// Starts to connect, from a local address if one is given.
    pub fn new(
        endpoint: Arc<EndpointConfig>,
        config: ClientConfig,
        (address, source): (SocketAddr, Option<IpAddr>),
        server_name: &str,
        witness: Arc<Witness>,
        streams: u32,
    ) -> Result<Self, BeginError> {
        let any: IpAddr = match address {
            SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
        };
        let socket = UdpSocket::bind((source.unwrap_or(any), 0))?;
        socket.connect(address)?;
        let socket = Socket::new(socket)?;
        let mut endpoint = Endpoint::new(endpoint, None, socket.keeps_whole(), None);
        let now = Instant::now();
        let (handle, connection) = endpoint.connect(now, config, address, server_name)?;
        Ok(Self {
            socket,
            address,
            endpoint,
            handle,
            connection,
            streams: Streams::new(streams),
            witness,
            arrivals: [RecvMeta::default(); READINGS],
            is_established: false,
            fault: None,
        })
    }

    /// The socket.
    pub fn socket(&self) -> &UdpSocket {
        &self.socket.socket
    }

    /// Whether it has ever been established.
    pub fn is_established(&self) -> bool {
        self.is_established
    }

    /// The fault of a lost connection.
    pub fn fault(&self) -> Option<Fault> {
        self.fault
    }

    /// Reads available datagrams into `scratch`; returns the number of arrivals to `receive`, at
    /// most `READINGS`.
    pub fn read(&mut self, scratch: &mut [u8]) -> usize {
        let read = self.socket.receive(scratch, &mut self.arrivals);
        read.unwrap_or_else(|error| {
            self.fault = Some(faults::socket(&error, self.is_established));
            0
        })
    }

    /// Handles an arrival of the last reading; returns its number of bytes, and when the kernel
    /// received it, in nanoseconds since 1970, if it says so.
    pub fn receive(&mut self, number: usize, scratch: &[u8]) -> (u64, Option<u64>) {
        let now = Instant::now();
        let arrival = self.arrivals[number];
        let (endpoint, connection) = (&mut self.endpoint, &mut self.connection);
        datagrams(number, &arrival, scratch, |ecn, datagram| {
            let mut answer = Vec::new();
            let event = endpoint.handle(now, self.address, None, ecn, datagram, &mut answer);
            if let Some(DatagramEvent::ConnectionEvent(_, event)) = event {
                connection.handle_event(event);
            }
        });
        self.follow();
        let stamp_ns = arrival.timestamp.map(|stamp| stamp.as_nanos() as u64);
        (arrival.len as u64, stamp_ns)
    }

    /// Handles the events after datagrams or timers.
    fn follow(&mut self) {
        while let Some(event) = self.connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(self.handle, event) {
                self.connection.handle_event(event);
            }
        }
        while let Some(event) = self.connection.poll() {
            match event {
                Event::Connected => {
                    self.is_established = true;
                    self.streams.begin(&mut self.connection);
                }
                Event::ConnectionLost { reason } => {
                    let refused = self.witness.refused();
                    self.fault = Some(faults::lost(&reason, self.is_established, refused));
                }
                Event::Stream(event) => self.streams.note(&mut self.connection, event),
                _ => {}
            }
        }
    }

    /// Writes the bytes received on streams to the front of `row`; returns the length.
    pub fn take(&mut self, row: &mut [u8]) -> usize {
        self.streams.take(&mut self.connection, row)
    }

    /// Sends a row of pieces as soon as flow control allows. The row may also close the connection
    /// with an error.
    pub fn send(&mut self, row: &[u8]) {
        self.streams.send(&mut self.connection, row);
    }

    /// Sends as many packets as the kernel accepts; returns the number of bytes.
    pub fn transmit(&mut self) -> u64 {
        let sent = self.socket.transmit(&mut self.connection);
        sent.unwrap_or_else(|error| {
            self.fault = Some(faults::socket(&error, self.is_established));
            0
        })
    }

    /// Handles expired timers. False if there was none.
    pub fn expire(&mut self, now: Instant) -> bool {
        let is_due = self.connection.poll_timeout().is_some_and(|at| at <= now);
        if is_due {
            self.connection.handle_timeout(now);
            self.follow();
        }
        let is_in_vain = self.streams.patience_ends().is_some_and(|at| at <= now);
        if is_in_vain {
            self.streams.tell_again(now);
        }
        is_due || is_in_vain || self.socket.is_blocked() || self.fault.is_some()
    }

    /// The next timer for `expire`.
    pub fn wake_at(&mut self) -> Option<Instant> {
        if self.fault.is_some() {
            return Some(Instant::now());
        }
        let retry = self.socket.is_blocked().then(|| Instant::now() + RETRY);
        let patience_ends = self.streams.patience_ends();
        let times = [self.connection.poll_timeout(), retry, patience_ends];
        times.into_iter().flatten().min()
    }

    /// Closes the connection, normally unless it is closed already; returns the number of bytes
    /// sent.
    pub fn close(&mut self) -> u64 {
        let reason = VarInt::from_u32(error::NO_ERROR);
        self.connection.close(Instant::now(), reason, Bytes::new());
        self.transmit()
    }

    /// The counters over its lifetime; datagrams count as segments.
    pub fn counters(&self) -> TcpCounters {
        let stats = self.connection.stats();
        TcpCounters {
            sent: stats.udp_tx.bytes,
            received: stats.udp_rx.bytes,
            segments_out: stats.udp_tx.datagrams,
            segments_in: stats.udp_rx.datagrams,
            retransmitted: stats.path.lost_packets,
        }
    }
}
