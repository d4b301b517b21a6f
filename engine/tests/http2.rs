//! HTTP/2 and gRPC against the `h2` crate.

use std::io::{Read, Write};
use std::sync::Arc;
use std::time::Duration;

use crate::support::h2_server::{Answer, Barrier, serve, serve_with};
use crate::support::samples::Row;
use crate::support::{base64, job, run, xxh3};
use h2::Reason;
use serde_json::json;

#[test]
fn grpc_messages_are_echoed() {
    let address = serve(|request| {
        assert_eq!(request.path, "/test.Test/Echo");
        assert_eq!(request.headers["te"], "trailers");
        assert_eq!(request.headers["content-type"], "application/grpc");
        assert_eq!(request.headers["x-token"], "secret");
        Answer::grpc(&request.body[5..], "0")
    });
    let message = vec![b'm'; 3_500];
    let mut job = job("grpc", address);
    job["connections"] = json!({ "count": 2, "streams_per_connection": 4 });
    job["pacer"]["clients"] = json!(8);
    job["target"]["headers"] = json!([["X-Token", "secret"]]);
    job["stop"] = json!({ "transactions": 500 });
    job["requests"][0]["body"] = json!(base64(&message));
    job["requests"][0]["expect"] = json!({ "status": 0, "body_xxh3": xxh3(&message) });
    let finished = run(job);
    finished.assert_counts(500, json!({}));
    assert_eq!(
        finished.number("bytes.window.payload_received"),
        500.0 * 3_500.0
    );
    assert_eq!(finished.number("bytes.lifetime.connections"), 2.0);
    let samples = finished.samples();
    let clients: std::collections::BTreeSet<u64> = samples.iter().map(|it| it.client).collect();
    assert_eq!(clients, (0..8).collect());
    // Frame headers, compressed headers of a few bytes, prefix and message.
    let last = samples.last().unwrap();
    assert!(
        (3_500 + 9 + 9 + 5 + 4..3_540).contains(&(last.bytes_sent as usize)),
        "{last:?}"
    );
}

#[test]
fn grpc_status_and_message_are_reported() {
    let address = serve(|_| {
        let headers = vec![
            ("content-type", "application/grpc".to_string()),
            ("grpc-status", "5".to_string()),
            ("grpc-message", "no such game".to_string()),
        ];
        Answer::Reply(200, headers, vec![], vec![])
    });
    let mut job = job("grpc", address);
    let finished = run(job.clone());
    finished.assert_counts(50, json!({ "grpc_status": 50 }));
    assert_eq!(finished.result["mismatches"][0]["status"], 5);
    assert_eq!(finished.result["mismatches"][0]["excerpt"], "no such game");
    job["requests"][0]["expect"] = json!({ "status": 5 });
    run(job).assert_counts(50, json!({}));
}

#[test]
fn answers_other_than_grpc_are_distinguished() {
    for (answer, class) in [(503, "status"), (200, "protocol_error")] {
        let address = serve(move |_| Answer::plain(answer, b"<html>"));
        run(job("grpc", address)).assert_counts(50, json!({ class: 50 }));
    }
}

#[test]
fn bodies_larger_than_every_window_arrive() {
    let address = serve(|request| Answer::plain(200, &request.body));
    let body: Vec<u8> = (0..9_000_000u32)
        .map(|number| (number % 251) as u8)
        .collect();
    let mut job = job("http2", address);
    job["connections"]["streams_per_connection"] = json!(2);
    job["pacer"]["clients"] = json!(2);
    job["connections"]["request_timeout_ms"] = json!(60_000);
    job["warm_up"] = json!({});
    job["stop"] = json!({ "transactions": 6 });
    job["requests"][0] = json!({ "method": "POST", "path": "/", "body": base64(&body),
        "expect": { "status": 200, "body_xxh3": xxh3(&body) } });
    run(job).assert_counts(6, json!({}));
}

#[test]
fn the_server_may_require_small_tables_frames_and_few_streams() {
    let mut builder = h2::server::Builder::new();
    builder
        .max_concurrent_streams(3)
        .initial_window_size(100)
        .initial_connection_window_size(65_535);
    let address = serve_with(builder, |request| {
        let headers = vec![(
            "x-echo",
            request.headers["x-long"].to_str().unwrap().to_string(),
        )];
        Answer::Reply(201, headers, request.body.clone(), vec![])
    });
    let mut job = job("http2", address);
    job["connections"]["streams_per_connection"] = json!(10);
    job["pacer"]["clients"] = json!(10);
    job["stop"] = json!({ "transactions": 200 });
    job["requests"][0] = json!({ "method": "POST", "path": "/a", "body": base64(&[b'x'; 1000]),
        "headers": [["x-long", "y".repeat(3000)], ["x-longer", "z".repeat(3000)]],
        "expect": { "status": 201, "body_length": 1000 } });
    run(job).assert_counts(200, json!({}));
}

/// A server that takes its time for each request, but for many at once.
fn unhurried() -> std::net::SocketAddr {
    serve(|request| {
        let answer = Answer::plain(200, request.path.as_bytes());
        Answer::After(Duration::from_millis(20), Box::new(answer))
    })
}

#[test]
fn clients_that_wait_for_a_stream_of_the_server_are_accounted_for() {
    let mut builder = h2::server::Builder::new();
    builder.max_concurrent_streams(3);
    let address = serve_with(builder, |request| {
        let answer = Answer::plain(200, request.path.as_bytes());
        Answer::After(Duration::from_millis(20), Box::new(answer))
    });
    let mut job = job("http2", address);
    job["connections"]["streams_per_connection"] = json!(12);
    job["pacer"]["clients"] = json!(12);
    job["warm_up"] = json!({});
    job["stop"] = json!({ "transactions": 60 });
    let finished = run(job);
    finished.assert_counts(60, json!({}));
    let samples = finished.samples();
    assert_eq!(most_open(&samples), 3);
    // All twelve wait for an answer, and three of them in the server: there are four to each.
    let (response, service) = (
        finished.number("latency_us.response.mean"),
        finished.number("latency_us.service.mean"),
    );
    assert!(response > 2.0 * service, "{response} of 4 x {service}");
    let whole: i64 = (0..12)
        .map(|client| {
            let own = || samples.iter().filter(|it| it.client == client);
            let began = own().map(|it| it.intended_ns).min().unwrap();
            own().map(|it| it.end_ns).max().unwrap() - began
        })
        .sum();
    let share = samples.len() as f64 * service * 1e3 / whole as f64;
    let closure = finished.number("little_closure");
    assert!(closure <= 1.001, "{closure}");
    assert!(closure > 2.0 * share, "{closure} and not {share}");
}

/// How many transactions were under way at once at most.
fn most_open(samples: &[Row]) -> usize {
    let open_at = |instant: i64| {
        let open = |it: &&Row| it.start_ns <= instant && instant < it.end_ns;
        samples.iter().filter(open).count()
    };
    let most = samples.iter().map(|it| open_at(it.start_ns)).max();
    most.unwrap()
}

/// The server answers none of the three requests of a round before all of them have come.
#[test]
fn the_requests_of_a_round_share_the_streams_of_a_connection() {
    let together = Arc::new(Barrier::new(3));
    let address = serve(move |received| {
        let answer = Answer::plain(200, received.path.as_bytes());
        match received.path.as_str() {
            "/a" => answer,
            _ => Answer::Together(Arc::clone(&together), Box::new(answer)),
        }
    });
    let mut job = job("http2", address);
    job["connections"]["streams_per_connection"] = json!(3);
    job["warm_up"] = json!({});
    job["stop"] = json!({ "transactions": 6 });
    let request =
        |path: &str| json!({ "path": path, "expect": { "body_xxh3": xxh3(path.as_bytes()) } });
    job["requests"] = json!([request("/a"), request("/b"), request("/c"), request("/d")]);
    job["transactions"][0]["rounds"] = json!([[0], [1, 2, 3]]);
    let finished = run(job);
    finished.assert_counts(6, json!({}));
    assert_eq!(finished.number("bytes.lifetime.connections"), 1.0);
}

#[test]
fn as_many_streams_are_open_as_are_allowed_and_needed() {
    for (streams, expected) in [(1, 2), (3, 6), (10, 8)] {
        let mut job = job("http2", unhurried());
        job["connections"] = json!({ "count": 2, "streams_per_connection": streams });
        job["pacer"]["clients"] = json!(8);
        job["warm_up"] = json!({});
        let finished = run(job);
        finished.assert_counts(50, json!({}));
        assert_eq!(finished.number("bytes.lifetime.connections"), 2.0);
        assert_eq!(most_open(&finished.samples()), expected, "{streams}");
    }
}

#[test]
fn a_reset_stream_is_one_error_on_a_connection_that_continues() {
    let address = serve(|request| match request.number % 10 {
        7 => Answer::Reset(Reason::REFUSED_STREAM),
        _ => Answer::plain(200, b"x"),
    });
    let finished = run(job("http2", address));
    finished.assert_counts(50, json!({ "stream_reset": 5 }));
    assert_eq!(finished.number("bytes.lifetime.connections"), 1.0);
    assert_eq!(finished.result["mismatches"][0]["got"], "REFUSED_STREAM");
}

#[test]
fn a_graceful_goaway_loses_no_transaction() {
    let address = serve(|request| match request.number % 20 {
        15 => Answer::Goodbye(Box::new(Answer::plain(200, b"x"))),
        _ => Answer::plain(200, b"x"),
    });
    let finished = run(job("http2", address));
    finished.assert_counts(50, json!({}));
    assert!(finished.number("bytes.lifetime.connections") >= 3.0);
}

#[test]
fn an_abrupt_goaway_fails_the_open_streams() {
    let address = serve(|request| match request.number {
        25 => Answer::Abrupt(Reason::INTERNAL_ERROR),
        _ => Answer::plain(200, b"x"),
    });
    let finished = run(job("http2", address));
    assert_eq!(finished.code, 0);
    assert_eq!(
        finished.number("counts.failed"),
        1.0,
        "{:#}",
        finished.result["counts"]
    );
    assert_eq!(finished.number("counts.succeeded"), 49.0);
}

#[test]
fn silence_times_out_without_losing_the_connection() {
    let address = serve(|request| match request.number % 10 {
        4 => Answer::Silence,
        _ => Answer::plain(200, b"x"),
    });
    let mut job = job("http2", address);
    job["warm_up"] = json!({});
    job["stop"] = json!({ "transactions": 20 });
    job["connections"] = json!({ "count": 1, "streams_per_connection": 4,
        "request_timeout_ms": 2000 });
    job["pacer"]["clients"] = json!(4);
    let finished = run(job);
    finished.assert_counts(20, json!({ "timeout": 2 }));
    assert_eq!(finished.number("bytes.lifetime.connections"), 1.0);
}

#[test]
fn a_server_of_another_protocol_is_unreachable() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream
            .write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            .unwrap();
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let finished = run(job("grpc", address));
    assert_eq!(finished.code, 3);
    assert!(
        finished.stderr.contains("handshake_failed"),
        "{}",
        finished.stderr
    );
}
