//! Whatever servers send, the engine stays within its memory: 64 MiB, and 1 MiB for each connection.
//! What is longer than that is judged all the same, unless it must be kept whole.

use std::io::{self, Read, Write};
use std::time::Duration;

use crate::support::raw_server::{Behaviour, Transport, frame, serve};
use crate::support::{Finished, http_server, job, run_within};
use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::{Value, json};
use xxhash_rust::xxh3::Xxh3;

const LIMIT: Duration = Duration::from_secs(240);
const MIB: usize = 1 << 20;
/// More than the engine may use.
const LONG: usize = 128;

fn assert_bounded(finished: &Finished, connections: usize) {
    let memory = finished.number("engine.memory_peak_bytes");
    assert!(memory < ((64 + connections) * MIB) as f64, "{memory}");
}

/// The hash of a piece that is repeated.
fn hash_of(piece: &[u8], times: usize) -> String {
    let mut hash = Xxh3::new();
    (0..times).for_each(|_| hash.update(piece));
    format!("{:016x}", hash.digest())
}

/// One transaction, whose answer takes long.
fn patient(mut job: Value) -> Value {
    job["warm_up"] = json!({});
    job["stop"] = json!({ "transactions": 1 });
    job["connections"]["request_timeout_ms"] = json!(120_000);
    job
}

fn frame_of(opcode: u8, length: usize) -> Vec<u8> {
    [&[opcode, 127][..], &(length as u64).to_be_bytes()].concat()
}

/// Frames of HTTP/2 with these bytes.
fn data(bytes: &[u8]) -> Vec<u8> {
    let frames = bytes.chunks(16 << 10).map(|piece| frame(0, 0, 1, piece));
    frames.collect::<Vec<_>>().concat()
}

const GRPC: &[u8] = b"\x88\x5f\x10application/grpc";
const GRPC_END: &[u8] = b"\x00\x0bgrpc-status\x010";

#[test]
fn long_messages_are_judged_without_being_kept() {
    let piece = "ä".repeat(MIB / 2).into_bytes();
    let expect = json!({ "body_xxh3": hash_of(&piece, LONG), "body_length": LONG * MIB });
    let prefix = [&[0][..], &((LONG * MIB) as u32).to_be_bytes()].concat();
    let fragment = [frame_of(0, MIB), piece.clone()].concat();
    for (transport, first, piece, last) in [
        (
            Transport::Websocket,
            frame_of(0x81, LONG * MIB),
            piece.clone(),
            vec![],
        ),
        (
            Transport::Websocket,
            b"\x01\0".to_vec(),
            fragment,
            b"\x80\0".to_vec(),
        ),
        (
            Transport::Grpc,
            [frame(1, 4, 1, GRPC), frame(0, 0, 1, &prefix)].concat(),
            data(&piece),
            frame(1, 5, 1, GRPC_END),
        ),
    ] {
        eprintln!("{transport:?}");
        let pour = Behaviour::Pour(first, piece, LONG, last);
        let mut job = patient(job(
            transport.name(),
            serve(transport, move |_| pour.clone()),
        ));
        job["requests"][0]["expect"] = expect.clone();
        let finished = run_within(LIMIT, job);
        finished.assert_counts(1, json!({}));
        assert_bounded(&finished, 1);
    }
}

#[test]
fn a_mistake_within_a_long_message_is_found() {
    let xs = vec![b'x'; MIB];
    for (last, class) in [
        (&b"Traceback"[..], "forbidden_content"),
        (b"Trace\xe4\xe4ck", "invalid_utf8"),
        (b"Tracebac\xc3", "invalid_utf8"),
    ] {
        let first = frame_of(0x81, 4 * MIB + last.len());
        let pour = Behaviour::Pour(first, xs.clone(), 4, last.to_vec());
        let address = serve(Transport::Websocket, move |_| pour.clone());
        let mut job = patient(job("websocket", address));
        job["requests"][0]["expect"] = json!({ "must_not_contain": ["Traceback"] });
        run_within(LIMIT, job).assert_counts(1, json!({ class: 1 }));
    }
}

#[test]
fn streams_are_judged_without_being_kept() {
    let mut item = vec![b'x'; MIB];
    item[MIB - 1] = b'\n';
    let prefix = [&[0][..], &(MIB as u32).to_be_bytes()].concat();
    let length = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", LONG * MIB);
    for (transport, stream, first, piece, last) in [
        (
            Transport::Http1,
            json!({ "items": "lines" }),
            length.into_bytes(),
            item.clone(),
            vec![],
        ),
        (
            Transport::Websocket,
            json!({ "until_items": LONG }),
            vec![],
            [frame_of(0x82, MIB), item.clone()].concat(),
            vec![],
        ),
        (
            Transport::Grpc,
            json!({}),
            frame(1, 4, 1, GRPC),
            [frame(0, 0, 1, &prefix), data(&item)].concat(),
            frame(1, 5, 1, GRPC_END),
        ),
    ] {
        eprintln!("{transport:?}");
        let pour = Behaviour::Pour(first, piece, LONG, last);
        let mut job = patient(job(
            transport.name(),
            serve(transport, move |_| pour.clone()),
        ));
        job["requests"][0]["stream"] = stream;
        job["requests"][0]["expect"] = json!({ "body_xxh3": hash_of(&item, LONG), "items": LONG });
        let finished = run_within(LIMIT, job);
        finished.assert_counts(1, json!({}));
        assert_eq!(finished.samples()[0].payload_bytes, (LONG * MIB) as u64);
        assert_bounded(&finished, 1);
    }
}

/// What is compressed must be kept until it has ended, and messages of gRPC-Web must be, too.
#[test]
fn messages_that_must_be_kept_have_their_share_of_the_memory() {
    const CLIENTS: usize = 16;
    const GZIP: &[u8] =
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n";
    const WEB: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: application/grpc-web+proto\r\n\
        Transfer-Encoding: chunked\r\n\r\n";
    let chunk = [b"100000\r\n", vec![b'x'; MIB].as_slice(), b"\r\n"].concat();
    let compressed = [
        frame(1, 4, 1, GRPC),
        frame(0, 0, 1, b"\x01\xff\xff\xff\xff"),
    ]
    .concat();
    let compressed: &'static [u8] = Box::leak(compressed.into());
    let frames = data(&vec![b'x'; MIB]);
    for (transport, rpc, flood) in [
        (
            Transport::Http1,
            Value::Null,
            Behaviour::Flood(GZIP, chunk.clone()),
        ),
        (
            Transport::Http1,
            json!("grpc_web"),
            Behaviour::Flood(WEB, chunk),
        ),
        (
            Transport::Grpc,
            Value::Null,
            Behaviour::Flood(compressed, frames),
        ),
    ] {
        eprintln!("{transport:?} {rpc}");
        let mut job = patient(job(
            transport.name(),
            serve(transport, move |_| flood.clone()),
        ));
        job["target"]["rpc"] = rpc;
        job["connections"]["count"] = json!(CLIENTS);
        job["pacer"]["clients"] = json!(CLIENTS);
        // On a connection of HTTP/2 the flood continues, for a stream that has ended.
        job["connections"]["reuse"] = json!(false);
        job["stop"] = json!({ "transactions": 2 * CLIENTS });
        let finished = run_within(LIMIT, job);
        finished.assert_counts(2 * CLIENTS as u64, json!({ "oversized": 2 * CLIENTS }));
        assert_bounded(&finished, CLIENTS);
    }
}

/// So many zeros in an encoding, compressed as quickly as may be.
fn zeros(encoding: &str, mib: usize) -> Vec<u8> {
    let mut zeros = io::repeat(0).take((mib * MIB) as u64);
    let fast = Compression::fast();
    match encoding {
        "gzip" => {
            let mut encoder = GzEncoder::new(Vec::new(), fast);
            io::copy(&mut zeros, &mut encoder).unwrap();
            encoder.finish().unwrap()
        }
        "deflate" => {
            let mut encoder = ZlibEncoder::new(Vec::new(), fast);
            io::copy(&mut zeros, &mut encoder).unwrap();
            encoder.finish().unwrap()
        }
        "br" => {
            let parameters = brotli::enc::BrotliEncoderParams {
                quality: 1,
                lgwin: 24,
                ..Default::default()
            };
            let mut compressed = Vec::new();
            brotli::BrotliCompress(&mut zeros, &mut compressed, &parameters).unwrap();
            compressed
        }
        _ => compress_to_vec(zeros, CompressionLevel::Fastest),
    }
}

#[test]
fn a_bomb_of_any_encoding_is_decoded_without_being_kept() {
    const CLIENTS: usize = 4;
    for encoding in ["gzip", "deflate", "br", "zstd"] {
        eprintln!("{encoding}");
        let (long, enormous) = (zeros(encoding, LONG), zeros(encoding, 257));
        let address = http_server::serve(move |request, stream| {
            let body = match request.path.as_str() {
                "/long" => &long,
                _ => &enormous,
            };
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Encoding: {encoding}\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(&[head.as_bytes(), body].concat());
            http_server::Then::Keep
        });
        let mut job = patient(job("http1", address));
        job["target"]["accept_encoding"] = json!([encoding]);
        job["connections"]["count"] = json!(CLIENTS);
        job["pacer"]["clients"] = json!(CLIENTS);
        job["requests"] = json!([
            { "path": "/long", "expect": {
                "body_xxh3": hash_of(&[0; MIB], LONG), "body_length": LONG * MIB } },
            { "path": "/enormous" },
        ]);
        job["transactions"] = json!([
            { "operation": "long", "rounds": [[0]] },
            { "operation": "enormous", "rounds": [[1]] },
        ]);
        job["stop"] = json!({ "transactions": CLIENTS });
        let finished = run_within(LIMIT, job);
        finished.assert_counts(CLIENTS as u64, json!({ "oversized": CLIENTS / 2 }));
        let decoded = finished.number("bytes.window.payload_decoded");
        assert_eq!(decoded, (CLIENTS / 2 * LONG * MIB) as f64);
        assert_bounded(&finished, CLIENTS);
    }
}
