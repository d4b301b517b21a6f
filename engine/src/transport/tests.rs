//! What any server may send to any transport: conversations, damaged at random. Nothing may
//! panic, run for ever, or leave a call behind.

use super::grpc::Grpc;
use super::http1::{Http1, Http1With};
use super::http2::{Http2, Plain};
use super::http3::Http3;
use super::http3::piece::{Kind, Piece};
use super::rpc::{Connect, GrpcWeb};
use super::websocket::Websocket;
use super::*;
use crate::fuzzing::{allowed, converse};
use crate::job::{ItemKind, Stream, TransportKind, example};
use crate::random::Random;

const ROUNDS: usize = 20_000;
const CALLS: u32 = 3;

fn endpoint() -> Endpoint {
    example::endpoint(TransportKind::Http1)
}

const CONNECTIONS: Connections = example::connections(CALLS);

/// Damages a transcript: flips, drops, doubles or cuts.
fn damage(random: &mut Random, transcript: &[u8]) -> Vec<u8> {
    let mut bytes = transcript.to_vec();
    for _ in 0..random.below(4) {
        if bytes.is_empty() {
            break;
        }
        let position = random.below(bytes.len());
        match random.below(5) {
            0 => bytes[position] ^= 1 << random.below(8),
            1 => bytes[position] = random.next() as u8,
            2 => {
                bytes.remove(position);
            }
            3 => {
                let end = (position + random.below(40)).min(bytes.len());
                let piece = bytes[position..end].to_vec();
                bytes.splice(position..position, piece);
            }
            _ => bytes.truncate(position),
        }
    }
    bytes
}

/// Feeds damaged transcripts in random pieces; `transcript` may depend on what has been sent.
fn torment<C: Codec>(transcript: impl Fn(&[u8]) -> Vec<u8>) {
    torment_stream::<C>(None, |_| Vec::new(), transcript);
}

/// The same with a requested stream, and after a beginning that stays as it is.
fn torment_stream<C: Codec>(
    stream: Option<Stream>,
    beginning: impl Fn(&[u8]) -> Vec<u8>,
    transcript: impl Fn(&[u8]) -> Vec<u8>,
) {
    let request = Request {
        method: "POST".into(),
        path: "/".into(),
        headers: vec![],
        body: b"hello".to_vec(),
        binary: false,
        stream,
        ..Request::default()
    };
    let script = C::script(&endpoint(), &CONNECTIONS, &[request]);
    let mut codec = C::new(CALLS, 1);
    let mut random = Random::new(42);
    let mut replies = 0;
    for _ in 0..ROUNDS {
        let mut out = Vec::new();
        codec.open(&script, &mut out);
        let bytes = damage(&mut random, &transcript(&out));
        let beginning = beginning(&out);
        replies += converse(
            &mut codec,
            &script,
            &beginning,
            &bytes,
            &mut random,
            &mut out,
        );
        while codec.take_call().is_some() {}
        assert!(codec.is_idle());
    }
    assert!(
        replies > ROUNDS / 10,
        "hardly anything came through: {replies}"
    );
}

#[test]
fn http1_survives() {
    let answers: [&[u8]; 3] = [
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 No\r\nConnection: close\r\n\r\nhello",
    ];
    for answer in answers {
        torment::<Http1>(|_| answer.to_vec());
    }
}

#[test]
fn streams_survive() {
    let events = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
        9\r\ndata: 1\n\n\r\n8\r\n: x\r\n\r\nd\r\n8\r\nata: 2\r\r\r\n0\r\n\r\n";
    for items in [ItemKind::Events, ItemKind::Lines, ItemKind::Chunks] {
        let stream = Stream {
            items,
            ..Stream::default()
        };
        let nothing = |_: &[u8]| Vec::new();
        torment_stream::<Http1>(Some(stream.clone()), nothing, |_| events.to_vec());
        torment_stream::<Http2<Plain>>(Some(stream.clone()), nothing, http2_transcript);
        torment_stream::<Http3>(Some(stream), nothing, http3_transcript);
    }
    let in_turn = Stream {
        send: 3,
        in_turn: true,
        ..Stream::default()
    };
    torment_stream::<Grpc>(Some(in_turn), |_| Vec::new(), http2_transcript);
}

#[test]
fn grpc_web_and_connect_survive() {
    let body = "\0\0\0\0\x05hello";
    let trailers = "grpc-status:0\r\ngrpc-message:x\r\n";
    let answer = |content: &str, body: &[u8]| {
        let length = body.len();
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: {content}\r\nContent-Length: {length}\r\n\r\n"
        );
        [head.as_bytes(), body].concat()
    };
    let length = [0x80, 0, 0, 0, trailers.len() as u8];
    let body = [body.as_bytes(), &length, trailers.as_bytes()].concat();
    torment::<Http1With<GrpcWeb>>(|_| answer("application/grpc-web", &body));
    torment::<Http1With<Connect>>(|_| answer("application/proto", b"hello"));
}

/// Frames of three answers with padding, continuations, trailers and compressed fields.
fn http2_transcript(_sent: &[u8]) -> Vec<u8> {
    let frame = |kind: u8, flags: u8, stream: u8, payload: &[u8]| {
        let head = [0, 0, payload.len() as u8, kind, flags, 0, 0, 0, stream];
        [&head, payload].concat()
    };
    let content_type = b"\x88\x5f\x10application/grpc";
    let status = b"\x40\x0bgrpc-status\x010";
    [
        frame(4, 0, 0, &[0, 3, 0, 0, 0, 100, 0, 4, 0, 0, 255, 255]),
        frame(4, 1, 0, &[]),
        frame(1, 4, 1, content_type),
        frame(0, 0, 1, &[0, 0, 0, 0, 2, 8, 1]),
        frame(1, 5, 1, status),
        frame(6, 0, 0, b"12345678"),
        frame(1, 0, 3, &content_type[..5]),
        frame(9, 4, 3, &content_type[5..]),
        frame(0, 8, 3, &[2, 0, 0, 0, 0, 1, 9, 0, 0]),
        frame(8, 0, 0, &[0, 0, 1, 0]),
        frame(1, 5, 3, &[0xbe]),
        frame(3, 0, 5, &[0, 0, 0, 8]),
        frame(7, 0, 0, &[0, 0, 0, 5, 0, 0, 0, 0]),
    ]
    .concat()
}

#[test]
fn http2_and_grpc_survive() {
    torment::<Http2<Plain>>(http2_transcript);
    torment::<Grpc>(http2_transcript);
}

/// Two answers in pieces, the second with an unknown frame, between them the server's
/// control stream; a third stream is reset, and the server goes away.
fn http3_transcript(_sent: &[u8]) -> Vec<u8> {
    let head = b"\x01\x06\0\0\xd9\x54\x015";
    let control = b"\0\x04\0\x07\x01\x0c";
    let pieces = [
        (0, Kind::Part, &head[..]),
        (3, Kind::Part, &control[..]),
        (0, Kind::Part, b"\0\x05he"),
        (4, Kind::Part, &head[..3]),
        (0, Kind::Last, b"llo"),
        (4, Kind::Part, &head[3..]),
        (4, Kind::Last, b"\x21\x03abc\0\x05hello"),
        (8, Kind::Reset, b"\x02\x01\0\0\0\0\0\0"),
    ];
    let mut row = allowed(CALLS);
    for (stream, kind, bytes) in pieces {
        let piece = Piece {
            stream,
            kind,
            bytes,
        };
        piece.write(&mut row);
    }
    row
}

#[test]
fn http3_survives() {
    torment::<Http3>(http3_transcript);
}

#[test]
fn websocket_survives() {
    let frames = b"\x81\x05hello\x01\x03hel\x89\x02hi\x80\x02lo\x82\x7e\x00\x05hello\x88\x00";
    let handshake = |sent: &[u8]| {
        let head = String::from_utf8_lossy(sent);
        let key = head.split("Sec-WebSocket-Key: ").nth(1).unwrap_or_default();
        let accept = super::websocket::accept(key.trim());
        format!(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Accept: {accept}\r\n\r\n"
        )
        .into_bytes()
    };
    torment_stream::<Websocket>(None, handshake, |_| frames.to_vec());
}
