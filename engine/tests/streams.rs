//! Replies and requests that are streams of gRPC, in every direction.

use std::time::Duration;

use crate::support::grpc_server::{self, DOWNLOADED};
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
