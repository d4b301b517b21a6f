//! Replies and requests that are streams of gRPC, in every direction.

use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::support::grpc_server::{self, DOWNLOADED};
use crate::support::http_server::{Then, serve};
use crate::support::{base64, job, run, run_within, xxh3};
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(60);

fn grpc_job(method: &str, stream: Value) -> (Value, grpc_server::Log) {
    let (address, log) = grpc_server::serve();
    let mut job = job("grpc", address);
    job["connections"] = json!({ "count": 1, "streams_per_connection": 4 });
    job["pacer"]["clients"] = json!(4);
    job["warm_up"] = json!({});
    job["stop"] = json!({ "transactions": 20 });
    job["requests"][0]["path"] = json!(format!("/test.Test/{method}"));
    job["requests"][0]["body"] = json!(base64(b"hello"));
    job["requests"][0]["stream"] = stream;
    (job, log)
}

#[test]
fn a_grpc_server_streams() {
    let (mut job, _) = grpc_job("Download", json!({}));
    let whole = (0..DOWNLOADED).map(|number| format!("item {number}"));
    let whole: String = whole.collect();
    job["requests"][0]["expect"] =
        json!({ "items": DOWNLOADED, "body_xxh3": xxh3(whole.as_bytes()) });
    let finished = run(job);
    finished.assert_counts(20, json!({}));
    let received = 20.0 * DOWNLOADED as f64;
    assert_eq!(finished.number("items.received"), received);
    assert_eq!(finished.number("items.sent"), 20.0);
    let rate = received / finished.number("window.duration_s");
    assert!((finished.number("items.received_per_s") / rate - 1.0).abs() < 1e-6);
    // A pause of 5 ms before each message.
    let (first, last) = (
        finished.number("items.first_us.min"),
        finished.number("items.last_us.min"),
    );
    assert!(first >= 5e3, "{first}");
    assert!(last >= 25e3, "{last}");
    assert!(finished.number("latency_us.service.min") >= last);
    for sample in finished.samples() {
        assert_eq!((sample.items, sample.items_sent), (DOWNLOADED as u64, 1));
        assert!(sample.first_byte_ns <= sample.first_item_ns, "{sample:?}");
        assert!(sample.first_item_ns <= sample.last_item_ns, "{sample:?}");
        assert!(sample.last_item_ns <= sample.end_ns);
    }
}

/// Messages larger than every window, so that turns and windows have to get along.
#[test]
fn large_messages_stream_in_turn() {
    let (mut job, _) = grpc_job("Chat", json!({ "send": 4, "in_turn": true }));
    let message = vec![b'm'; 200_000];
    job["requests"][0]["body"] = json!(base64(&message));
    let expect = json!({ "items": 4, "body_xxh3": xxh3(&message.repeat(4)) });
    job["requests"][0]["expect"] = expect;
    run(job).assert_counts(20, json!({}));
}

#[test]
fn an_endless_stream_is_cancelled_after_its_number_of_items_or_its_time() {
    let (job, log) = grpc_job("Endless", json!({ "until_items": 3 }));
    let finished = run_within(LIMIT, job);
    finished.assert_counts(20, json!({}));
    assert_eq!(finished.number("items.received"), 60.0);
    assert_eq!(finished.number("bytes.lifetime.connections"), 1.0);
    await_log(&log, "CANCEL", 20);

    let (mut job, log) = grpc_job("Endless", json!({ "until_ms": 50 }));
    job["stop"] = json!({ "transactions": 8 });
    let finished = run_within(LIMIT, job);
    finished.assert_counts(8, json!({}));
    let least = finished.number("latency_us.service.min");
    assert!(least >= 50e3, "{least}");
    assert!(finished.number("items.received") >= 1.0);
    await_log(&log, "CANCEL", 8);
}

#[test]
fn a_stream_without_items_within_its_time_is_no_failure() {
    let (mut job, log) = grpc_job("Hush", json!({ "until_ms": 50 }));
    job["stop"] = json!({ "transactions": 8 });
    let finished = run_within(LIMIT, job);
    finished.assert_counts(8, json!({}));
    assert_eq!(finished.number("items.received"), 0.0);
    assert_eq!(finished.number("items.first_us.count"), 0.0);
    await_log(&log, "CANCEL", 8);
}

#[test]
fn a_deadline_is_sent_and_observed() {
    let (mut job, log) = grpc_job("Silent", Value::Null);
    job["requests"][0]["deadline_ms"] = json!(990);
    job["stop"] = json!({ "transactions": 4 });
    let finished = run_within(LIMIT, job);
    // The headers of the response have come, but no message.
    finished.assert_counts(4, json!({ "slow_reply": 4 }));
    let least = finished.number("latency_us.service.min");
    assert!(least >= 990e3, "{least}");
    await_log(&log, "990m", 4);
    await_log(&log, "CANCEL", 4);
}

/// Waits until the server has noticed something this number of times.
fn await_log(log: &grpc_server::Log, text: &str, times: usize) {
    for _ in 0..200 {
        let log = log.lock().unwrap();
        if log.iter().filter(|entry| entry.contains(text)).count() == times {
            return;
        }
        drop(log);
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("not {times} times {text}: {:?}", log.lock().unwrap());
}

#[test]
fn failures_of_a_stream_have_their_class() {
    for (method, class) in [
        ("Fails", "grpc_status"),
        ("Cut", "protocol_error"),
        ("Unknown", "grpc_status"),
    ] {
        let (job, _) = grpc_job(method, json!({}));
        run(job).assert_counts(20, json!({ class: 20 }));
    }
    let (mut job, _) = grpc_job("Download", json!({}));
    job["requests"][0]["expect"] = json!({ "items": 4 });
    let finished = run(job);
    finished.assert_counts(20, json!({ "item_count": 20 }));
    let mismatch = &finished.result["mismatches"][0];
    assert_eq!(
        (&mismatch["expected"], &mismatch["got"]),
        (&json!("4"), &json!("5"))
    );
}

#[test]
fn a_client_streams_different_messages() {
    for stream in [
        json!({ "messages": [base64(b"one"), base64(b""), base64(b"three")] }),
        json!({ "messages": [base64(b"one"), base64(b"three")], "send": 2, "in_turn": true }),
    ] {
        let (mut job, _) = grpc_job("Chat", stream.clone());
        let (all, count) = match stream["send"].is_null() {
            true => (&b"onethree"[..], 3),
            false => (&b"onethreeonethree"[..], 4),
        };
        job["requests"][0]["expect"] = json!({ "items": count, "body_xxh3": xxh3(all) });
        let finished = run(job);
        finished.assert_counts(20, json!({}));
        assert_eq!(finished.number("items.sent"), 20.0 * f64::from(count));
        let payload = finished.number("bytes.window.payload_sent");
        assert_eq!(payload, 20.0 * all.len() as f64);
    }
}

/// A server of events, each after a pause, with a log of the gaps between them.
fn events(pauses_ms: &'static [u64]) -> (std::net::SocketAddr, Arc<Mutex<Vec<u64>>>) {
    let log = Arc::new(Mutex::new(Vec::new()));
    let gaps = Arc::clone(&log);
    let address = serve(move |_, stream| {
        let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
        stream.write_all(head).unwrap();
        let mut last: Option<Instant> = None;
        for pause in pauses_ms {
            std::thread::sleep(Duration::from_millis(*pause));
            let now = Instant::now();
            if stream.write_all(b"data: x\n\n").is_err() {
                break;
            }
            let gap = last.replace(now).map(|last| now - last);
            gaps.lock()
                .unwrap()
                .extend(gap.map(|gap| gap.as_nanos() as u64));
        }
        Then::Close
    });
    (address, log)
}

/// Whenever server and engine are woken: the kernel says when the items arrived.
#[test]
fn gaps_are_those_of_the_server() {
    const PAUSES_MS: &[u64] = &[3, 7, 2, 5, 2, 9, 4, 6, 3, 8, 2, 5, 7, 4, 3, 6, 2, 8, 5, 4];
    let (address, log) = events(PAUSES_MS);
    let mut job = job("http1", address);
    job["connections"]["count"] = json!(4);
    job["pacer"] = json!({ "kind": "constant", "rate_per_s": 20.0 });
    job["warm_up"] = json!({});
    job["stop"] = json!({ "transactions": 30 });
    job["requests"][0]["stream"] = json!({ "items": "events", "stall_ms": 5 });
    let finished = run(job);
    finished.assert_counts(30, json!({}));
    let mut gaps = log.lock().unwrap().clone();
    gaps.sort_unstable();
    assert_eq!(finished.number("items.gap_us.count"), gaps.len() as f64);
    for (share, name) in [(0.5, "p50"), (0.9, "p90")] {
        let rank = (share * gaps.len() as f64).ceil() as usize - 1;
        let (true_us, measured_us) = (
            gaps[rank] as f64 / 1e3,
            finished.number(&format!("items.gap_us.{name}")),
        );
        let error = (measured_us - true_us).abs();
        assert!(error < 50.0, "{name}: {measured_us} of {true_us}");
    }
    let stalls = gaps.iter().filter(|gap| **gap > 5_000_000).count() as f64;
    let counted = finished.number("items.stalls");
    assert!(
        (counted - stalls).abs() <= 0.1 * stalls,
        "{counted} of {stalls}"
    );
}

/// A stream that had to wait for its connection is late, whatever the server did then.
#[test]
fn the_first_item_counts_from_the_intended_start() {
    let (address, _) = events(&[50, 50]);
    let mut job = job("http1", address);
    job["pacer"] = json!({ "kind": "constant", "rate_per_s": 100.0 });
    job["warm_up"] = json!({});
    job["stop"] = json!({ "transactions": 5 });
    job["requests"][0]["stream"] = json!({ "items": "events" });
    let finished = run(job);
    finished.assert_counts(5, json!({}));
    // The fifth is due after 40 ms, and begins when four have taken 100 ms each.
    let last = finished.number("items.first_us.max");
    assert!(last >= 400e3, "{last}");
    let slice = &finished.whole["slices"][0]["items"];
    assert!(
        slice["first_median_us"].as_f64().unwrap() >= 200e3,
        "{slice}"
    );
    assert!(slice["gap_median_us"].as_f64().unwrap() >= 50e3, "{slice}");
}

#[test]
fn only_items_with_a_value_at_the_pointer_count() {
    let address = serve(|_, stream| {
        let events = [
            r#"{"choices":[{"delta":{"role":"assistant","content":""}}]}"#,
            r#"{"choices":[{"delta":{"content":"Hello"}}]}"#,
            r#"{"choices":[{"delta":{"content":" world"}}]}"#,
            r#"{"choices":[{"delta":{}}]}"#,
            "[DONE]",
        ];
        let events: String = events.map(|it| format!("data: {it}\n\n")).concat();
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n",
            events.len()
        );
        stream.write_all((head + &events).as_bytes()).unwrap();
        Then::Keep
    });
    let mut job = job("http1", address);
    job["requests"][0]["stream"] =
        json!({ "items": "events", "pointer": "/choices/0/delta/content" });
    job["requests"][0]["expect"] = json!({ "items": 2 });
    run(job).assert_counts(50, json!({}));
}
