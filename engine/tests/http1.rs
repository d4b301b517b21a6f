//! HTTP/1.1 over real sockets: counts, bytes, and every way in which it can go wrong.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::support::http_server::{Then, constant, ok, serve};
use crate::support::queues::await_read;
use crate::support::seen::{Seen, assert_closure};
use crate::support::{base64, job, run, xxh3};
use serde_json::json;

#[test]
fn everything_is_counted_once() {
    let address = serve(|request, stream| {
        assert_eq!(
            (request.path.as_str(), request.body.as_slice()),
            ("/games", b"hello".as_slice())
        );
        stream.write_all(&ok(b"answer")).unwrap();
        Then::Keep
    });
    let mut job = job("http1", address);
    job["requests"][0] = json!({ "method": "POST", "path": "/games", "body": base64(b"hello"),
        "expect": { "status": 200, "body_xxh3": xxh3(b"answer"), "body_length": 6 } });
    let finished = run(job);
    finished.assert_counts(50, json!({}));

    let sent_each =
        format!("POST /games HTTP/1.1\r\nHost: {address}\r\nContent-Length: 5\r\n\r\nhello").len();
    let received_each = ok(b"answer").len();
    assert_eq!(
        finished.number("bytes.window.sent"),
        (50 * sent_each) as f64
    );
    assert_eq!(
        finished.number("bytes.window.received"),
        (50 * received_each) as f64
    );
    assert_eq!(finished.number("bytes.window.payload_sent"), 250.0);
    assert_eq!(finished.number("bytes.window.payload_received"), 300.0);
    assert_eq!(finished.number("bytes.lifetime.connections"), 1.0);
    assert_eq!(
        finished.number("bytes.lifetime.sent"),
        (55 * sent_each) as f64
    );
    assert_eq!(
        finished.number("bytes.lifetime.received"),
        (55 * received_each) as f64
    );
    assert!(finished.number("bytes.lifetime.segments_out") >= 55.0);

    let samples = finished.samples();
    assert_eq!(samples.len(), 50);
    for sample in &samples {
        assert_eq!(
            (sample.operation.as_str(), sample.parameter_set),
            ("test", 7)
        );
        assert!(sample.intended_ns <= sample.start_ns && sample.start_ns < sample.first_byte_ns);
        assert!(sample.first_byte_ns <= sample.end_ns);
        assert_eq!(
            (sample.bytes_sent, sample.bytes_received),
            (sent_each as u64, received_each as u64)
        );
        assert_eq!(
            (sample.payload_bytes, sample.status, sample.error.as_str()),
            (6, 200, "")
        );
    }
    let mean = samples
        .iter()
        .map(|it| (it.end_ns - it.start_ns) as f64)
        .sum::<f64>()
        / 50e3;
    assert!((finished.number("latency_us.service.mean") - mean).abs() < 0.01);
}

/// Whatever the machine does meanwhile: the server says how long it took, and what came before and
/// after.
#[test]
fn a_time_is_that_of_the_server_and_of_the_connection() {
    let seen = Seen::default();
    let server = seen.clone();
    let address = serve(move |_, stream| {
        server.take(Duration::from_millis(5));
        stream.write_all(&ok(b"x")).unwrap();
        Then::Keep
    });
    let finished = run(job("http1", address));
    finished.assert_counts(50, json!({}));
    let samples = finished.samples();
    seen.assert_contained_in(&samples);
    assert_closure(finished.number("little_closure"), &samples);
}

#[test]
fn one_wrong_body_in_a_hundred_is_found() {
    let address = serve(|request, stream| {
        let body: &[u8] = if request.number % 100 == 50 {
            b"wrong"
        } else {
            b"right"
        };
        stream.write_all(&ok(body)).unwrap();
        Then::Keep
    });
    let mut job = job("http1", address);
    job["stop"] = json!({ "transactions": 1000 });
    job["requests"][0]["expect"] = json!({ "body_xxh3": xxh3(b"right") });
    let finished = run(job);
    finished.assert_counts(1000, json!({ "body_mismatch": 10 }));
    assert_eq!(
        finished.result["mismatches"],
        json!([{ "operation": "test", "parameter_set": 7, "reason": "body differs", "status": 200,
                 "expected": xxh3(b"right"), "got": xxh3(b"wrong"), "excerpt": "wrong" }])
    );
    assert_eq!(
        finished
            .samples()
            .iter()
            .filter(|it| it.error == "body_mismatch")
            .count(),
        10
    );
}

#[test]
fn other_expectations_have_their_own_classes() {
    let address = constant(b"HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\noops!".to_vec());
    for (expect, class) in [
        (json!({}), "status"),
        (json!({ "status": 200 }), "status"),
        (json!({ "status": 404, "body_length": 6 }), "body_mismatch"),
        (
            json!({ "status": 404, "must_not_contain": ["nothing", "oops"] }),
            "forbidden_content",
        ),
    ] {
        let mut job = job("http1", address);
        job["requests"][0]["expect"] = expect;
        run(job).assert_counts(50, json!({ class: 50 }));
    }
    let mut job = job("http1", address);
    job["requests"][0]["expect"] = json!({ "status": 404, "body_length": 5 });
    run(job).assert_counts(50, json!({}));
}

#[test]
fn chunked_answers_arrive_whole_even_in_drops() {
    let address = serve(|_, stream| {
        let answer = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nwire\r\n3\r\nlab\r\n0\r\n\r\n";
        for piece in answer.chunks(11) {
            stream.write_all(piece).unwrap();
            await_read(stream);
        }
        Then::Keep
    });
    let mut job = job("http1", address);
    job["requests"][0]["expect"] = json!({ "body_xxh3": xxh3(b"wirelab") });
    run(job).assert_counts(50, json!({}));
}

#[test]
fn the_first_byte_has_a_time_of_its_own() {
    const PAUSE: Duration = Duration::from_millis(3);
    let address = serve(|_, stream| {
        let (first, rest) = (&ok(b"x")[..20], &ok(b"x")[20..]);
        stream.write_all(first).unwrap();
        await_read(stream);
        std::thread::sleep(PAUSE);
        stream.write_all(rest).unwrap();
        Then::Keep
    });
    let finished = run(job("http1", address));
    finished.assert_counts(50, json!({}));
    for sample in finished.samples() {
        let rest_ns = sample.end_ns - sample.first_byte_ns;
        assert!(rest_ns >= PAUSE.as_nanos() as i64, "{sample:?}");
    }
}

#[test]
fn large_bodies_are_sent_in_both_directions() {
    let question = vec![b'q'; 5_000_000];
    let answer = ok(&vec![b'a'; 3_000_000]);
    let expected = xxh3(&vec![b'a'; 3_000_000]);
    let address = serve(move |request, stream| {
        assert_eq!(request.body.len(), 5_000_000);
        stream.write_all(&answer).unwrap();
        Then::Keep
    });
    let mut job = job("http1", address);
    job["stop"] = json!({ "transactions": 5 });
    job["warm_up"] = json!({});
    job["requests"][0] = json!({ "method": "PUT", "path": "/", "body": base64(&question),
        "expect": { "body_xxh3": expected } });
    run(job).assert_counts(5, json!({}));
}

#[test]
fn a_connection_that_the_server_closes_is_opened_again() {
    let address = serve(|_, stream| {
        stream
            .write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nbye")
            .unwrap();
        Then::Close
    });
    let mut job = job("http1", address);
    job["requests"][0]["expect"] = json!({ "body_xxh3": xxh3(b"bye") });
    let finished = run(job);
    finished.assert_counts(50, json!({}));
    assert_eq!(finished.number("bytes.lifetime.connections"), 55.0);
    assert_eq!(finished.number("latency_us.connect.count"), 55.0);
}

#[test]
fn each_request_can_have_a_fresh_connection() {
    let address = serve(|request, stream| {
        assert!(request.head.contains("Connection: close"));
        stream.write_all(&ok(b"x")).unwrap();
        Then::Close
    });
    let mut job = job("http1", address);
    job["connections"] = json!({ "count": 2, "reuse": false });
    job["pacer"]["clients"] = json!(2);
    let finished = run(job);
    finished.assert_counts(50, json!({}));
    assert_eq!(finished.number("bytes.lifetime.connections"), 55.0);
}

#[test]
fn a_reset_in_the_middle_of_an_answer_is_one_error() {
    let address = serve(|request, stream| {
        if request.number != 20 {
            stream.write_all(&ok(b"x")).unwrap();
            return Then::Keep;
        }
        stream
            .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
            .unwrap();
        std::thread::sleep(Duration::from_millis(20));
        Then::Reset
    });
    let finished = run(job("http1", address));
    finished.assert_counts(50, json!({ "reset": 1 }));
    assert_eq!(finished.number("bytes.lifetime.connections"), 2.0);
}

#[test]
fn an_answer_cut_short_is_one_error() {
    let address = serve(|request, stream| {
        if request.number % 10 != 9 {
            stream.write_all(&ok(b"x")).unwrap();
            return Then::Keep;
        }
        stream
            .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
            .unwrap();
        Then::Close
    });
    run(job("http1", address)).assert_counts(50, json!({ "truncated": 5 }));
}

/// Nothing is answered late: what is not answered at once is held until the engine has given up.
#[test]
fn silence_and_slow_drops_time_out() {
    let address = serve(|request, stream| {
        match request.number % 10 {
            3 => {}
            6 => {
                for byte in ok(b"a slow loris")[..20].chunks(1) {
                    stream.write_all(byte).unwrap();
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
            _ => {
                stream.write_all(&ok(b"x")).unwrap();
                return Then::Keep;
            }
        }
        let _ = stream.read_to_end(&mut Vec::new());
        Then::Close
    });
    let mut job = job("http1", address);
    job["connections"] = json!({ "count": 4, "request_timeout_ms": 2000 });
    job["pacer"]["clients"] = json!(4);
    job["warm_up"] = json!({});
    job["stop"] = json!({ "transactions": 20 });
    let finished = run(job);
    finished.assert_counts(20, json!({ "timeout": 2, "slow_reply": 2 }));
    for sample in finished.samples().iter().filter(|it| !it.error.is_empty()) {
        let service_ns = sample.end_ns - sample.start_ns;
        assert!(service_ns >= 2_000_000_000, "{sample:?}");
    }
}

#[test]
fn malformed_and_oversized_answers_have_their_classes() {
    for (answer, class) in [
        ("SSH-2.0-OpenSSH_9.2\r\n", "protocol_error"),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
            "protocol_error",
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "protocol_error",
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab",
            "protocol_error",
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n",
            "oversized",
        ),
    ] {
        let mut job = job("http1", constant(answer.as_bytes().to_vec()));
        job["warm_up"] = json!({});
        job["stop"] = json!({ "transactions": 4 });
        let finished = run(job);
        assert_eq!(finished.code, 0);
        let failed = finished.result["counts"]["errors"][class]
            .as_u64()
            .unwrap_or(0);
        assert_eq!(failed, 4, "{answer}: {:#}", finished.result["counts"]);
    }
}

#[test]
fn a_killed_server_refuses_connections_from_then_on() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        drop(listener);
        for _ in 0..10 {
            let mut request = [0; 1024];
            let _ = std::io::Read::read(&mut stream, &mut request);
            stream.write_all(&ok(b"x")).unwrap();
        }
    });
    let mut job = job("http1", address);
    job["warm_up"] = json!({});
    job["stop"] = json!({ "transactions": 20 });
    let finished = run(job);
    assert_eq!(finished.code, 0, "{}", finished.stderr);
    assert_eq!(finished.number("counts.succeeded"), 10.0);
    assert!(
        finished.number("counts.errors.connect_refused") >= 9.0,
        "{:#}",
        finished.result
    );
}

/// The server answers none of the three requests of a round before all of them have come.
#[test]
fn rounds_follow_each_other_and_their_requests_go_in_parallel() {
    let (together, answered) = (Barrier::new(3), AtomicU64::new(0));
    let address = serve(move |received, stream| {
        let before = answered.load(Ordering::SeqCst);
        match received.path.as_str() {
            "/a" => assert_eq!(before % 4, 0, "the round before has ended"),
            _ => {
                together.wait();
                assert!(
                    answered.load(Ordering::SeqCst) % 4 >= 1,
                    "after the first round"
                );
            }
        }
        answered.fetch_add(1, Ordering::SeqCst);
        stream.write_all(&ok(received.path.as_bytes())).unwrap();
        Then::Keep
    });
    let mut job = job("http1", address);
    job["connections"]["count"] = json!(3);
    job["warm_up"] = json!({});
    job["stop"] = json!({ "transactions": 6 });
    let request =
        |path: &str| json!({ "path": path, "expect": { "body_xxh3": xxh3(path.as_bytes()) } });
    job["requests"] = json!([request("/a"), request("/b"), request("/c"), request("/d")]);
    job["transactions"][0]["rounds"] = json!([[0], [1, 2, 3]]);
    let finished = run(job);
    finished.assert_counts(6, json!({}));
    assert_eq!(finished.samples()[0].payload_bytes, 8);
}
