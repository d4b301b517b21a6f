//! A null server for HTTP/3 over QUIC. Every request has the same answer, so headers are not
//! decoded.

use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, UdpSocket};
use std::sync::Arc;
use std::time::Instant;

use bytes::BytesMut;
use quinn_proto::crypto::rustls::QuicServerConfig;
use quinn_proto::{
    Connection, ConnectionHandle, DatagramEvent, EcnCodepoint, Endpoint, Event, ServerConfig,
    TransportConfig,
};
use quinn_udp::RecvMeta;

use super::tls::Identity;
use super::{EVENTS, Protocol, SIGNALS, announce};
use crate::quic::socket::{RETRY, Socket, datagrams};
use crate::quic::streams::Streams;
use crate::quic::{READINGS, SCRATCH};
use crate::system::epoll::{Epoll, Interest};
use crate::system::signals::Signals;
use crate::transport::http3::frame::{self, CONTROL, DATA, HEADERS, SETTINGS};
use crate::transport::http3::piece::{Kind, Piece};
use crate::transport::http3::qpack;

const SOCKET: u64 = 0;
/// The first unidirectional stream of a server: its control stream.
const CONTROL_STREAM: u64 = 3;
/// Streams whose number has one of these bits carry no requests.
const NO_REQUEST: u64 = 3;
/// The number of readings in a row.
const READS: usize = 16;
/// The number of concurrent requests on one connection.
const STREAMS: u32 = 1000;

/// Serves until SIGINT or SIGTERM. The error is that of the socket.
pub fn run(port: u16, body: &[u8], signals: &Signals) -> io::Result<()> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, port))
        .map_err(|error| io::Error::new(error.kind(), format!("port {port}: {error}")))?;
    let address = socket.local_addr()?;
    let identity = Identity::new(Protocol::Http3, address.port())?;
    let mut epoll = Epoll::new(EVENTS)?;
    epoll.add(&socket, SOCKET, Interest::Read)?;
    epoll.add(signals, SIGNALS, Interest::Read)?;
    let mut server = Server::new(socket, &identity, body)?;
    announce(Protocol::Http3, address, Some(&identity));
    let mut scratch = vec![0; SCRATCH];
    loop {
        for index in 0..epoll.wait(server.sleep_ns())? {
            if epoll.readiness(index).token == SIGNALS {
                return Ok(());
            }
        }
        server.receive(&mut scratch)?;
        server.wake();
        server.follow(&mut scratch);
    }
}

struct Server {
    socket: Socket,
    endpoint: Endpoint,
    clients: HashMap<ConnectionHandle, Client>,
    /// The connections with events, and those whose packets the kernel did not accept.
    touched: Vec<ConnectionHandle>,
    blocked: Vec<ConnectionHandle>,
    /// The next timer of a connection.
    wake_at: Option<Instant>,
    /// The bytes of every answer.
    answer: Vec<u8>,
    row: Vec<u8>,
}

struct Client {
    connection: Connection,
    streams: Streams,
    is_touched: bool,
}

impl Server {
    fn new(socket: UdpSocket, identity: &Identity, body: &[u8]) -> io::Result<Self> {
        let crypto = QuicServerConfig::try_from(identity.config()).map_err(io::Error::other)?;
        let mut transport = TransportConfig::default();
        transport.max_concurrent_bidi_streams(STREAMS.into());
        transport.max_idle_timeout(None);
        let mut config = ServerConfig::with_crypto(Arc::new(crypto));
        config.transport_config(Arc::new(transport));
        let socket = Socket::new(socket)?;
        let config = Some(Arc::new(config));
        Ok(Self {
            endpoint: Endpoint::new(Arc::default(), config, socket.keeps_whole(), None),
            socket,
            clients: HashMap::new(),
            touched: Vec::new(),
            blocked: Vec::new(),
            wake_at: None,
            answer: answer(body),
            row: Vec::new(),
        })
    }

    fn sleep_ns(&self) -> Option<u64> {
        let wait = self.wake_at?.saturating_duration_since(Instant::now());
        Some(wait.as_nanos() as u64)
    }

    fn receive(&mut self, scratch: &mut [u8]) -> io::Result<()> {
        let now = Instant::now();
        let (socket, endpoint) = (&self.socket, &mut self.endpoint);
        let (clients, touched) = (&mut self.clients, &mut self.touched);
        let mut arrivals = [RecvMeta::default(); READINGS];
        for _ in 0..READS {
            let count = match socket.receive(scratch, &mut arrivals) {
                // A client that has closed already.
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => return Ok(()),
                count => count?,
            };
            for (number, meta) in arrivals[..count].iter().enumerate() {
                datagrams(number, meta, scratch, |ecn, datagram| {
                    let handle = dispatch(socket, endpoint, clients, now, meta, ecn, datagram);
                    let client = handle.and_then(|it| Some((it, clients.get_mut(&it)?)));
                    if let Some((handle, client)) = client
                        && !client.is_touched
                    {
                        client.is_touched = true;
                        touched.push(handle);
                    }
                });
            }
            if count < READINGS {
                break;
            }
        }
        Ok(())
    }

    /// Marks connections whose timers have expired.
    fn wake(&mut self) {
        let now = Instant::now();
        if self.wake_at.is_none_or(|at| at > now) {
            return;
        }
        self.wake_at = None;
        self.touched.append(&mut self.blocked);
        for (&handle, client) in &mut self.clients {
            match client.connection.poll_timeout() {
                Some(at) if at <= now => {
                    client.connection.handle_timeout(now);
                    self.touched.push(handle);
                }
                at => self.wake_at = earliest(self.wake_at, at),
            }
        }
    }

    /// Handles the marked connections: events, requests, packets.
    fn follow(&mut self, scratch: &mut [u8]) {
        while let Some(handle) = self.touched.pop() {
            let Some(client) = self.clients.get_mut(&handle) else {
                continue;
            };
            client.is_touched = false;
            while let Some(event) = client.connection.poll_endpoint_events() {
                if let Some(event) = self.endpoint.handle_event(handle, event) {
                    client.connection.handle_event(event);
                }
            }
            client.serve(&self.answer, &mut self.row, scratch);
            // Undeliverable packets are ignored: the connection will time out.
            let _ = self.socket.transmit(&mut client.connection);
            let mut wake_at = client.connection.poll_timeout();
            if self.socket.is_blocked() {
                self.blocked.push(handle);
                wake_at = earliest(wake_at, Some(Instant::now() + RETRY));
            }
            self.wake_at = earliest(self.wake_at, wake_at);
            if client.connection.is_drained() {
                self.clients.remove(&handle);
            }
        }
    }
}

impl Client {
    /// Answers the requests that have arrived.
    fn serve(&mut self, answer: &[u8], row: &mut Vec<u8>, scratch: &mut [u8]) {
        let (connection, streams) = (&mut self.connection, &mut self.streams);
        row.clear();
        while let Some(event) = connection.poll() {
            match event {
                Event::Connected => {
                    streams.begin(connection);
                    greet(row);
                }
                Event::Stream(event) => streams.note(connection, event),
                _ => {}
            }
        }
        loop {
            let length = streams.take(connection, scratch);
            let mut arrived = &scratch[..length];
            while let Some(piece) = Piece::take(&mut arrived) {
                if piece.kind == Kind::Last && piece.stream & NO_REQUEST == 0 {
                    let bytes = answer;
                    Piece { bytes, ..piece }.write(row);
                }
            }
            streams.send(connection, row);
            row.clear();
            if length == 0 {
                return;
            }
        }
    }
}

/// Passes a datagram to its connection, and returns it.
fn dispatch(
    socket: &Socket,
    endpoint: &mut Endpoint,
    clients: &mut HashMap<ConnectionHandle, Client>,
    now: Instant,
    meta: &RecvMeta,
    ecn: Option<EcnCodepoint>,
    datagram: BytesMut,
) -> Option<ConnectionHandle> {
    let mut packets = Vec::new();
    let (from, to) = (meta.addr, meta.dst_ip);
    match endpoint.handle(now, from, to, ecn, datagram, &mut packets)? {
        DatagramEvent::ConnectionEvent(handle, event) => {
            clients.get_mut(&handle)?.connection.handle_event(event);
            Some(handle)
        }
        DatagramEvent::NewConnection(incoming) => {
            match endpoint.accept(incoming, now, &mut packets, None) {
                Ok((handle, connection)) => {
                    let client = Client {
                        connection,
                        streams: Streams::default(),
                        is_touched: false,
                    };
                    clients.insert(handle, client);
                    Some(handle)
                }
                Err(error) => {
                    // A packet that the kernel does not accept is lost, and the client retransmits.
                    let _ = socket.send(&error.response?, &packets);
                    None
                }
            }
        }
        DatagramEvent::Response(transmit) => {
            let _ = socket.send(&transmit, &packets);
            None
        }
    }
}

fn earliest(one: Option<Instant>, other: Option<Instant>) -> Option<Instant> {
    [one, other].into_iter().flatten().min()
}

/// Appends the server's control stream, with default settings.
fn greet(row: &mut Vec<u8>) {
    let mut bytes = Vec::new();
    frame::write_number(&mut bytes, CONTROL);
    frame::write(&mut bytes, SETTINGS, &[]);
    let greeting = Piece {
        stream: CONTROL_STREAM,
        kind: Kind::Part,
        bytes: &bytes,
    };
    greeting.write(row);
}

fn answer(body: &[u8]) -> Vec<u8> {
    let length = body.len().to_string();
    let fields = [
        (":status", "200"),
        ("content-type", "text/plain"),
        ("content-length", length.as_str()),
    ];
    let mut section = Vec::new();
    qpack::encode(&fields, &mut section);
    let mut answer = Vec::new();
    frame::write(&mut answer, HEADERS, &section);
    frame::write(&mut answer, DATA, body);
    answer
}
