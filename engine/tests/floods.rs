//! Servers that send without end: the run ends in its time nevertheless, within bounded memory, also
//! on a signal, and the failure has its own class.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use crate::support::http_server::{self, Then};
use crate::support::raw_server::{Behaviour, Transport, frame, serve};
use crate::support::{Finished, job, run_within, start};
use serde_json::{Value, json};

/// Far more than the runs are allowed; a run without an end is a failure, whatever the machine does.
pub const LIMIT: Duration = Duration::from_secs(60);

/// What the engine may use: a process, and something for each connection.
const MEMORY_BYTES: f64 = (64 << 20) as f64;

/// So much at once that the engine never finds the socket empty.
pub fn many(piece: &[u8]) -> Vec<u8> {
    piece.repeat((256 << 10) / piece.len())
}

/// Serves each connection on a separate thread.
fn serve_each(talk: fn(TcpStream)) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.unwrap();
            std::thread::spawn(move || talk(stream));
        }
    });
    address
}

/// A server in clear text that floods behind the first bytes of each answer.
pub fn flooding(transport: Transport, first: &'static [u8], piece: &[u8]) -> SocketAddr {
    let then = many(piece);
    serve(transport, move |_| Behaviour::Flood(first, then.clone()))
}

/// Two clients for half a second, each request with half a second.
pub fn briefly(transport: &str, address: SocketAddr) -> Value {
    let mut job = job(transport, address);
    job["warm_up"] = json!({});
    job["stop"] = json!({ "seconds": 0.5 });
    job["connections"] =
        json!({ "count": 2, "request_timeout_ms": 500, "connect_timeout_ms": 500 });
    job["pacer"]["clients"] = json!(2);
    job
}

fn flooded(transport: Transport, first: &'static [u8], piece: &[u8]) -> Value {
    briefly(transport.name(), flooding(transport, first, piece))
}

/// All requests failed in this way, and memory stayed within its bound.
pub fn assert_bounded(finished: &Finished, class: &str) {
    assert_eq!(finished.code, 0, "{}", finished.stderr);
    let counts = &finished.result["counts"];
    let errors = counts["errors"].as_object().unwrap();
    // A server that did not get to run on a busy machine has said nothing.
    let are_known = errors.keys().all(|it| it == class || it == "timeout");
    assert!(errors.contains_key(class) && are_known, "{counts}");
    assert!(counts["failed"].as_u64().unwrap() >= 2, "{counts}");
    assert_eq!(counts["succeeded"], 0);
    assert_memory(finished);
}

pub fn assert_memory(finished: &Finished) {
    let memory = finished.number("engine.memory_peak_bytes");
    assert!(memory < MEMORY_BYTES, "{memory}");
}

/// A job of ten minutes, under a flood, ends with a signal.
pub fn assert_a_signal_ends(mut job: Value) {
    job["stop"] = json!({ "seconds": 600 });
    job["connections"]["request_timeout_ms"] = json!(600_000);
    let mut running = start(job);
    running.await_event("progress");
    running.signal(libc::SIGINT);
    let finished = running.finish();
    assert_eq!(finished.code, 130, "{}", finished.stderr);
    assert_eq!(finished.result["interrupted"], true);
}

#[test]
fn endless_pings_and_settings_are_a_flood() {
    let ping = frame(6, 0, 0, b"are you?");
    let settings = frame(4, 0, 0, &[]);
    let long = [&b"\x89\x7d"[..], &[b'x'; 125]].concat();
    for (transport, piece) in [
        (Transport::Websocket, &b"\x89\0"[..]),
        (Transport::Websocket, &long),
        (Transport::Http2, &ping),
        (Transport::Grpc, &ping),
        (Transport::Http2, &settings),
    ] {
        eprintln!("{transport:?} {}", piece.len());
        let finished = run_within(LIMIT, flooded(transport, b"", piece));
        assert_bounded(&finished, "flood");
    }
}

/// They need no answer, and no time-out is a matter of what they are.
#[test]
fn an_incomplete_reply_ends_at_the_deadline() {
    const CHUNKED: &[u8] = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let continues = b"HTTP/1.1 100 Continue\r\n\r\n";
    let (pong, nothing) = (b"\x8a\0", frame(0x42, 0, 0, &[]));
    for (transport, first, piece, class) in [
        (Transport::Http1, &b""[..], &continues[..], "slow_reply"),
        (Transport::Http1, CHUNKED, b"1\r\nx\r\n", "slow_reply"),
        (Transport::Websocket, b"", pong, "timeout"),
        (Transport::Websocket, b"\x01\0", b"\0\0", "slow_reply"),
        (
            Transport::Websocket,
            b"\x01\0",
            b"\0\x05 more",
            "slow_reply",
        ),
        (
            Transport::Websocket,
            b"\x82\x7f\0\0\0\0\xff\0\0\0",
            b"x",
            "slow_reply",
        ),
        (Transport::Http2, b"", &nothing, "timeout"),
    ] {
        eprintln!("{transport:?} {class}");
        let finished = run_within(LIMIT, flooded(transport, first, piece));
        assert_bounded(&finished, class);
    }
}

/// A server that says nothing else than this, from the first byte on.
fn only(piece: &'static [u8]) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            std::thread::spawn(move || {
                let then = many(piece);
                while stream.write_all(&then).is_ok() {}
            });
        }
    });
    address
}

#[test]
fn a_flood_before_the_connection_is_open_is_no_connection() {
    let settings: &'static [u8] = Box::leak(frame(4, 0, 0, &[0, 3, 0, 0, 0, 0]).into());
    for (transport, piece) in [
        ("http2", settings),
        ("websocket", b"HTTP/1.1 100 x\r\n\r\n"),
    ] {
        let mut job = job(transport, only(piece));
        job["connections"]["connect_timeout_ms"] = json!(500);
        let finished = run_within(LIMIT, job);
        assert_eq!(finished.code, 3, "{}", finished.stderr);
        assert!(
            finished.stderr.contains("handshake_failed"),
            "{}",
            finished.stderr
        );
    }
}

#[test]
fn a_signal_ends_a_flooded_run() {
    for (transport, piece) in [
        (Transport::Websocket, &b"\x8a\0"[..]),
        (Transport::Http1, b"HTTP/1.1 100 Continue\r\n\r\n"),
    ] {
        assert_a_signal_ends(flooded(transport, b"", piece));
    }
}

/// Longer than the memory that the engine may use: it is hashed and searched while it comes.
#[test]
fn a_long_body_is_judged_without_being_kept() {
    const LENGTH: usize = 192 << 20;
    const LAST: &[u8] = b"Traceback";
    let xs = vec![b'x'; 1 << 20];
    let chunk = [b"100000\r\n", xs.as_slice(), b"\r\n"].concat();
    let address = http_server::serve(move |request, stream| {
        let (head, piece) = match request.path.as_str() {
            "/chunked" => ("Transfer-Encoding: chunked".into(), &chunk),
            _ => (format!("Content-Length: {}", LENGTH + LAST.len()), &xs),
        };
        let head = format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n");
        let mut alive = stream.write_all(head.as_bytes()).is_ok();
        for _ in 0..LENGTH >> 20 {
            alive &= stream.write_all(piece).is_ok();
        }
        let last = match request.path.as_str() {
            "/chunked" => b"9\r\nTraceback\r\n0\r\n\r\n",
            _ => LAST,
        };
        match alive && stream.write_all(last).is_ok() {
            true => Then::Keep,
            false => Then::Close,
        }
    });
    let mut job = job("http1", address);
    let body = [vec![b'x'; LENGTH].as_slice(), LAST].concat();
    let right = json!({ "body_xxh3": crate::support::xxh3(&body), "body_length": body.len() });
    let wrong = json!({ "body_xxh3": crate::support::xxh3(&body[1..]) });
    let forbidding = json!({ "must_not_contain": ["nowhere", "Traceback"] });
    job["requests"] = json!([
        { "path": "/chunked", "expect": right },
        { "path": "/counted", "expect": right },
        { "path": "/counted", "expect": wrong },
        { "path": "/chunked", "expect": forbidding },
    ]);
    job["transactions"] = (0..4)
        .map(|it| json!({ "operation": "long", "rounds": [[it]] }))
        .collect();
    job["warm_up"] = json!({});
    job["stop"] = json!({ "transactions": 4 });
    job["connections"]["request_timeout_ms"] = json!(60_000);
    let finished = run_within(4 * LIMIT, job);
    finished.assert_counts(4, json!({ "body_mismatch": 1, "forbidden_content": 1 }));
    let samples = finished.samples();
    assert!(
        samples
            .iter()
            .all(|it| it.payload_bytes == body.len() as u64)
    );
    assert_memory(&finished);
}

/// Each answer lets the next request go, which no connection takes.
#[test]
fn answers_to_requests_that_are_not_taken_are_a_flood() {
    let address = serve_each(|mut stream| {
        stream.write_all(&frame(4, 0, 0, &[])).unwrap();
        // The preface and settings, then the first request; nothing after that.
        stream.read_exact(&mut [0; 1024]).unwrap();
        for number in 0.. {
            // An answer must not be there before its request was made.
            std::thread::sleep(Duration::from_millis(5));
            let answer = Transport::Http2.answer(2 * number + 1);
            if stream.write_all(&answer).is_err() {
                return;
            }
        }
    });
    let mut job = job("http2", address);
    // Paths are not compressed: a request is as long as this each time.
    job["requests"][0]["path"] = json!(format!("/{}", "~".repeat(15_000)));
    job["warm_up"] = json!({});
    job["stop"] = json!({ "seconds": 15 });
    let finished = run_within(4 * LIMIT, job);
    let counts = &finished.result["counts"];
    assert!(
        counts["errors"]["flood"].as_u64().unwrap_or(0) >= 1,
        "{counts}"
    );
    assert_memory(&finished);
}

/// A byte at a time, until all of them are sent.
#[test]
fn slow_peers_are_answered_peers() {
    let address = serve_each(|mut stream| {
        stream.set_nodelay(true).unwrap();
        let mut request = [0; 4096];
        while stream.read(&mut request).is_ok_and(|count| count > 0) {
            for byte in Transport::Http1.answer(0) {
                stream.write_all(&[byte]).unwrap();
                std::thread::yield_now();
            }
        }
    });
    let mut job = job("http1", address);
    job["requests"][0]["expect"] = json!({ "body_xxh3": crate::support::xxh3(b"hello") });
    run_within(LIMIT, job).assert_counts(50, json!({}));
}
