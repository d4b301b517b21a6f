//! Bodies that are compressed because the client requested it.

use std::io::Write;

use crate::support::http_server::{Then, serve};
use crate::support::null_server::load;
use crate::support::{h2_server, job, run, xxh3};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::json;

fn text() -> Vec<u8> {
    let game = r#"{"id": 17, "name": "a game with a name", "score": 3.5}"#;
    game.repeat(60).into_bytes()
}

fn compress(encoding: &str, body: &[u8]) -> Vec<u8> {
    let level = flate2::Compression::default();
    match encoding {
        "gzip" => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
            encoder.write_all(body).unwrap();
            encoder.finish().unwrap()
        }
        "deflate" => {
            let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), level);
            encoder.write_all(body).unwrap();
            encoder.finish().unwrap()
        }
        "br" => {
            let mut compressed = Vec::new();
            let parameters = brotli::enc::BrotliEncoderParams::default();
            brotli::BrotliCompress(&mut &*body, &mut compressed, &parameters).unwrap();
            compressed
        }
        "zstd" => compress_to_vec(body, CompressionLevel::Fastest),
        _ => body.to_vec(),
    }
}

/// An answer of HTTP/1.1 in the requested encoding, if there is one.
fn answer(requested: Option<&str>, body: &[u8]) -> Vec<u8> {
    let named = requested.map(|name| format!("Content-Encoding: {name}\r\n"));
    let head = format!(
        "HTTP/1.1 200 OK\r\n{}Content-Length: {}\r\n\r\n",
        named.unwrap_or_default(),
        body.len()
    );
    [head.as_bytes(), body].concat()
}

#[test]
fn bodies_are_counted_before_and_checked_after_decoding() {
    let http1 = serve(|request, stream| {
        let mut lines = request.head.lines();
        let requested = lines.find_map(|line| line.strip_prefix("Accept-Encoding: "));
        let body = compress(requested.unwrap_or(""), &text());
        stream.write_all(&answer(requested, &body)).unwrap();
        Then::Keep
    });
    let http2 = h2_server::serve(|request| {
        let requested = request.headers.get("accept-encoding");
        let requested = requested.map_or("", |value| value.to_str().unwrap());
        let headers = match requested {
            "" => vec![],
            name => vec![("content-encoding", name.to_string())],
        };
        h2_server::Answer::Reply(200, headers, compress(requested, &text()), vec![])
    });
    for (transport, address) in [("http1", http1), ("http2", http2)] {
        for encoding in ["", "gzip", "deflate", "br", "zstd"] {
            let mut job = job(transport, address);
            if !encoding.is_empty() {
                job["target"]["accept_encoding"] = json!([encoding]);
            }
            job["requests"][0]["expect"] = json!({ "body_xxh3": xxh3(&text()),
                "body_length": text().len(), "must_not_contain": ["error"] });
            let finished = run(job);
            finished.assert_counts(50, json!({}));
            let length = compress(encoding, &text()).len();
            let (received, decoded) = ("payload_received", "payload_decoded");
            let window = |key| finished.number(&format!("bytes.window.{key}"));
            assert_eq!(
                window(received),
                (50 * length) as f64,
                "{transport} {encoding}"
            );
            assert_eq!(
                window(decoded),
                (50 * text().len()) as f64,
                "{transport} {encoding}"
            );
            let sample = &finished.samples()[0];
            assert_eq!(
                sample.payload_bytes, length as u64,
                "{transport} {encoding}"
            );
        }
    }
}

#[test]
fn empty_bodies_have_no_share() {
    let address = serve(|_, stream| {
        stream
            .write_all(&answer(Some("gzip"), &compress("gzip", b"")))
            .unwrap();
        Then::Keep
    });
    let url = format!("http://{address}/");
    let output = load(&[&url, "--accept-encoding", "gzip", "-n", "5"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("received "), "{text}");
    assert!(!text.contains("compressed to"), "{text}");
}

/// A gRPC server that compresses its messages if it may, but not those of even numbers.
fn serve_grpc() -> std::net::SocketAddr {
    h2_server::serve(|request| {
        let accepted = request.headers.get("grpc-accept-encoding");
        let name = accepted.map(|value| value.to_str().unwrap().to_string());
        let compresses = name.is_some() && request.number % 2 == 1;
        let message = match &name {
            Some(name) if compresses => compress(name, &text()),
            _ => text(),
        };
        let length = (message.len() as u32).to_be_bytes();
        let body = [&[u8::from(compresses)][..], &length, &message].concat();
        let mut headers = vec![("content-type", "application/grpc".to_string())];
        headers.extend(name.map(|name| ("grpc-encoding", name)));
        h2_server::Answer::Reply(200, headers, body, vec![("grpc-status", "0")])
    })
}

#[test]
fn messages_of_grpc_are_decoded_one_by_one() {
    for encoding in ["", "gzip", "deflate", "zstd"] {
        let mut job = job("grpc", serve_grpc());
        job["warm_up"] = json!({});
        if !encoding.is_empty() {
            job["target"]["accept_encoding"] = json!([encoding]);
        }
        job["requests"][0]["expect"] =
            json!({ "body_xxh3": xxh3(&text()), "body_length": text().len() });
        let finished = run(job);
        finished.assert_counts(50, json!({}));
        let lengths = text().len() + compress(encoding, &text()).len();
        let window = |key| finished.number(&format!("bytes.window.{key}"));
        assert_eq!(
            window("payload_received"),
            (25 * lengths) as f64,
            "{encoding}"
        );
        assert_eq!(window("payload_decoded"), (50 * text().len()) as f64);
    }
}

#[test]
fn a_body_that_cannot_be_decoded_is_a_separate_error() {
    let address = serve(|request, stream| {
        let body = compress("gzip", &text());
        let answer = match request.number % 10 {
            3 => answer(Some("gzip"), &body[..body.len() / 2]),
            5 => answer(Some("br"), &body),
            7 => answer(Some("compress"), &body),
            _ => answer(Some("gzip"), &body),
        };
        stream.write_all(&answer).unwrap();
        Then::Keep
    });
    let mut job = job("http1", address);
    job["target"]["accept_encoding"] = json!(["gzip", "br"]);
    run(job).assert_counts(50, json!({ "bad_encoding": 15 }));

    let address = h2_server::serve(|request| {
        let headers = vec![
            ("content-type", "application/grpc".to_string()),
            ("grpc-encoding", "gzip".to_string()),
        ];
        let body = match request.number % 10 {
            3 => b"\x01\0\0\0\x03zip",
            _ => b"\0\0\0\0\x03zip",
        };
        h2_server::Answer::Reply(200, headers, body.to_vec(), vec![("grpc-status", "0")])
    });
    run(self::job("grpc", address)).assert_counts(50, json!({ "bad_encoding": 5 }));
}

#[test]
fn a_body_that_is_wrong_under_its_compression_is_found() {
    let address = serve(|request, stream| {
        let text: &[u8] = if request.number % 10 == 4 {
            b"wrong"
        } else {
            b"right"
        };
        let answer = answer(Some("gzip"), &compress("gzip", text));
        stream.write_all(&answer).unwrap();
        Then::Keep
    });
    let mut job = job("http1", address);
    job["target"]["accept_encoding"] = json!(["gzip"]);
    job["requests"][0]["expect"] = json!({ "body_xxh3": xxh3(b"right") });
    let finished = run(job);
    finished.assert_counts(50, json!({ "body_mismatch": 5 }));
    assert_eq!(finished.result["mismatches"][0]["excerpt"], "wrong");
}
