//! Servers of which the truth is known: what the engine says of them must be it.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

mod support;

use std::io::Write;
use std::net::SocketAddr;
use std::time::Duration;

use serde_json::json;
use support::http_server::{Then, constant, ok, serve};
use support::{job, run, undisturbed};

/// A server that takes so long for each answer, by its number.
fn slow(milliseconds: impl Fn(u64) -> u64 + Send + Sync + 'static) -> SocketAddr {
    serve(move |asked, stream| {
        std::thread::sleep(Duration::from_millis(milliseconds(asked.number)));
        let _ = stream.write_all(&ok(b"x"));
        Then::Keep
    })
}

#[test]
fn a_server_that_sleeps_five_milliseconds() {
    undisturbed(|| {
        let address = slow(|_| 5);
        for pacer in [
            json!({ "kind": "closed", "clients": 2 }),
            json!({ "kind": "constant", "rate_per_s": 100.0 }),
        ] {
            let mut job = job("http1", address);
            job["connections"]["count"] = json!(2);
            job["pacer"] = pacer;
            job["stop"] = json!({ "transactions": 100 });
            let finished = run(job);
            finished.assert_counts(100, json!({}));
            for clock in ["service", "response"] {
                let least = finished.number(&format!("latency_us.{clock}.min"));
                let median = finished.number(&format!("latency_us.{clock}.p50"));
                assert!(least >= 5_000.0, "{clock}: {least}");
                assert!((5_000.0..6_000.0).contains(&median), "{clock}: {median}");
            }
        }
    });
}

/// With windows this short, half of the clients have nothing to do for a good part of it.
#[test]
fn littles_law_closes_in_the_shortest_window() {
    undisturbed(|| {
        let address = slow(|number| 40 + 20 * (number % 6));
        for think_time_us in [0, 30_000] {
            let mut job = job("http1", address);
            job["connections"]["count"] = json!(20);
            job["pacer"] =
                json!({ "kind": "closed", "clients": 20, "think_time_us": think_time_us });
            job["warm_up"] = json!({});
            job["stop"] = json!({ "seconds": 0.3 });
            let finished = run(job);
            let closure = finished.number("little_closure");
            assert!((0.99..=1.001).contains(&closure), "{closure}");
            let naive = finished.number("throughput_per_s")
                * (finished.number("latency_us.service.mean") + f64::from(think_time_us))
                / 1e6
                / 20.0;
            assert!((naive - 1.0).abs() > 0.03, "no edges to speak of: {naive}");
        }
    });
}

#[test]
fn a_window_ends_when_enough_is_known() {
    let mut job = job("http1", constant(ok(b"x")));
    job["connections"]["count"] = json!(4);
    job["pacer"] = json!({ "kind": "closed", "clients": 4 });
    job["stop"] = json!({ "seconds": 60, "precision": { "of": "p50", "half_width": 0.2 } });
    let finished = run(job);
    assert_eq!(finished.code, 0);
    assert_eq!(finished.result["precision"]["reached"], true);
    assert!(finished.number("precision.estimate.half_width") <= 0.2);
    let seconds = finished.number("window.duration_s");
    assert!((2.0..50.0).contains(&seconds), "{seconds}");
    assert_eq!(finished.number("counts.failed"), 0.0);
    assert_eq!(finished.number("counts.dropped"), 0.0);
    let (median, estimate) = (
        finished.number("latency_us.response.p50"),
        finished.number("precision.estimate.value_us"),
    );
    assert!((estimate / median - 1.0).abs() < 0.3, "{estimate} {median}");
}

#[test]
fn a_precision_out_of_reach_says_so() {
    undisturbed(|| {
        let mut job = job("http1", slow(|number| 1 + number % 3));
        job["stop"] = json!({ "seconds": 1.5, "precision": { "half_width": 0.0001 } });
        let finished = run(job);
        assert_eq!(finished.result["precision"]["reached"], false);
        assert!(finished.number("precision.estimate.half_width") > 0.0001);
    });
}
