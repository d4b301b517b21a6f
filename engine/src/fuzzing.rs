//! Feeds arbitrary bytes to every parser, as from a server or a user. For the fuzzer (see
//! `engine/fuzz`) and for tests; nothing here is part of the program.
//!
//! No input may cause a panic, an endless loop, or a call without an end.

mod connection;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde_json::{Value, json};

use crate::allowance::{DECODED, WHOLE};
use crate::capture::Pointer;
use crate::decoding::Decoder;
use crate::encoding::Encoding;
use crate::job::{self, ItemKind, Stream, Target as JobTarget, command};
use crate::random::Random;
use crate::transport::grpc::Grpc;
use crate::transport::http1::{Http1, Http1With};
use crate::transport::http2::{Http2, Plain, hpack};
use crate::transport::http3::Http3;
use crate::transport::http3::piece::{Kind, Piece};
use crate::transport::rpc::{Connect, GrpcWeb};
use crate::transport::websocket::{self, Websocket};
use crate::transport::{Arrival, Bulk, Codec, ItemReader, Items, Look, Start, Step};

pub use connection::connection;

const CALLS: u32 = 3;

/// A function that feeds a parser.
pub type Target = fn(&[u8]);

/// Every parser by the name of its fuzz target.
pub const TARGETS: [(&str, Target); 17] = [
    ("http1", http1),
    ("chunked", chunked),
    ("http2", http2),
    ("hpack", hpack),
    ("http3", http3),
    ("grpc", grpc),
    ("grpc_web", grpc_web),
    ("connect", connect),
    ("websocket", websocket),
    ("items", items),
    ("events", events),
    ("grpc_stream", grpc_stream),
    ("websocket_push", websocket_push),
    ("encoding", encoding),
    ("job", job_file),
    ("command", command_line),
    ("connection", connection),
];

/// HTTP/1.1 responses.
pub fn http1(data: &[u8]) {
    listen::<Http1>("http1", data, |_| Vec::new());
}

/// The chunks of a body after a valid head.
pub fn chunked(data: &[u8]) {
    listen::<Http1>("http1", data, |_| {
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec()
    });
}

/// HTTP/2 frames after the server's settings.
pub fn http2(data: &[u8]) {
    listen::<Http2<Plain>>("http2", data, |_| SETTINGS.to_vec());
}

/// HTTP/2 frames with gRPC messages and statuses.
pub fn grpc(data: &[u8]) {
    listen::<Grpc>("grpc", data, |_| SETTINGS.to_vec());
}

/// gRPC-Web messages and trailers.
pub fn grpc_web(data: &[u8]) {
    let head = head_for(data, "200 OK", "application/grpc-web");
    listen::<Http1With<GrpcWeb>>("http1", data, |_| head.clone());
}

/// Connect errors.
pub fn connect(data: &[u8]) {
    let head = head_for(data, "404 Not Found", "application/json");
    listen::<Http1With<Connect>>("http1", data, |_| head.clone());
}

/// The head of a reply whose body is everything after the first byte.
fn head_for(data: &[u8], status: &str, content: &str) -> Vec<u8> {
    let length = data.len().saturating_sub(1);
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {content}\r\nGrpc-Encoding: gzip\r\n\
         Content-Length: {length}\r\n\r\n"
    )
    .into_bytes()
}

/// Streams of items, which must be the same however the bytes are split into pieces.
pub fn items(data: &[u8]) {
    let Some((&seed, data)) = data.split_first() else {
        return;
    };
    let kinds = [ItemKind::Messages, ItemKind::Events, ItemKind::Lines];
    let stream = Stream {
        items: kinds[usize::from(seed) % kinds.len()],
        until_items: (seed > 127).then_some(3),
        pointer: (seed % 16 == 0)
            .then(|| Arc::new(Pointer::parse("/a").unwrap_or_else(|| unreachable!("a pointer")))),
        ..Stream::default()
    };
    let whole = read_items(&stream, data, |left| left);
    let mut random = Random::new(seed.into());
    let pieces = read_items(&stream, data, |left| 1 + random.below(left));
    assert_eq!(whole, pieces);
}

/// The items in `data`, split into pieces whose lengths `piece` returns; and the body.
fn read_items(
    stream: &Stream,
    data: &[u8],
    mut piece: impl FnMut(usize) -> usize,
) -> Option<(Items, Vec<u8>)> {
    let mut reader = ItemReader::new(Some(stream));
    let (mut body, look) = (Bulk::default(), Look::for_texts(&[], data.len()));
    let mut rest = data;
    let mut is_enough = false;
    while !rest.is_empty() && !is_enough {
        let (bytes, remaining) = rest.split_at(piece(rest.len()));
        rest = remaining;
        is_enough = reader
            .read(bytes, &mut Arrival::at(7), &mut body, &look)
            .ok()?;
    }
    if !is_enough {
        reader.end(&mut Arrival::at(7), body.has_nothing()).ok()?;
    }
    assert!(body.len() <= data.len());
    Some((reader.items, body.to_vec()))
}

/// Server-sent events in the chunks of a body.
pub fn events(data: &[u8]) {
    listen::<Http1>("events", data, |_| {
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec()
    });
}

/// HTTP/2 frames with messages that are answered in turn.
pub fn grpc_stream(data: &[u8]) {
    listen::<Grpc>("grpc_stream", data, |_| SETTINGS.to_vec());
}

/// WebSocket frames of a subscription.
pub fn websocket_push(data: &[u8]) {
    listen::<Websocket>("websocket_push", data, websocket_handshake);
}

/// Bodies in every encoding.
pub fn encoding(data: &[u8]) {
    let Some((&choice, body)) = data.split_first() else {
        return;
    };
    let (_, encoding) = Encoding::NAMES[usize::from(choice) % Encoding::NAMES.len()];
    let look = Look::for_texts(&[], WHOLE);
    if let Ok((decoded, long)) = Decoder::default().decode(encoding, body, &look) {
        assert!(decoded.len() <= WHOLE);
        assert!(long.is_none_or(|long| long.length <= DECODED as u64));
    }
}

/// HTTP/3 stream pieces, with one stream allowed per call.
pub fn http3(data: &[u8]) {
    listen::<Http3>("http3", data, |_| allowed(CALLS));
}

/// WebSocket frames after a valid handshake.
pub fn websocket(data: &[u8]) {
    listen::<Websocket>("websocket", data, websocket_handshake);
}

/// Header blocks, one after the other on one connection, each after its length.
pub fn hpack(data: &[u8]) {
    let mut decoder = hpack::Decoder::new();
    let mut rest = data;
    while let Some((&length, behind)) = rest.split_first() {
        let (block, behind) = behind.split_at(behind.len().min(length.into()));
        rest = behind;
        if decoder.decode(block, |_, _| {}).is_none() {
            decoder.reset();
        }
    }
}

/// Job files, as text.
pub fn job_file(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data)
        && let Err(problems) = job::parse(text)
    {
        assert!(!problems.is_empty(), "rejected without a reason");
    }
}

/// Commands to an engine with three targets, as JSON text.
pub fn command_line(data: &[u8]) {
    let targets: Vec<Arc<JobTarget>> = ["http1", "grpc", "websocket"]
        .iter()
        .filter_map(|name| JOBS.get(name).cloned())
        .collect();
    if let Ok(text) = std::str::from_utf8(data)
        && let Err(problems) = command::parse(text, &targets)
    {
        assert!(!problems.is_empty(), "rejected without a reason");
    }
}

/// An empty SETTINGS frame, and the acknowledgement of the client's.
const SETTINGS: &[u8] = b"\0\0\0\x04\0\0\0\0\0\0\0\0\x04\x01\0\0\0\0";

/// Allows `calls` QUIC streams.
pub(crate) fn allowed(calls: u32) -> Vec<u8> {
    let stream = 4 * u64::from(calls);
    Piece::header(stream, Kind::Allowed, 0).to_vec()
}

/// The server's answer to the handshake in `sent`.
fn websocket_handshake(sent: &[u8]) -> Vec<u8> {
    let head = String::from_utf8_lossy(sent);
    let key = head.split("Sec-WebSocket-Key: ").nth(1).unwrap_or_default();
    let accept = websocket::accept(key.trim());
    format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {accept}\r\n\r\n"
    )
    .into_bytes()
}

/// Makes a connection read `data` after a valid beginning, which may depend on what was sent. The
/// first byte determines how it is split into pieces.
fn listen<C: Codec>(job: &str, data: &[u8], beginning: impl Fn(&[u8]) -> Vec<u8>) {
    let Some((&seed, data)) = data.split_first() else {
        return;
    };
    let Some(target) = JOBS.get(job) else {
        return;
    };
    let script = C::script(&target.endpoint, &target.connections, &target.requests);
    let mut codec = C::new(CALLS, 1);
    let mut out = Vec::new();
    codec.open(&script, &mut out);
    let beginning = beginning(&out);
    let mut random = Random::new(seed.into());
    converse(&mut codec, &script, &beginning, data, &mut random, &mut out);
    while codec.take_call().is_some() {}
    assert!(codec.is_idle());
}

/// The targets of the jobs, created once: the fuzzer calls its function very often.
static JOBS: LazyLock<BTreeMap<&str, Arc<JobTarget>>> = LazyLock::new(|| {
    let jobs = [
        ("http1", "http1", Value::Null),
        ("http2", "http2", Value::Null),
        ("http3", "http3", Value::Null),
        ("grpc", "grpc", Value::Null),
        ("websocket", "websocket", Value::Null),
        ("events", "http1", json!({ "items": "events" })),
        ("grpc_stream", "grpc", json!({ "send": 3, "in_turn": true })),
        (
            "websocket_push",
            "websocket",
            json!({ "until_items": 3, "until_texts": ["end"] }),
        ),
    ];
    let jobs = jobs.map(|(name, transport, stream)| Some((name, job_for(transport, &stream)?)));
    jobs.into_iter().flatten().collect()
});

fn job_for(transport: &str, stream: &Value) -> Option<Arc<JobTarget>> {
    // Certificates are not used here, and need not exist.
    let tls = (transport == "http3").then(|| json!({ "insecure": true }));
    let job = json!({
        "format": "wirelab-job/2",
        "targets": [{
            "name": "fuzz",
            "transport": transport,
            "address": "127.0.0.1:80",
            "tls": tls,
            "connections": {
                "count": 1,
                "streams_per_connection": if transport == "http1" { 1 } else { CALLS },
            },
            "pacer": { "kind": "closed", "clients": CALLS },
            "requests": [
                { "method": "POST", "path": "/a.B/C", "body": "aGVsbG8=", "stream": stream },
            ],
            "transactions": [{ "operation": "fuzz", "rounds": [[0]] }],
        }],
        "stop": { "transactions": 1 },
    });
    job::from_command_line(&job).ok()?.targets.pop()
}

/// Feeds `bytes` to a connection in random pieces after its beginning, with calls in flight;
/// returns the number of replies.
pub(crate) fn converse<C: Codec>(
    codec: &mut C,
    script: &C::Script,
    beginning: &[u8],
    bytes: &[u8],
    random: &mut Random,
    out: &mut Vec<u8>,
) -> usize {
    let (mut replies, mut calls, mut steps) = (0, 0, 0);
    let mut pending = Vec::new();
    let (mut piece, mut rest) = (beginning, bytes);
    while !piece.is_empty() || !rest.is_empty() {
        if piece.is_empty() {
            (piece, rest) = rest.split_at(1 + random.below(rest.len()));
        }
        pending.extend_from_slice(std::mem::take(&mut piece));
        let mut input = pending.as_slice();
        loop {
            while codec.capacity() > 0 && calls < CALLS {
                codec.start(script, Start::new(calls, 0), out);
                calls += 1;
            }
            steps += 1;
            assert!(
                steps < 2 * (beginning.len() + bytes.len()) + 100,
                "steps without end"
            );
            match codec.step(script, &mut input, &mut Arrival::at(0), out) {
                Step::NeedInput => break,
                Step::Opened | Step::Widened | Step::Closing | Step::Failed { .. } => {}
                Step::Replied { reply, .. } => {
                    replies += 1;
                    assert!(reply.body.len() <= bytes.len());
                }
                Step::Broken(_) => return replies,
            }
        }
        pending = input.to_vec();
    }
    if let Step::Replied { .. } = codec.end_of_input(script, &mut Arrival::at(0)) {
        replies += 1;
    }
    replies
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fuzzer in short: what has been found worth keeping (the seeds), damaged, and noise.
    #[test]
    fn no_parser_panics_on_any_bytes() {
        assert_eq!(JOBS.len(), 8, "a job is not accepted");
        let seeds = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds");
        for (name, target) in TARGETS {
            let mut random = Random::new(7);
            let files: Vec<Vec<u8>> = std::fs::read_dir(seeds.join(name))
                .unwrap()
                .map(|entry| std::fs::read(entry.unwrap().path()).unwrap())
                .collect();
            assert!(!files.is_empty(), "{name} has no seeds");
            files.iter().for_each(|seed| target(seed));
            for round in 0..20_000 {
                let mut bytes = files[round % files.len()].clone();
                for _ in 0..1 + random.below(6) {
                    let position = random.below(bytes.len().max(1)).min(bytes.len());
                    match random.below(4) {
                        0 => bytes.truncate(position),
                        1 => bytes.insert(position, random.next() as u8),
                        2 if position < bytes.len() => bytes[position] = random.next() as u8,
                        _ => bytes.extend((0..random.below(30)).map(|_| random.next() as u8)),
                    }
                }
                target(&bytes);
            }
        }
    }
}
