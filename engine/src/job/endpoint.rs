//! The address and the protocol of a server.

use std::net::IpAddr;

use super::Message;
use super::requests::{accept_encoding, check_text, headers, is_visible, subscription};
use super::section::Section;
use super::tls::settings;
use crate::system::Address;
use crate::tls;

/// The address of a server and its protocols.
#[derive(Clone, Debug)]
pub struct Endpoint {
    pub transport: TransportKind,
    /// The RPC protocol over HTTP; absent: plain HTTP.
    pub rpc: Option<Rpc>,
    pub address: Address,
    /// The other addresses of the name, in case nothing answers at the first.
    pub other_addresses: Vec<Address>,
    /// The local addresses, which connections take in turn; empty: the system's choice.
    pub sources: Vec<IpAddr>,
    /// The name of the server in requests (`Host`, `:authority`).
    pub authority: String,
    /// The path of the handshake, if the protocol has one.
    pub path: String,
    /// Headers of every request, or of the handshake.
    pub headers: Vec<Header>,
    /// The message that is sent once on each WebSocket, after which the server pushes messages.
    pub subscribe: Option<Message>,
    /// The number of messages that the server sends by itself on each new WebSocket.
    pub greetings: u32,
    /// The accepted encodings of bodies or of gRPC messages, as the value of the header.
    pub accept_encoding: Option<String>,
    /// Absent: clear text.
    pub tls: Option<tls::Settings>,
}

/// Name and value.
pub type Header = (String, String);

/// The protocol of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransportKind {
    Http1,
    Http2,
    Grpc,
    Websocket,
    Http3,
}

impl TransportKind {
    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Http1 => "HTTP/1.1",
            Self::Http2 => "HTTP/2",
            Self::Grpc => "gRPC",
            Self::Websocket => "WebSocket",
            Self::Http3 => "HTTP/3",
        }
    }

    /// The name of its protocol in TLS (ALPN).
    pub fn alpn(self) -> &'static [u8] {
        match self {
            Self::Http1 | Self::Websocket => tls::ALPN_HTTP1,
            Self::Http2 | Self::Grpc => tls::ALPN_H2,
            Self::Http3 => tls::ALPN_H3,
        }
    }
}

/// Unary calls as plain HTTP requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rpc {
    GrpcWeb,
    Connect,
}

impl Rpc {
    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::GrpcWeb => "gRPC-Web",
            Self::Connect => "Connect",
        }
    }
}

/// Reads the endpoint of a target; none if a part is missing or wrong.
pub fn endpoint(section: &Section) -> Option<Endpoint> {
    let transports = [
        ("http1", TransportKind::Http1),
        ("http2", TransportKind::Http2),
        ("grpc", TransportKind::Grpc),
        ("websocket", TransportKind::Websocket),
        ("http3", TransportKind::Http3),
    ];
    let transport = section.choice("transport", &transports);
    let expected = "http1, http2, http3, grpc or websocket";
    let transport = section.require("transport", transport, expected);
    let over_quic = transport == Some(TransportKind::Http3);
    let rpc = section.choice(
        "rpc",
        &[("grpc_web", Rpc::GrpcWeb), ("connect", Rpc::Connect)],
    );
    let over_http = [TransportKind::Http1, TransportKind::Http2];
    if rpc.is_some() && transport.is_some_and(|it| !over_http.contains(&it)) {
        section.problem("rpc", "given", "none, except with http1 and http2");
    }
    let address = section.require("address", section.text("address"), "host:port");
    let authority = section.text("authority").or(address);
    if let Some(authority) = authority {
        check_text(section, "authority", authority, is_visible);
    }
    let path = section.text("path").unwrap_or("/");
    check_text(section, "path", path, is_visible);
    let headers = headers(section, transport);
    let accept_encoding = accept_encoding(section, transport, rpc);
    let tls = settings(&section.section("tls"), authority, over_quic);
    let subscribe = subscription(&section.section("subscribe"), transport);
    let greetings = section.integer("greetings", 0..=1_000).unwrap_or(0);
    if greetings > 0 && transport.is_some_and(|it| it != TransportKind::Websocket) {
        section.problem("greetings", greetings, "none, except with websocket");
    }
    let sources = section.items("sources", "an IP address of this machine", |source| {
        source.as_str()?.parse().ok()
    });
    let resolved = address.map(Address::resolve).unwrap_or_default();
    let mut addresses = resolved.into_iter();
    let resolved = addresses.next();
    if let (Some(address), None) = (address, &resolved) {
        let expected = "host:port that can be resolved, or unix:path";
        section.problem("address", format!("{address:?}"), expected);
    }
    if let (Some(Address::Unix(_)), true) = (&resolved, over_quic || !sources.is_empty()) {
        let expected = "host:port with http3 or sources";
        section.problem("address", "a Unix socket", expected);
    }
    Some(Endpoint {
        transport: transport?,
        rpc,
        address: resolved?,
        other_addresses: addresses.collect(),
        sources,
        authority: authority?.into(),
        path: path.into(),
        headers,
        accept_encoding,
        tls,
        subscribe,
        greetings: greetings as u32,
    })
}
