//! gRPC-Web and Connect over both versions of HTTP.

use std::io::Write;
use std::net::SocketAddr;

use crate::support::h2_server::Answer;
use crate::support::http_server::Then;
use crate::support::{base64, job, run, xxh3};
use serde_json::{Value, json};

const VERSIONS: [&str; 2] = ["http1", "http2"];

/// A request to a server, and its answer: status, content type, body.
struct Received<'a> {
    path: &'a str,
    header: &'a dyn Fn(&str) -> Option<String>,
    body: &'a [u8],
}

/// Messages that are compressed are so by gzip.
type Answering = fn(&Received) -> (u16, &'static str, Vec<u8>);

fn serve(version: &str, answer: Answering) -> SocketAddr {
    if version == "http2" {
        return crate::support::h2_server::serve(move |request| {
            let header = |name: &str| {
                let value = request.headers.get(name)?;
                Some(value.to_str().unwrap().to_string())
            };
            let (status, content, body) = answer(&Received {
                path: &request.path,
                header: &header,
                body: &request.body,
            });
            let headers = vec![
                ("content-type", content.into()),
                ("grpc-encoding", "gzip".into()),
            ];
            Answer::Reply(status, headers, body, vec![])
        });
    }
    crate::support::http_server::serve(move |request, stream| {
        assert!(request.head.starts_with("POST "), "{}", request.head);
        let header = |name: &str| {
            request.head.lines().find_map(|line| {
                let (other, value) = line.split_once(": ")?;
                other.eq_ignore_ascii_case(name).then(|| value.to_string())
            })
        };
        let (status, content, body) = answer(&Received {
            path: &request.path,
            header: &header,
            body: &request.body,
        });
        let head = format!(
            "HTTP/1.1 {status} X\r\nContent-Type: {content}\r\nGrpc-Encoding: gzip\r\n\
             Content-Length: {}\r\n\r\n",
            body.len()
        );
        stream
            .write_all(&[head.as_bytes(), &body].concat())
            .unwrap();
        Then::Keep
    })
}

fn rpc_job(version: &str, rpc: &str, answer: Answering) -> Value {
    let mut job = job(version, serve(version, answer));
    job["target"]["rpc"] = json!(rpc);
    job["requests"][0]["body"] = json!(base64(b"hello"));
    job
}

fn framed(flag: u8, content: &[u8]) -> Vec<u8> {
    let length = (content.len() as u32).to_be_bytes();
    [&[flag][..], &length, content].concat()
}

#[test]
fn grpc_web_messages_are_echoed() {
    let echo = |request: &Received| {
        assert_eq!(request.path, "/test.Test/Echo");
        let content = (request.header)("content-type").unwrap();
        assert_eq!(content, "application/grpc-web+proto");
        assert_eq!((request.header)("x-grpc-web").unwrap(), "1");
        assert_eq!((request.header)("grpc-timeout").unwrap(), "15000m");
        assert_eq!((request.header)("grpc-accept-encoding"), None);
        let trailers = framed(0x80, b"grpc-status:0\r\ngrpc-message:\r\n");
        let body = [request.body, &trailers].concat();
        (200, "application/grpc-web+proto", body)
    };
    assert_hello_is_echoed("grpc_web", echo);
    // Compressed, if requested.
    let squeeze = |request: &Received| {
        let accepted = (request.header)("grpc-accept-encoding");
        assert_eq!(accepted.unwrap(), "gzip, deflate");
        assert_eq!((request.header)("accept-encoding"), None);
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(&[b'x'; 1000]).unwrap();
        let message = framed(1, &encoder.finish().unwrap());
        let body = [message, framed(0x80, b"grpc-status:0\r\n")].concat();
        (200, "application/grpc-web", body)
    };
    for version in VERSIONS {
        let address = serve(version, squeeze);
        let mut job = job(version, address);
        job["target"]["rpc"] = json!("grpc_web");
        job["target"]["accept_encoding"] = json!(["gzip", "deflate"]);
        job["requests"][0]["expect"] = json!({ "body_xxh3": xxh3(&[b'x'; 1000]) });
        let finished = run(job);
        finished.assert_counts(50, json!({}));
        assert_eq!(finished.number("bytes.window.payload_decoded"), 50_000.0);
        assert!(finished.number("bytes.window.payload_received") < 5_000.0);
    }
}

fn assert_hello_is_echoed(rpc: &str, echo: Answering) {
    for version in VERSIONS {
        let mut job = rpc_job(version, rpc, echo);
        job["requests"][0]["deadline_ms"] = json!(15_000);
        job["requests"][0]["expect"] = json!({ "status": 0, "body_xxh3": xxh3(b"hello") });
        let finished = run(job);
        finished.assert_counts(50, json!({}));
        assert_eq!(finished.number("bytes.window.payload_sent"), 250.0);
        assert_eq!(finished.number("bytes.window.payload_received"), 250.0);
    }
}

#[test]
fn connect_messages_are_echoed() {
    let echo = |request: &Received| {
        assert_eq!((request.header)("connect-protocol-version").unwrap(), "1");
        assert_eq!((request.header)("connect-timeout-ms").unwrap(), "15000");
        let content = (request.header)("content-type").unwrap();
        assert_eq!(content, "application/proto");
        (200, "application/proto", request.body.to_vec())
    };
    for version in VERSIONS {
        let mut job = rpc_job(version, "connect", echo);
        job["requests"][0]["deadline_ms"] = json!(15_000);
        job["requests"][0]["expect"] = json!({ "body_xxh3": xxh3(b"hello") });
        run(job).assert_counts(50, json!({}));
    }
    // In JSON, which the job requests by its header.
    let echo = |request: &Received| (200, "application/json", request.body.to_vec());
    let mut job = rpc_job("http1", "connect", echo);
    job["requests"][0]["headers"] = json!([["content-type", "application/json"]]);
    job["requests"][0]["expect"] = json!({ "body_xxh3": xxh3(b"hello") });
    run(job).assert_counts(50, json!({}));
}

#[test]
fn a_status_of_the_protocol_is_distinguished_from_one_of_http() {
    for version in VERSIONS {
        let failing = |_: &Received| {
            let trailers = framed(0x80, b"grpc-status: 5\r\ngrpc-message: no such game\r\n");
            (200, "application/grpc-web+proto", trailers)
        };
        assert_not_found(rpc_job(version, "grpc_web", failing));
        let failing = |_: &Received| {
            let error = br#"{"code":"not_found","message":"no such game"}"#;
            (404, "application/json", error.to_vec())
        };
        assert_not_found(rpc_job(version, "connect", failing));
        let foreign = |_: &Received| (200, "text/html", b"<html>".to_vec());
        for rpc in ["grpc_web", "connect"] {
            let finished = run(rpc_job(version, rpc, foreign));
            finished.assert_counts(50, json!({ "protocol_error": 50 }));
            // It is an answer all the same, and the connection continues.
            assert_eq!(finished.number("bytes.lifetime.connections"), 1.0);
        }
    }
}

fn assert_not_found(mut job: Value) {
    let finished = run(job.clone());
    finished.assert_counts(50, json!({ "grpc_status": 50 }));
    let mismatch = &finished.result["mismatches"][0];
    assert_eq!(mismatch["status"], 5);
    let excerpt = mismatch["excerpt"].as_str().unwrap();
    assert!(excerpt.contains("no such game"), "{excerpt}");
    job["requests"][0]["expect"] = json!({ "status": 5 });
    run(job).assert_counts(50, json!({}));
}
