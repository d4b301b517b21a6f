//! The job: what the engine is to do, as values that have been checked.

#[cfg(test)]
pub mod example;
mod load;
mod read;
mod requests;
mod section;
mod stream;
mod tls;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use rustls::pki_types::ServerName;

use crate::arrival::Arrival;
use crate::precision::Precision;
use crate::tls::Trust;
use crate::wait::Wait;

pub use read::{from_command_line, load, parse};

/// A job that makes sense.
#[derive(Clone, Debug)]
pub struct Job {
    pub target: Target,
    pub connections: Connections,
    pub pacer: PacerKind,
    pub wait: Wait,
    pub arrival: Arrival,
    pub warm_up: WarmUp,
    pub stop: StopRule,
    pub order: Order,
    pub requests: Vec<Request>,
    pub transactions: Vec<Transaction>,
    /// One worker on each; none given: one worker, wherever the kernel puts it.
    pub cpus: Vec<usize>,
    /// Let no other program have those CPUs while the engine wants them, as far as it may.
    pub real_time: bool,
    /// Wait for "go" on standard input between warm-up and window.
    pub handshake: bool,
    /// The folder for result and samples; none: the result is only handed back.
    pub output: Option<PathBuf>,
    pub samples: bool,
    pub seed: u64,
}

impl Job {
    /// Whether any reply is a stream of items.
    pub fn has_streams(&self) -> bool {
        self.requests.iter().any(|request| request.stream.is_some())
    }
}

/// Where the load goes, and in which protocol.
#[derive(Clone, Debug)]
pub struct Target {
    pub transport: TransportKind,
    /// What is spoken over HTTP; absent: nothing but HTTP.
    pub rpc: Option<Rpc>,
    pub address: SocketAddr,
    /// Where else the name leads, if nothing answers there.
    pub other_addresses: Vec<SocketAddr>,
    /// The name of the server as requests give it (`Host`, `:authority`).
    pub authority: String,
    /// The path of the opening handshake, where the protocol has one.
    pub path: String,
    /// Headers of every request, or of the handshake.
    pub headers: Vec<Header>,
    /// What is sent once on each WebSocket, for the messages that the server sends from then on.
    pub subscribe: Option<Message>,
    /// The encodings of bodies, or of gRPC's messages, that are asked for, as the header gives them.
    pub accept_encoding: Option<String>,
    /// Absent: clear text.
    pub tls: Option<Tls>,
}

/// How connections are secured.
#[derive(Clone, Debug)]
pub struct Tls {
    pub trust: Trust,
    /// The name that the server's certificate must be for, and that it is asked for (SNI).
    pub server_name: ServerName<'static>,
    /// The only version to offer; absent: 1.3 and 1.2.
    pub version: Option<TlsVersion>,
    /// Later connections take up the session of earlier ones, if the server lets them.
    pub resumption: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlsVersion {
    Tls12,
    Tls13,
}

pub type Header = (String, String);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransportKind {
    Http1,
    Http2,
    Grpc,
    Websocket,
    Http3,
}

impl TransportKind {
    /// As people write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Http1 => "HTTP/1.1",
            Self::Http2 => "HTTP/2",
            Self::Grpc => "gRPC",
            Self::Websocket => "WebSocket",
            Self::Http3 => "HTTP/3",
        }
    }
}

/// Unary calls as plain HTTP requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rpc {
    GrpcWeb,
    GrpcWebText,
    Connect,
}

impl Rpc {
    /// As people write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::GrpcWeb => "gRPC-Web",
            Self::GrpcWebText => "gRPC-Web in base64",
            Self::Connect => "Connect",
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Connections {
    pub count: u32,
    pub streams_per_connection: u32,
    /// Keep connections open; otherwise each request has a fresh one.
    pub reuse: bool,
    pub connect_timeout_ms: u64,
    pub request_timeout_ms: u64,
}

#[derive(Clone, Debug)]
pub enum PacerKind {
    Closed {
        clients: u32,
        think_time_us: u64,
        transactions_per_client: Option<u64>,
    },
    Constant {
        rate_per_s: f64,
    },
    Poisson {
        rate_per_s: f64,
        seed: u64,
    },
    /// From one rate to another in so much time; then the other one stays.
    Ramp {
        from_per_s: f64,
        to_per_s: f64,
        duration_s: f64,
    },
    /// Constant rates from one to another, each for the same time; then the last one stays.
    Staircase {
        from_per_s: f64,
        to_per_s: f64,
        steps: u32,
        step_s: f64,
    },
    /// The times themselves, ascending from the start.
    Replay {
        times_ns: Arc<[u64]>,
    },
}

impl PacerKind {
    /// The same load without a limit for each client, as the warm-up needs it.
    pub fn without_limit(&self) -> Self {
        match *self {
            Self::Closed {
                clients,
                think_time_us,
                ..
            } => Self::Closed {
                clients,
                think_time_us,
                transactions_per_client: None,
            },
            _ => self.clone(),
        }
    }

    /// Whether transactions are due at times that do not depend on the server.
    pub fn is_open(&self) -> bool {
        !matches!(self, Self::Closed { .. })
    }

    /// The one rate that an open load offers, if it is one.
    pub fn offered_rate_per_s(&self) -> Option<f64> {
        match *self {
            Self::Constant { rate_per_s } | Self::Poisson { rate_per_s, .. } => Some(rate_per_s),
            _ => None,
        }
    }
}

/// Both must be reached before the window begins.
#[derive(Clone, Copy, Debug, Default)]
pub struct WarmUp {
    pub transactions: u64,
    pub seconds: f64,
}

/// The first one reached ends the window; at least one is given.
#[derive(Clone, Copy, Debug, Default)]
pub struct StopRule {
    pub transactions: Option<u64>,
    pub seconds: Option<f64>,
    /// Ends it earlier, when a figure is known well enough.
    pub precision: Option<Precision>,
}

/// Which transaction comes next.
#[derive(Clone, Copy, Debug, Default)]
pub enum Order {
    /// As listed, again and again.
    #[default]
    Cycle,
    /// Every pass over the list in another random order.
    Shuffle { seed: u64 },
}

#[derive(Clone, Debug, Default)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub headers: Vec<Header>,
    pub body: Vec<u8>,
    /// A WebSocket message of bytes instead of text.
    pub binary: bool,
    /// The reply is a stream of items; absent: it is one.
    pub stream: Option<Stream>,
    /// The time for the reply, in place of the connections' time-out; gRPC tells it to the server.
    pub deadline_ms: Option<u64>,
    pub expect: Expectation,
}

/// How a streamed request is sent, and what of its reply is counted.
#[derive(Clone, Debug)]
pub struct Stream {
    pub items: ItemKind,
    /// How many times the body is sent as a message.
    pub send: u32,
    /// The next message is sent when an item has come for the last one.
    pub in_turn: bool,
    /// The reply is complete with so many items, whatever the server would still send.
    pub until_items: Option<u32>,
    /// The reply is complete after this time, however many items have come.
    pub until_ms: Option<u64>,
}

impl Default for Stream {
    fn default() -> Self {
        Self {
            items: ItemKind::Messages,
            send: 1,
            in_turn: false,
            until_items: None,
            until_ms: None,
        }
    }
}

/// What an item of a streamed reply is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// Of gRPC or WebSocket.
    Messages,
    /// Server-sent events that carry data.
    Events,
    /// Lines that are not empty.
    Lines,
    /// Chunks of HTTP/1.1, frames of HTTP/2: whatever the server sent in one piece.
    Chunks,
}

/// A message, as it is.
#[derive(Clone, Debug)]
pub struct Message {
    pub body: Vec<u8>,
    pub binary: bool,
}

/// What a reply must be like; what is absent is not looked at.
#[derive(Clone, Debug, Default)]
pub struct Expectation {
    /// Absent: the protocol's ordinary success (2xx, gRPC status 0).
    pub status: Option<u16>,
    pub body_xxh3: Option<u64>,
    pub body_length: Option<u64>,
    pub must_not_contain: Vec<String>,
    /// How many items a stream brings.
    pub items: Option<u32>,
}

/// One logical operation: rounds of requests, parallel inside a round.
#[derive(Clone, Debug)]
pub struct Transaction {
    pub operation: String,
    pub parameter_set: u32,
    /// Indices into the job's requests.
    pub rounds: Vec<Vec<u32>>,
}

#[cfg(test)]
mod tests;
