//! Schedules, and what they reveal about a server.

use std::io::Write;
use std::time::Duration;

use crate::support::http_server::{Then, constant, ok, serve};
use crate::support::samples::Row;
use crate::support::{Finished, job, run};
use serde_json::json;

fn intended(finished: &Finished) -> Vec<i64> {
    let mut times: Vec<i64> = finished.samples().iter().map(|it| it.intended_ns).collect();
    times.sort_unstable();
    times
}

#[test]
fn a_constant_rate_is_constant() {
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
fn agents_share_one_schedule() {
    let address = constant(ok(b"x"));
    let mut all = Vec::new();
    for number in 0..3 {
        let mut job = job("http1", address);
        job["agent"] = json!({ "number": number, "of": 3 });
        job["connections"]["count"] = json!(4);
        job["pacer"] = json!({ "kind": "constant", "rate_per_s": 400.0 });
        job["stop"] = json!({ "seconds": 0.5 });
        let finished = run(job);
        let to_merge = &finished.whole["targets"][0]["to_merge"];
        assert!(to_merge["lag"].is_string() && to_merge["first_byte"].is_string());
        all.extend(intended(&finished));
    }
    all.sort_unstable();
    let expected: Vec<i64> = (0..200).map(|number| number * 2_500_000).collect();
    assert_eq!(all, expected);
}

#[test]
fn agents_share_the_clients() {
    let address = constant(ok(b"x"));
    let clients = |number: u32| {
        let mut job = job("http1", address);
        job["agent"] = json!({ "number": number, "of": 2 });
        job["connections"]["count"] = json!(3);
        job["pacer"] = json!({ "kind": "closed", "clients": 3 });
        job["stop"] = json!({ "transactions_per_client": 2 });
        let finished = run(job);
        finished.number("counts.transactions") as u32 / 2
    };
    assert_eq!([clients(0), clients(1)], [2, 1]);
}

#[test]
fn poisson_arrivals_follow_their_seed() {
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
    let address = constant(ok(b"x"));
    let schedule = |pacer: serde_json::Value, stop: serde_json::Value, count: u64| {
        let mut job = job("http1", address);
        job["pacer"] = pacer;
        job["stop"] = stop;
        let finished = run(job);
        finished.assert_counts(count, json!({}));
        intended(&finished)
    };
    let stage = |from: f64, to: f64, seconds: f64| json!({ "from_rate_per_s": from, "to_rate_per_s": to, "seconds": seconds });
    let ramp = [stage(100.0, 300.0, 0.5), stage(300.0, 300.0, 9.0)];
    let ramp = json!({ "kind": "stages", "stages": ramp });
    let times = schedule(ramp, json!({ "transactions": 130 }), 130);
    assert_eq!(times[100..102], [500_000_000, 503_333_333]);
    let stairs = [stage(100.0, 100.0, 0.2), stage(200.0, 200.0, 9.0)];
    let stairs = json!({ "kind": "stages", "stages": stairs });
    let times = schedule(stairs, json!({ "transactions": 30 }), 30);
    assert_eq!(times[19..22], [190_000_000, 200_000_000, 205_000_000]);
    let list = json!({ "kind": "replay", "times_us": [0, 100_000, 100_000.5, 250_000] });
    let times = schedule(list, json!({}), 4);
    assert_eq!(times, [0, 100_000_000, 100_000_500, 250_000_000]);
}

#[test]
fn think_time_is_kept() {
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

/// The server stalls once for 400 ms. Requests of that time wait, which only the
/// time from the intended start shows: the engine cannot send either, having one connection. The
/// shape that this gives has a test with a simulated clock, in `flow`.
#[test]
fn a_freeze_shows_in_the_response_time_and_hides_in_the_service_time() {
    let address = serve(|request, stream| {
        // After 0.8 s at this rate.
        if request.number == 205 {
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
    // 100 of 500 arrivals fall into the freeze, one each 4 ms, and wait for the rest of it.
    let response_s = finished.number("latency_us.response.mean") * 500.0 / 1e6;
    let waited_s: f64 = (0..100)
        .map(|arrival| 0.4 - 0.004 * f64::from(arrival))
        .sum();
    assert!(response_s >= waited_s - 0.1, "{response_s} of {waited_s}");
    assert!(finished.number("counts.late") >= 98.0);
    // One of them is sent, and its time with all others is no longer than the window.
    assert!(finished.number("latency_us.service.max") >= 395e3);
    let service_s = finished.number("latency_us.service.mean") * 500.0 / 1e6;
    let window_s = finished.number("window.duration_s");
    assert!(service_s <= window_s, "{service_s} in {window_s}");
}

#[test]
fn requests_that_a_slow_server_prevents_are_counted_as_never_sent() {
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
    let address = constant(ok(b"x"));
    let mut job = job("http1", address);
    job["stop"] = json!({ "transactions": 1_000_000, "seconds": 0.3 });
    let finished = run(job.clone());
    // The window is kept open for its time, and nothing starts after it, however crowded the
    // machine: the last transaction alone may end later.
    let row = &finished.whole["slices"][0];
    let at = |key: &str| row[key].as_u64().unwrap();
    assert!(at("ended_ns") - at("started_ns") >= 300_000_000, "{row}");
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
fn transactions_are_sent_in_the_requested_order() {
    let address = constant(ok(b"x"));
    let mut job = job("http1", address);
    job["transactions"] = json!([
        { "operation": "a", "rounds": [[0]] },
        { "operation": "b", "rounds": [[0]] },
        { "operation": "c", "rounds": [[0]] },
    ]);
    // The list continues after the warm-up, here with its second round.
    job["warm_up"] = json!({ "transactions": 3 });
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
    let address = constant(ok(b"x"));
    for wait in ["precise", "spin"] {
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
    }
}
