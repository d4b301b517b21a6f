//! Slices: targets that take turns, and what is reported of each turn.

use crate::support::driver::{Driver, several, slice};
use crate::support::h2_server::{self, Answer};
use crate::support::http_server::{constant, ok};
use crate::support::samples::{assert_statistics, of_slice, operations};
use crate::support::{Finished, job, run};
use serde_json::{Value, json};

#[test]
fn targets_of_several_protocols_take_turns() {
    let rest = job("http1", constant(ok(b"x")));
    let mut grpc = job(
        "grpc",
        h2_server::serve(|request| Answer::grpc(&request.body[5..], "0")),
    );
    grpc["requests"][0]["method"] = json!("POST");
    let mut driver = Driver::start(several(&[("rest", rest), ("grpc", grpc)]));
    for target in [0, 1] {
        let warm = driver.warm_up(target, 30);
        assert_eq!(
            (&warm["target"], &warm["failed"]),
            (&json!(target), &json!(0))
        );
        assert!(warm["transactions"].as_u64().unwrap() >= 30);
        assert!(warm["median_us"].as_f64().unwrap() > 0.0);
    }
    let orders = [[1, 0], [0, 1], [1, 0]];
    let slices: Vec<Value> = orders.concat().iter().map(|it| slice(*it, 40)).collect();
    let rows = driver.slices(&slices);
    let finished = driver.finish();
    assert_eq!(finished.code, 0, "{}", finished.stderr);

    assert_eq!(rows.len(), 6);
    let samples = finished.samples();
    assert_eq!(samples.len(), 6 * 40);
    let mut last_end = 0;
    for (number, row) in rows.iter().enumerate() {
        let kept = &finished.whole["slices"][number];
        for (key, value) in kept.as_object().unwrap() {
            assert_eq!(&row[key], value, "{key}");
        }
        let of_it = of_slice(&samples, number as u64);
        let name = ["rest", "grpc"][row["target"].as_u64().unwrap() as usize];
        assert!(of_it.iter().all(|it| it.target == name), "{row}");
        assert_statistics(row, &of_it);
        // One clock, and one turn after the other.
        let (start, end) = (
            row["started_ns"].as_i64().unwrap(),
            row["ended_ns"].as_i64(),
        );
        assert!(start >= last_end, "{row}");
        last_end = end.unwrap();
        let longest = of_it.iter().map(|it| it.end_ns).max().unwrap();
        assert!(start + longest <= last_end, "{row}");
    }
    for (place, name) in ["rest", "grpc"].iter().enumerate() {
        let of_target = &finished.whole["targets"][place];
        assert_eq!(of_target["name"], *name);
        assert_eq!(of_target["counts"]["succeeded"], 3 * 40);
        assert_eq!(of_target["latency_us"]["response"]["count"], 3 * 40);
        assert_eq!(of_target["bytes"]["lifetime"]["connections"], 1);
        assert_eq!(of_target["series"], json!([]), "the slices are the series");
    }
}

#[test]
fn a_slice_can_begin_anywhere_or_where_the_last_one_ended() {
    let mut job = job("http1", constant(ok(b"x")));
    let transaction = |name: &str| json!({ "operation": name, "rounds": [[0]] });
    job["transactions"] = json!(["a", "b", "c", "d"].map(transaction));
    let mut driver = Driver::start(job);
    let at = |first: u64| json!({ "target": 0, "first": first, "guard_us": 20_000, "stop": { "transactions": 3 } });
    let rows = driver.slices(&[at(2), slice(0, 2), at(9), slice(0, 1)]);
    let firsts: Vec<u64> = rows
        .iter()
        .map(|it| it["first"].as_u64().unwrap())
        .collect();
    assert_eq!(firsts, [2, 5, 9, 12]);
    let samples = driver.finish().samples();
    let orders: Vec<String> = (0..4)
        .map(|it| operations(&of_slice(&samples, it)))
        .collect();
    assert_eq!(orders, ["cda", "bc", "bcd", "a"]);
}

#[test]
fn a_rehearsal_is_reported_and_not_counted() {
    let mut driver = Driver::start(job("http1", constant(ok(b"x"))));
    driver.say(&json!({ "command": "slices", "recorded": false, "slices": [slice(0, 25)] }));
    let rehearsed = driver.rows();
    assert_eq!(
        (&rehearsed[0]["recorded"], &rehearsed[0]["transactions"]),
        (&json!(false), &json!(25))
    );
    assert!(rehearsed[0]["median_us"].as_f64().unwrap() > 0.0);
    driver.slices(&[slice(0, 10)]);
    let finished = driver.finish();
    finished.assert_counts(10, json!({}));
    let samples = finished.samples();
    assert!(samples.len() == 10 && samples.iter().all(|it| it.slice == 1));
    assert_eq!(finished.whole["slices"].as_array().unwrap().len(), 2);
    assert_eq!(finished.result["series"].as_array().unwrap().len(), 1);
}

fn listed(list: Value) -> Finished {
    let address = constant(ok(b"x"));
    let mut poisson = job("http1", address);
    poisson["pacer"] = json!({ "kind": "poisson", "rate_per_s": 400.0 });
    let mut job = several(&[("a", poisson.clone()), ("b", poisson)]);
    job["warm_up"] = json!({ "transactions": 5 });
    job["slices"] = list;
    job["seed"] = json!(5);
    run(job)
}

#[test]
fn a_job_can_list_its_slices() {
    let finished =
        listed(json!({ "permutations": [[1, 0], [0, 1]], "stop": { "transactions": 30 } }));
    assert_eq!(finished.code, 0, "{}", finished.stderr);
    let names: Vec<&str> = finished
        .events
        .iter()
        .map(|event| event["event"].as_str().unwrap())
        .filter(|name| *name != "progress")
        .collect();
    let expected = [
        "connected",
        "warm",
        "warm",
        "slice",
        "slice",
        "slice",
        "slice",
        "result",
    ];
    assert_eq!(names, expected);
    let samples = finished.samples();
    let schedule = |slice: u64| -> Vec<i64> {
        let mut times: Vec<i64> = of_slice(&samples, slice)
            .iter()
            .map(|it| it.intended_ns)
            .collect();
        times.sort_unstable();
        times
    };
    // The targets of a permutation have the same schedule, and each permutation another one.
    assert_eq!(schedule(0), schedule(1));
    assert_eq!(schedule(2), schedule(3));
    assert_ne!(schedule(0), schedule(2));
    let order: Vec<u64> = finished.whole["slices"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["target"].as_u64().unwrap())
        .collect();
    assert_eq!(order, [1, 0, 0, 1]);
}

#[test]
fn each_target_may_have_one_window() {
    let address = constant(ok(b"x"));
    let mut job = several(&[("a", job("http1", address)), ("b", job("http1", address))]);
    job["stop"] = json!({ "transactions": 20 });
    let finished = run(job);
    assert_eq!(finished.code, 0, "{}", finished.stderr);
    for target in finished.whole["targets"].as_array().unwrap() {
        assert_eq!(target["counts"]["succeeded"], 20);
        assert_eq!(target["series"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn several_workers_share_each_slice() {
    let mut flat = job("http1", constant(ok(b"x")));
    flat["connections"]["count"] = json!(4);
    flat["pacer"]["clients"] = json!(4);
    let transaction = |name: &str| json!({ "operation": name, "rounds": [[0]] });
    flat["transactions"] = json!(["a", "b", "c", "d"].map(transaction));
    flat["cpus"] = json!([0, 1]);
    let mut driver = Driver::start(flat);
    let rows = driver.slices(&[slice(0, 301), slice(0, 100)]);
    let finished = driver.finish();
    finished.assert_counts(401, json!({}));
    let samples = finished.samples();
    for (number, row) in rows.iter().enumerate() {
        assert_statistics(row, &of_slice(&samples, number as u64));
    }
    // Dealt out in turn from where the first slice stopped: each as often as the next.
    let second = operations(&of_slice(&samples, 1));
    for name in ["a", "b", "c", "d"] {
        assert_eq!(second.matches(name).count(), 25, "{second}");
    }
}
