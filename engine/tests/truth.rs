//! Servers of which the truth is known: what the engine says of them must be it.

use std::io::Write;
use std::net::SocketAddr;
use std::time::Duration;

use crate::support::http_server::{Then, ok, serve};
use crate::support::seen::Seen;
use crate::support::{job, run};
use serde_json::json;

/// A server that takes so long for each answer, by its number.
fn slow(milliseconds: impl Fn(u64) -> u64 + Send + Sync + 'static) -> SocketAddr {
    serve(move |request, stream| {
        std::thread::sleep(Duration::from_millis(milliseconds(request.number)));
        let _ = stream.write_all(&ok(b"x"));
        Then::Keep
    })
}

#[test]
fn a_load_with_a_schedule_is_timed_like_one_without() {
    for pacer in [
        json!({ "kind": "closed", "clients": 1 }),
        json!({ "kind": "constant", "rate_per_s": 100.0 }),
    ] {
        let seen = Seen::default();
        let server = seen.clone();
        let mut job = job(
            "http1",
            serve(move |_, stream| {
                server.take(Duration::from_millis(5));
                let _ = stream.write_all(&ok(b"x"));
                Then::Keep
            }),
        );
        job["arrival"] = json!("engine");
        job["pacer"] = pacer;
        job["stop"] = json!({ "transactions": 100 });
        let finished = run(job);
        finished.assert_counts(100, json!({}));
        for sample in finished.samples() {
            assert!(sample.intended_ns <= sample.start_ns, "{sample:?}");
        }
        // From the actual start, which the schedule does not put off for the server to see.
        let mut samples = finished.samples();
        for sample in &mut samples {
            sample.intended_ns = sample.start_ns;
        }
        seen.assert_contained_in(&samples);
    }
}

/// With windows this short, half of the clients have nothing to do for a good part of it.
#[test]
fn littles_law_closes_in_the_shortest_window() {
    let address = slow(|number| 40 + 20 * (number % 6));
    for think_time_us in [0, 30_000] {
        let mut job = job("http1", address);
        job["connections"]["count"] = json!(20);
        job["pacer"] = json!({ "kind": "closed", "clients": 20, "think_time_us": think_time_us });
        job["warm_up"] = json!({});
        job["stop"] = json!({ "seconds": 0.3 });
        let finished = run(job);
        // All that is missing is what the engine took from when a request was due.
        let samples = finished.samples();
        let late: i64 = samples.iter().map(|it| it.start_ns - it.intended_ns).sum();
        let whole: i64 = (0..20)
            .map(|client| {
                let own = || samples.iter().filter(|it| it.client == client);
                let began = own().map(|it| it.intended_ns).min().unwrap();
                own().map(|it| it.end_ns).max().unwrap() - began
            })
            .sum();
        let closure = finished.number("little_closure");
        let expected = 1.0 - late as f64 / whole as f64;
        assert!((closure - expected).abs() < 1e-6, "{closure} {expected}");
    }
}

/// A server that closes each connection makes the engine close its own side, too, before the client
/// can go on: that is neither the server's time nor hidden.
#[test]
fn the_closing_of_connections_is_accounted_for() {
    let address = serve(|_, stream| {
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx";
        stream.write_all(answer).unwrap();
        Then::Close
    });
    let mut job = job("http1", address);
    job["stop"] = json!({ "transactions": 500 });
    let finished = run(job);
    finished.assert_counts(500, json!({}));
    let samples = finished.samples();
    let late: i64 = samples.iter().map(|it| it.start_ns - it.intended_ns).sum();
    let whole = samples[499].end_ns - samples[0].intended_ns;
    let closure = finished.number("little_closure");
    let missing = late as f64 / whole as f64;
    assert!(1.0 - closure < 0.5 * missing, "{closure}, {missing} late");
    assert!(closure < 1.001, "{closure}");
}

/// The times are the server's, for the most part, so that they can be known.
#[test]
fn a_window_ends_when_enough_is_known() {
    let mut job = job("http1", slow(|_| 5));
    job["connections"]["count"] = json!(4);
    job["pacer"] = json!({ "kind": "closed", "clients": 4 });
    job["stop"] = json!({ "seconds": 60, "precision": { "of": "p50", "half_width": 0.5 } });
    let finished = run(job);
    assert_eq!(finished.code, 0);
    assert_eq!(finished.result["precision"]["reached"], true);
    assert!(finished.number("precision.estimate.half_width") <= 0.5);
    // It takes forty looks, a twentieth of a second apart.
    assert!(finished.number("window.duration_s") >= 2.0);
    assert_eq!(finished.number("counts.failed"), 0.0);
    assert_eq!(finished.number("counts.dropped"), 0.0);
    assert!(finished.number("precision.estimate.value_us") >= 5_000.0);
}

#[test]
fn a_precision_out_of_reach_is_reported() {
    let mut job = job("http1", slow(|number| 1 + number % 3));
    job["stop"] = json!({ "seconds": 1.5, "precision": { "half_width": 0.0001 } });
    let finished = run(job);
    assert_eq!(finished.code, 0);
    assert_eq!(finished.result["precision"]["reached"], false);
    assert_eq!(finished.number("precision.wanted_half_width"), 0.0001);
}
