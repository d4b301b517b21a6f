//! Replies that are streams of events, lines and chunks over HTTP, and WebSockets to which the server
//! pushes.

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::time::Duration;

use crate::support::connections;
use crate::support::http_server::{Then, serve};
use crate::support::seen::assert_closure;
use crate::support::{base64, job, run, run_within, xxh3};
use serde_json::{Value, json};
use tungstenite::Message;

const LIMIT: Duration = Duration::from_secs(60);

const EVENTS: &str = "text/event-stream";

/// Three events between comments.
const FEED: [&str; 4] = [
    ": keep-alive\n\n",
    "event: a\ndata: 1\n\n",
    "data: 2\ndata: 3\n\n: c\n\n",
    "data: 4\n\n",
];

/// A server that sends pieces, 5 ms apart, in chunks or up to the end of the connection.
fn feed(pieces: &'static [&'static str], chunked: bool) -> SocketAddr {
    serve(move |_, stream| {
        let framing = if chunked {
            "Transfer-Encoding: chunked"
        } else {
            "Connection: close"
        };
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {EVENTS}\r\n{framing}\r\n\r\n");
        let mut alive = stream.write_all(head.as_bytes()).is_ok();
        for piece in pieces {
            std::thread::sleep(Duration::from_millis(5));
            let bytes = match chunked {
                true => format!("{:x}\r\n{piece}\r\n", piece.len()),
                false => (*piece).into(),
            };
            alive &= stream.write_all(bytes.as_bytes()).is_ok();
        }
        match (alive, chunked) {
            (true, true) => {
                let _ = stream.write_all(b"0\r\n\r\n");
                Then::Keep
            }
            _ => Then::Close,
        }
    })
}

fn feed_job(address: SocketAddr, stream: Value) -> Value {
    let mut job = job("http1", address);
    job["warm_up"] = json!({});
    job["stop"] = json!({ "transactions": 10 });
    job["requests"][0]["stream"] = stream;
    job
}

#[test]
fn events_are_counted_and_timed() {
    for (chunked, connections) in [(true, 1.0), (false, 10.0)] {
        let mut job = feed_job(feed(&FEED, chunked), json!({}));
        let whole = FEED.concat();
        job["requests"][0]["expect"] = json!({ "items": 3, "body_xxh3": xxh3(whole.as_bytes()) });
        let finished = run(job);
        finished.assert_counts(10, json!({}));
        assert_eq!(finished.number("items.received"), 30.0);
        assert_eq!(finished.number("bytes.lifetime.connections"), connections);
        let first = finished.number("items.first_us.min");
        assert!(first >= 10e3, "{first}");
        let last = finished.number("items.last_us.min");
        assert!(last >= 20e3, "{last}");
    }
}

#[test]
fn lines_and_chunks_are_items_too() {
    const LINES: [&str; 3] = ["{\"a\":1}\n{\"a\"", ":2}\n", "\n{\"a\":3}\n"];
    for (kind, count) in [("lines", 3), ("chunks", 3)] {
        let mut job = feed_job(feed(&LINES, true), json!({ "items": kind }));
        job["requests"][0]["expect"] = json!({ "items": count });
        run(job).assert_counts(10, json!({}));
    }
    let mut job = feed_job(feed(&LINES, false), json!({ "items": "chunks" }));
    job["requests"][0]["expect"] = json!({ "items": 1 });
    run(job).assert_counts(10, json!({}));
}

#[test]
fn a_feed_is_closed_after_its_number_of_events_or_its_time() {
    let mut job = feed_job(feed(&FEED, true), json!({ "until_items": 2 }));
    job["requests"][0]["expect"] = json!({ "items": 2 });
    let finished = run_within(LIMIT, job);
    finished.assert_counts(10, json!({}));
    assert_eq!(finished.number("bytes.lifetime.connections"), 10.0);
    let least = finished.number("items.last_us.min");
    assert!(least >= 15e3, "{least}");

    let endless = serve(|_, stream| {
        let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        let mut alive = stream.write_all(head).is_ok();
        while alive {
            alive = stream.write_all(b"9\r\ndata: 1\n\n\r\n").is_ok();
            std::thread::sleep(Duration::from_millis(5));
        }
        Then::Close
    });
    let mut job = feed_job(endless, json!({ "until_ms": 500 }));
    job["stop"] = json!({ "transactions": 3 });
    let finished = run_within(LIMIT, job);
    finished.assert_counts(3, json!({}));
    assert!(finished.number("items.received") >= 1.0);
    let least = finished.number("latency_us.service.min");
    assert!(least >= 500e3, "{least}");
}

/// A flood that is no longer requested does not delay the engine.
#[test]
fn a_closed_flood_does_not_delay_the_run() {
    let flood = serve(|_, stream| {
        let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        let events = b"data: 1\n\n".repeat(1_000);
        let chunk = [
            format!("{:x}\r\n", events.len()).as_bytes(),
            &events,
            b"\r\n",
        ]
        .concat();
        let mut alive = stream.write_all(head).is_ok();
        while alive {
            alive = stream.write_all(&chunk).is_ok();
        }
        Then::Close
    });
    let finished = run_within(LIMIT, feed_job(flood, json!({ "until_items": 100 })));
    finished.assert_counts(10, json!({}));
    assert_eq!(finished.number("items.received"), 1_000.0);
}

#[test]
fn events_come_over_http2_as_well() {
    let address = crate::support::h2_server::serve(|_| {
        let headers = vec![("content-type", EVENTS.to_string())];
        let body = FEED.concat().into_bytes();
        crate::support::h2_server::Answer::Reply(200, headers, body, vec![])
    });
    let mut job = job("http2", address);
    job["requests"][0]["stream"] = json!({ "items": "events" });
    job["requests"][0]["expect"] = json!({ "items": 3 });
    let finished = run(job.clone());
    finished.assert_counts(50, json!({}));
    job["requests"][0]["stream"] = json!({ "items": "events", "until_items": 2 });
    job["requests"][0]["expect"] = json!({ "items": 2 });
    let finished = run(job);
    finished.assert_counts(50, json!({}));
    assert_eq!(finished.number("bytes.lifetime.connections"), 1.0);
}

/// A server that answers each message with five, and pushes for ever once it is subscribed to.
fn pushing() -> SocketAddr {
    connections::serve(|stream| {
        let mut socket = tungstenite::accept(stream).unwrap();
        let Ok(request) = socket.read() else { return };
        if request == Message::text("subscribe") {
            loop {
                std::thread::sleep(Duration::from_millis(2));
                if socket.send(Message::binary(b"tick".to_vec())).is_err() {
                    return;
                }
            }
        }
        let mut request = Ok(request);
        while let Ok(message) = request {
            let is_data = message.is_text() || message.is_binary();
            if is_data && (0..5).any(|_| socket.send(message.clone()).is_err()) {
                return;
            }
            request = socket.read();
        }
    })
}

#[test]
fn several_messages_may_answer_one() {
    for binary in [false, true] {
        let mut job = job("websocket", pushing());
        job["requests"][0] = json!({ "body": base64(b"hello"), "binary": binary,
            "stream": { "until_items": 5 },
            "expect": { "items": 5, "body_xxh3": xxh3(&b"hello".repeat(5)) } });
        let finished = run(job);
        finished.assert_counts(50, json!({}));
        assert_eq!(finished.number("items.received"), 250.0);
        assert_eq!(finished.number("items.sent"), 50.0);
        assert_eq!(finished.number("bytes.lifetime.connections"), 1.0);
    }
}

#[test]
fn a_subscription_is_sent_once_and_then_read() {
    let address = pushing();
    let subscribed = |stream: Value, stop: Value| {
        let mut job = job("websocket", address);
        job["target"]["subscribe"] = json!({ "body": base64(b"subscribe") });
        job["connections"]["count"] = json!(2);
        job["pacer"]["clients"] = json!(2);
        job["warm_up"] = json!({});
        job["stop"] = stop;
        job["requests"][0] = json!({ "stream": stream });
        job
    };
    let stream = json!({ "send": 0, "until_items": 10 });
    let mut job = subscribed(stream, json!({ "transactions": 10 }));
    job["requests"][0]["expect"] = json!({ "items": 10, "body_xxh3": xxh3(&b"tick".repeat(10)) });
    let finished = run_within(LIMIT, job);
    finished.assert_counts(10, json!({}));
    assert_eq!(finished.number("items.received"), 100.0);
    assert_eq!(finished.number("items.sent"), 0.0);
    assert_eq!(finished.number("bytes.window.sent"), 0.0);
    assert_closure(finished.number("little_closure"), &finished.samples());

    let stream = json!({ "send": 0, "until_ms": 100 });
    let finished = run_within(LIMIT, subscribed(stream, json!({ "transactions": 6 })));
    finished.assert_counts(6, json!({}));
    assert!(finished.number("items.received") >= 1.0);
    let least = finished.number("latency_us.service.min");
    assert!(least >= 100e3, "{least}");
}

/// A null server of the same program, which ends with the test.
struct Null(std::process::Child);

impl Null {
    fn start(options: &[&str]) -> (Self, SocketAddr) {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_wirelab-engine"))
            .args(["null", "grpc", "--port", "0", "--bytes", "10"])
            .args(options)
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let authority = line.trim().trim_start_matches("grpc://");
        let address = authority.trim_end_matches('/').parse().unwrap();
        (Self(child), address)
    }
}

impl Drop for Null {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_null_server_streams() {
    for (options, stream, received) in [
        (&["--messages", "100"][..], json!({}), 100),
        (&[], json!({ "send": 100 }), 1),
        (&["--each"], json!({ "send": 100 }), 100),
        (&["--each"], json!({ "send": 100, "in_turn": true }), 100),
        (&["--each", "--messages", "3"], json!({ "send": 30 }), 90),
        (&["--messages", "10000"], json!({ "until_items": 7 }), 7),
    ] {
        let (_null, address) = Null::start(options);
        let mut job = job("grpc", address);
        job["connections"] = json!({ "count": 2, "streams_per_connection": 4 });
        job["pacer"]["clients"] = json!(8);
        let sent = stream["send"].as_u64().unwrap_or(1);
        job["requests"][0]["body"] = json!(base64(b"hello"));
        job["requests"][0]["stream"] = stream;
        job["requests"][0]["expect"] = json!({ "items": received, "body_length": received * 10 });
        let finished = run_within(LIMIT, job);
        finished.assert_counts(50, json!({}));
        assert_eq!(finished.number("items.sent"), 50.0 * sent as f64);
    }
}
