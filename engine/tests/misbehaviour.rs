//! Servers that misbehave: each way has its own error class, the run ends, and
//! what the server answers properly in between counts as what it is.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::Duration;

use crate::support::raw_server::{Behaviour, Transport, frame, serve};
use crate::support::seen::{Seen, assert_closure};
use crate::support::{Finished, job, run_within};
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(60);

fn raw_job(
    transport: Transport,
    behaviour: impl Fn(u64) -> Behaviour + Send + Sync + 'static,
) -> Value {
    let mut job = job(transport.name(), serve(transport, behaviour));
    job["warm_up"] = json!({});
    job["stop"] = json!({ "transactions": 20 });
    job["requests"][0]["expect"] = json!({ "body_length": 5 });
    job
}

/// Every other request is wronged.
fn run_alternating(transport: Transport, wrong: Behaviour) -> Finished {
    run_within(
        LIMIT,
        raw_job(transport, move |number| match number % 2 {
            0 => Behaviour::Answer,
            _ => wrong.clone(),
        }),
    )
}

fn assert_class(transports: &[Transport], wrong: &Behaviour, class: &str) {
    for &transport in transports {
        eprintln!("{transport:?} {class}");
        run_alternating(transport, wrong.clone()).assert_counts(20, json!({ class: 10 }));
    }
}

#[test]
fn an_end_before_the_answer_is_closed_early() {
    assert_class(&Transport::ALL, &Behaviour::Close, "closed_early");
}

#[test]
fn a_half_closed_connection_is_closed_early() {
    assert_class(&Transport::ALL, &Behaviour::HalfClose, "closed_early");
}

#[test]
fn an_end_within_the_answer_is_truncated() {
    assert_class(&Transport::ALL, &Behaviour::Truncate, "truncated");
}

#[test]
fn a_reset_is_a_reset_before_and_within_the_answer() {
    assert_class(&Transport::ALL, &Behaviour::Reset, "reset");
    assert_class(&Transport::ALL, &Behaviour::ResetMidway, "reset");
}

#[test]
fn bytes_of_another_protocol_are_a_protocol_error() {
    for transport in Transport::ALL {
        let finished = run_within(
            LIMIT,
            raw_job(transport, move |number| match (number % 2, transport) {
                (0, _) => Behaviour::Answer,
                (_, Transport::Http1) => Behaviour::Send(|_| Transport::Http1.garbage()),
                (_, Transport::Websocket) => Behaviour::Send(|_| Transport::Websocket.garbage()),
                _ => Behaviour::Send(|_| Transport::Http2.garbage()),
            }),
        );
        finished.assert_counts(20, json!({ "protocol_error": 10 }));
    }
}

/// Silence, a stall and a slow loris end at the deadline, and differ in whether bytes came. All of
/// them at once, for each takes its time.
#[test]
fn an_endless_answer_ends_at_the_deadline() {
    std::thread::scope(|scope| {
        for transport in Transport::ALL {
            for (behaviour, class) in [
                (Behaviour::Silence, "timeout"),
                (Behaviour::Stall, "slow_reply"),
                (Behaviour::Drip, "slow_reply"),
            ] {
                scope.spawn(move || {
                    eprintln!("{transport:?} {behaviour:?}");
                    let mut job = raw_job(transport, move |_| behaviour.clone());
                    job["connections"] =
                        json!({ "count": 4, "request_timeout_ms": 2000, "reuse": false });
                    job["pacer"]["clients"] = json!(4);
                    job["stop"] = json!({ "transactions": 4 });
                    let finished = run_within(LIMIT, job);
                    finished.assert_counts(4, json!({ class: 4 }));
                    let least = finished.number("latency_us.service.min");
                    assert!(least >= 2000e3, "{least}");
                });
            }
        }
    });
}

#[test]
fn endless_headers_are_oversized() {
    let many = b"x-padding: 0123456789\r\n".repeat(500);
    let http1 = Behaviour::Flood(b"HTTP/1.1 200 OK\r\n", many);
    assert_class(&[Transport::Http1], &http1, "oversized");
    let http2 = Behaviour::Send(|id| {
        let mut frames = frame(1, 0, id, &[0x88]);
        for _ in 0..17 {
            frames.extend(frame(9, 0, id, &[0; 16_384]));
        }
        frames
    });
    assert_class(&[Transport::Http2, Transport::Grpc], &http2, "oversized");
}

#[test]
fn an_answer_that_is_too_long_to_be_kept_is_oversized() {
    // What is compressed is kept whole.
    const HEAD: &[u8] =
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n";
    let chunk = [b"100000\r\n", vec![b'x'; 1 << 20].as_slice(), b"\r\n"].concat();
    let flood = Behaviour::Flood(HEAD, chunk);
    let mut job = raw_job(Transport::Http1, move |_| flood.clone());
    job["connections"]["request_timeout_ms"] = json!(60_000);
    job["stop"] = json!({ "transactions": 2 });
    let finished = run_within(LIMIT, job);
    finished.assert_counts(2, json!({ "oversized": 2 }));
    let announced = Behaviour::Send(|_| b"\x81\x7f\0\0\x01\0\0\0\0\0".to_vec());
    assert_class(&[Transport::Websocket], &announced, "oversized");
}

#[test]
fn text_that_is_not_utf8_is_distinguished_from_other_faults() {
    for bad in [
        Behaviour::Send(|_| b"\x81\x05h\xffllo".to_vec()),
        Behaviour::Send(|_| b"\x01\x02h\xc3\x80\x03\x28lo".to_vec()),
    ] {
        assert_class(&[Transport::Websocket], &bad, "invalid_utf8");
    }
    // A character may be cut in two by the fragments, and a binary message may hold anything.
    let mut job = raw_job(Transport::Websocket, |number| match number % 2 {
        0 => Behaviour::Send(|_| b"\x01\x02h\xc3\x80\x03\xa4lo".to_vec()),
        _ => Behaviour::Send(|_| b"\x82\x05h\xffllo".to_vec()),
    });
    job["stop"] = json!({ "transactions": 10 });
    run_within(LIMIT, job).assert_counts(10, json!({}));
}

const HTTP2: [Transport; 2] = [Transport::Http2, Transport::Grpc];

#[test]
fn a_reset_stream_is_a_stream_reset() {
    let reset = Behaviour::Send(|id| frame(3, 0, id, &[0, 0, 0, 2]));
    assert_class(&HTTP2, &reset, "stream_reset");
}

#[test]
fn streams_beyond_the_last_one_of_a_goaway_are_counted_as_such() {
    let goaway = Behaviour::Send(|_| frame(7, 0, 0, &[0, 0, 0, 0, 0, 0, 0, 11]));
    assert_class(&HTTP2, &goaway, "goaway");
    let finished = run_alternating(Transport::Http2, goaway);
    assert_eq!(finished.result["mismatches"][0]["got"], "ENHANCE_YOUR_CALM");
    // Each time the connection is left and another one is made.
    assert_eq!(finished.number("bytes.lifetime.connections"), 10.0);
}

/// The connection is closing and its last stream never ends: the place must not be lost.
#[test]
fn silence_after_a_goaway_ends_at_the_deadline() {
    let goaway = Behaviour::Send(|id| {
        let last = id.to_be_bytes();
        frame(7, 0, 0, &[&last[..], &[0; 4]].concat())
    });
    let mut job = raw_job(Transport::Http2, move |_| goaway.clone());
    job["connections"]["request_timeout_ms"] = json!(100);
    job["stop"] = json!({ "transactions": 4 });
    run_within(LIMIT, job).assert_counts(4, json!({ "timeout": 4 }));
}

/// With no stream allowed nothing could ever be sent, and nothing would time out.
#[test]
fn a_connection_whose_server_stops_allowing_streams_is_closed() {
    let shut = Behaviour::Send(|id| {
        let settings = frame(4, 0, 0, &[0, 3, 0, 0, 0, 0]);
        [settings, Transport::Http2.answer(id)].concat()
    });
    let finished = run_alternating(Transport::Http2, shut);
    finished.assert_counts(20, json!({}));
    assert_eq!(finished.number("bytes.lifetime.connections"), 10.0);
}

#[test]
fn a_server_that_allows_no_streams_from_the_beginning_is_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let settings = frame(4, 0, 0, &[0, 3, 0, 0, 0, 0]);
        stream.write_all(&settings).unwrap();
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let mut job = job("http2", address);
    job["connections"]["connect_timeout_ms"] = json!(1000);
    let finished = run_within(LIMIT, job);
    assert_eq!(finished.code, 3);
    assert!(
        finished.stderr.contains("handshake_failed"),
        "{}",
        finished.stderr
    );
}

#[test]
fn a_wrong_answer_in_a_hundred_is_found_in_every_protocol() {
    for transport in Transport::ALL {
        let mut job = raw_job(transport, move |number| match (number % 100, transport) {
            (50, Transport::Http1) => Behaviour::Send(|_| hollo(Transport::Http1, 0)),
            (50, Transport::Http2) => Behaviour::Send(|id| hollo(Transport::Http2, id)),
            (50, Transport::Grpc) => Behaviour::Send(|id| hollo(Transport::Grpc, id)),
            (50, Transport::Websocket) => Behaviour::Send(|_| hollo(Transport::Websocket, 0)),
            _ => Behaviour::Answer,
        });
        job["requests"][0]["expect"] = json!({ "body_xxh3": crate::support::xxh3(b"hello") });
        job["stop"] = json!({ "transactions": 1000 });
        let finished = run_within(LIMIT, job);
        finished.assert_counts(1000, json!({ "body_mismatch": 10 }));
        assert_eq!(finished.result["mismatches"][0]["excerpt"], "hollo");
    }
}

/// The ordinary answer, but for one letter.
fn hollo(transport: Transport, id: u32) -> Vec<u8> {
    let mut answer = transport.answer(id);
    let place = answer.windows(5).position(|it| it == b"hello").unwrap();
    answer[place + 1] = b'o';
    answer
}

/// Whatever it speaks, and whatever the machine does meanwhile.
#[test]
fn a_time_is_that_of_the_server_and_of_the_connection() {
    for transport in Transport::ALL {
        let seen = Seen::default();
        let server = seen.clone();
        let mut job = raw_job(transport, move |_| {
            server.take(Duration::from_millis(5));
            Behaviour::Answer
        });
        job["stop"] = json!({ "transactions": 100 });
        let finished = run_within(LIMIT, job);
        finished.assert_counts(100, json!({}));
        let samples = finished.samples();
        seen.assert_contained_in(&samples);
        assert_closure(finished.number("little_closure"), &samples);
    }
}
