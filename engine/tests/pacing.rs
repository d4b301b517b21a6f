//! Schedules, and what they reveal about a server.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

mod support;

use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::json;
use support::http_server::{Then, constant, ok, serve};
use support::samples::Row;
use support::{Finished, job, run, undisturbed};

/// Times are looked at here, so the tests keep out of each other's way.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn intended(finished: &Finished) -> Vec<i64> {
    let mut times: Vec<i64> = finished.samples().iter().map(|it| it.intended_ns).collect();
    times.sort_unstable();
    times
}

#[test]
fn a_constant_rate_is_constant() {
    let _turn = turn();
    let mut job = job("http1", constant(ok(b"x")));
    job["pacer"] = json!({ "kind": "constant", "rate_per_s": 400.0 });
    job["stop"] = json!({ "transactions": 400 });
    let finished = run(job);
    finished.assert_counts(400, json!({}));
    let expected: Vec<i64> = (0..400).map(|number| number * 2_500_000).collect();
    assert_eq!(intended(&finished), expected);
    assert_eq!(finished.number("offered_rate_per_s"), 400.0);
    assert!((0.97..=1.03).contains(&finished.number("little_closure")));
    assert_eq!(finished.number("counts.never_sent"), 0.0);
}

#[test]
fn poisson_arrivals_follow_their_seed() {
    let _turn = turn();
    let address = constant(ok(b"x"));
    let schedule = |seed: u64| {
        let mut job = job("http1", address);
        job["connections"]["count"] = json!(4);
        job["pacer"] = json!({ "kind": "poisson", "rate_per_s": 500.0, "seed": seed });
        job["stop"] = json!({ "transactions": 300 });
        let finished = run(job);
        finished.assert_counts(300, json!({}));
        intended(&finished)
    };
    let times = schedule(3);
    assert_eq!(times, schedule(3));
    assert_ne!(times, schedule(4));
    assert!((0.4..0.9).contains(&(*times.last().unwrap() as f64 / 1e9)));
}

#[test]
fn ramps_stairs_and_lists_are_kept() {
    let _turn = turn();
    let address = constant(ok(b"x"));
    let schedule = |pacer: serde_json::Value, stop: serde_json::Value, count: u64| {
        let mut job = job("http1", address);
        job["pacer"] = pacer;
        job["stop"] = stop;
        let finished = run(job);
        finished.assert_counts(count, json!({}));
        intended(&finished)
    };
    let ramp = json!({ "kind": "ramp", "from_rate_per_s": 100.0, "to_rate_per_s": 300.0,
                       "seconds": 0.5 });
    let times = schedule(ramp, json!({ "transactions": 130 }), 130);
    assert_eq!(times[100..102], [500_000_000, 503_333_333]);
    let stairs = json!({ "kind": "staircase", "from_rate_per_s": 100.0, "to_rate_per_s": 200.0,
                         "steps": 2, "step_seconds": 0.2 });
    let times = schedule(stairs, json!({ "transactions": 30 }), 30);
    assert_eq!(times[19..22], [190_000_000, 200_000_000, 205_000_000]);
    let list = json!({ "kind": "replay", "times_us": [0, 100_000, 100_000.5, 250_000] });
    let times = schedule(list, json!({}), 4);
    assert_eq!(times, [0, 100_000_000, 100_000_500, 250_000_000]);
}

#[test]
fn think_time_is_kept() {
    let _turn = turn();
    let mut job = job("http1", constant(ok(b"x")));
    job["pacer"] = json!({ "kind": "closed", "clients": 1, "think_time_us": 10_000 });
    job["stop"] = json!({ "transactions": 20 });
    job["warm_up"] = json!({});
    let finished = run(job);
    finished.assert_counts(20, json!({}));
    let samples = finished.samples();
    for pair in samples.windows(2) {
        assert_eq!(pair[1].intended_ns - pair[0].end_ns, 10_000_000);
    }
    // Of the client's time, all but the lag behind the schedule is answers and thinking.
    let late: i64 = samples[1..]
        .iter()
        .map(|it| it.start_ns - it.intended_ns)
        .sum();
    let whole = samples[19].end_ns - samples[0].start_ns;
    let closure = 1.0 - late as f64 / whole as f64;
    assert!((finished.number("little_closure") - closure).abs() < 1e-6);
}

/// Each client thinks for itself, also between transactions of several rounds.
#[test]
fn every_client_thinks_after_each_of_its_transactions() {
    let _turn = turn();
    let mut job = job("http1", constant(ok(b"x")));
    job["connections"]["count"] = json!(3);
    job["pacer"] = json!({ "kind": "closed", "clients": 3, "think_time_us": 5_000 });
    job["transactions"][0]["rounds"] = json!([[0], [0, 0]]);
    job["stop"] = json!({ "transactions_per_client": 10 });
    job["warm_up"] = json!({});
    let finished = run(job);
    finished.assert_counts(30, json!({}));
    for client in 0..3 {
        let samples = finished.samples();
        let own: Vec<&Row> = samples.iter().filter(|it| it.client == client).collect();
        assert_eq!(own.len(), 10);
        for pair in own.windows(2) {
            assert_eq!(pair[1].intended_ns - pair[0].end_ns, 5_000_000);
        }
    }
}

/// The server stands still once for 400 ms. Whoever arrives in that time waits, which only the
/// time from the intended start shows: the engine cannot send either, having one connection.
#[test]
fn a_freeze_shows_in_the_response_time_and_hides_in_the_service_time() {
    let _turn = turn();
    let address = serve(|asked, stream| {
        // After 0.8 s at this rate.
        if asked.number == 205 {
            std::thread::sleep(Duration::from_millis(400));
        }
        stream.write_all(&ok(b"x")).unwrap();
        Then::Keep
    });
    let mut job = job("http1", address);
    job["pacer"] = json!({ "kind": "constant", "rate_per_s": 250.0 });
    job["stop"] = json!({ "transactions": 500 });
    let finished = run(job);
    finished.assert_counts(500, json!({}));
    // 100 of 500 arrivals fall into the freeze and wait 200 ms on average; one of them is sent.
    let slow = |time: fn(&Row) -> i64| {
        let samples = finished.samples();
        samples.iter().filter(|it| time(it) > 20_000_000).count()
    };
    let slow_responses = slow(|it| it.end_ns - it.intended_ns);
    let slow_services = slow(|it| it.end_ns - it.start_ns);
    assert!(slow_responses >= 85, "{slow_responses}");
    assert!(slow_responses >= slow_services + 80, "{slow_services}");
    assert!(finished.number("latency_us.response.p90") > 100e3);
    assert!(finished.number("latency_us.response.p99") > 350e3);
    assert!(finished.number("latency_us.service.p90") < 50e3);
    assert!(finished.number("latency_us.service.max") > 395e3);
    assert!(finished.number("counts.late") >= 85.0);
}

/// How long the server stands still in Tene's example.
const FREEZE_US: f64 = 1e6;

/// Tene's example of coordinated omission (vector V12 of the method), at a hundredth of its length:
/// 200 answers of 1 ms, then the server stands still for as long as they took at one in 5 ms.
#[test]
fn the_response_times_of_a_freeze_have_the_published_shape() {
    let _turn = turn();
    undisturbed(|| {
        let address = serve(|asked, stream| {
            match asked.number {
                0..205 => std::thread::sleep(Duration::from_millis(1)),
                205 => std::thread::sleep(Duration::from_micros(FREEZE_US as u64)),
                // What has piled up is answered at once, so that it adds nothing to the freeze.
                _ => {}
            }
            stream.write_all(&ok(b"x")).unwrap();
            Then::Keep
        });
        let mut job = job("http1", address);
        job["pacer"] = json!({ "kind": "constant", "rate_per_s": 200.0 });
        job["stop"] = json!({ "transactions": 400 });
        let finished = run(job);
        finished.assert_counts(400, json!({}));
        let response = |name: &str| finished.number(&format!("latency_us.response.{name}"));
        let near = |name: &str, share: f64| {
            let (measured, expected) = (response(name), share * FREEZE_US);
            assert!(
                (measured / expected - 1.0).abs() < 0.03,
                "{name}: {measured}"
            );
        };
        // Half of them were answered at once; the median itself lies on the edge between the halves.
        let samples = finished.samples();
        let quick = |it: &&Row| it.end_ns - it.intended_ns < 20_000_000;
        let quick = samples.iter().filter(quick).count();
        assert!((180..=210).contains(&quick), "{quick}");
        near("mean", 0.25);
        near("p90", 0.80);
        near("p99", 0.98);
        near("max", 1.0);
        let service = |name: &str| finished.number(&format!("latency_us.service.{name}"));
        assert!(service("p99") < 50e3, "{}", service("p99"));
        assert!(service("mean") < 0.01 * FREEZE_US, "{}", service("mean"));
        assert!(service("max") > 0.99 * FREEZE_US, "{}", service("max"));
    });
}

#[test]
fn what_a_slow_server_leaves_over_is_counted_as_never_sent() {
    let _turn = turn();
    let address = serve(|_, stream| {
        std::thread::sleep(Duration::from_millis(20));
        stream.write_all(&ok(b"x")).unwrap();
        Then::Keep
    });
    let mut job = job("http1", address);
    job["pacer"] = json!({ "kind": "constant", "rate_per_s": 200.0 });
    job["warm_up"] = json!({});
    job["stop"] = json!({ "seconds": 1.0 });
    let finished = run(job);
    let done = finished.number("counts.transactions");
    assert!((1.0..=51.0).contains(&done), "{done}");
    assert_eq!(done + finished.number("counts.never_sent"), 200.0);
}

#[test]
fn the_first_stop_condition_counts() {
    let _turn = turn();
    let address = constant(ok(b"x"));
    let mut job = job("http1", address);
    job["stop"] = json!({ "transactions": 1_000_000, "seconds": 0.3 });
    let finished = run(job.clone());
    let at = |name: &str| {
        let event = finished.events.iter().find(|it| it["event"] == name);
        event.unwrap()["unix_ns"].as_u64().unwrap()
    };
    // The window is kept open for its time, and nothing starts after it, however crowded the
    // machine: the last transaction alone may end later.
    assert!(at("window_end") - at("window_start") >= 300_000_000);
    assert!(
        finished
            .samples()
            .iter()
            .all(|it| it.start_ns < 300_000_000)
    );
    let done = finished.number("counts.transactions");
    assert!((1.0..1_000_000.0).contains(&done), "{done}");
    job["stop"] = json!({ "transactions": 30, "seconds": 60.0 });
    run(job.clone()).assert_counts(30, json!({}));
    job["stop"] = json!({ "transactions_per_client": 7 });
    job["connections"]["count"] = json!(3);
    job["pacer"]["clients"] = json!(3);
    let finished = run(job);
    finished.assert_counts(21, json!({}));
    for client in 0..3 {
        assert_eq!(
            finished
                .samples()
                .iter()
                .filter(|it| it.client == client)
                .count(),
            7
        );
    }
}

#[test]
fn transactions_come_in_the_order_asked_for() {
    let _turn = turn();
    let address = constant(ok(b"x"));
    let mut job = job("http1", address);
    job["transactions"] = json!([
        { "operation": "a", "rounds": [[0]] },
        { "operation": "b", "rounds": [[0]] },
        { "operation": "c", "rounds": [[0]] },
    ]);
    job["stop"] = json!({ "transactions": 9 });
    let order = |job| -> String {
        run(job)
            .samples()
            .into_iter()
            .map(|sample| sample.operation)
            .collect()
    };
    assert_eq!(order(job.clone()), "abcabcabc");
    job["order"] = json!({ "kind": "shuffle", "seed": 3 });
    let shuffled = order(job.clone());
    assert_eq!(shuffled, order(job));
    assert_ne!(shuffled, "abcabcabc");
    for operation in ["a", "b", "c"] {
        assert_eq!(shuffled.matches(operation).count(), 3);
    }
}

#[test]
fn two_workers_share_the_load() {
    let _turn = turn();
    let mut job = job("http1", constant(ok(b"x")));
    job["cpus"] = json!([0, 1]);
    job["connections"]["count"] = json!(4);
    job["pacer"] = json!({ "kind": "constant", "rate_per_s": 400.0 });
    job["stop"] = json!({ "transactions": 200 });
    let finished = run(job);
    finished.assert_counts(200, json!({}));
    let expected: Vec<i64> = (0..200).map(|number| number * 2_500_000).collect();
    assert_eq!(intended(&finished), expected);
    let clients: std::collections::BTreeSet<u64> =
        finished.samples().iter().map(|it| it.client).collect();
    assert_eq!(clients, (0..4).collect());
}

#[test]
fn every_way_of_waiting_keeps_the_schedule() {
    let _turn = turn();
    let address = constant(ok(b"x"));
    for wait in ["precise", "tick", "spin", "sleep_then_spin"] {
        let mut job = job("http1", address);
        job["pacer"] = json!({ "kind": "constant", "rate_per_s": 300.0 });
        job["wait"] = json!(wait);
        job["stop"] = json!({ "seconds": 0.5 });
        let finished = run(job);
        // The last may be due so shortly before the end that it is missed, but not silently.
        let all = finished.number("counts.succeeded") + finished.number("counts.never_sent");
        assert_eq!(all, 150.0);
        for sample in finished.samples() {
            assert!(sample.start_ns >= sample.intended_ns, "{wait}: {sample:?}");
        }
        let least = finished.number("latency_us.lag.min");
        assert!(least < 2_000.0, "{wait}: {least}");
    }
}
