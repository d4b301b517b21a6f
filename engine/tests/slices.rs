//! Slices: targets that take turns, what is told of each turn, and who did what meanwhile.

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::driver::{Driver, slice};
use crate::support::h2_server::{self, Answer};
use crate::support::http_server::{Then, constant, ok, serve};
use crate::support::null_server::Null;
use crate::support::samples::Row;
use crate::support::{Finished, job, run, target};
use serde_json::{Value, json};

/// A job whose targets are those of flat jobs, each with a name.
fn several(jobs: &[(&str, Value)]) -> Value {
    let targets: Vec<Value> = jobs.iter().map(|(name, job)| target(name, job)).collect();
    json!({ "format": "wirelab-job/2", "targets": targets })
}

fn of_slice(samples: &[Row], number: u64) -> Vec<Row> {
    let of_it = samples.iter().filter(|it| it.slice == number);
    of_it.cloned().collect()
}

fn operations(samples: &[Row]) -> String {
    samples.iter().map(|it| it.operation.as_str()).collect()
}

/// What a row says of response times is exactly what its samples say.
fn assert_statistics(row: &Value, samples: &[Row]) {
    let mut times: Vec<i64> = samples
        .iter()
        .filter(|it| it.error.is_empty())
        .map(|it| it.end_ns - it.intended_ns)
        .collect();
    times.sort_unstable();
    let quantile = |share: f64| times[(share * times.len() as f64).ceil() as usize - 1];
    let mean = times.iter().sum::<i64>() as f64 / times.len() as f64;
    for (key, expected_ns) in [
        ("median_us", quantile(0.5) as f64),
        ("p90_us", quantile(0.9) as f64),
        ("p99_us", quantile(0.99) as f64),
        ("min_us", times[0] as f64),
        ("max_us", *times.last().unwrap() as f64),
        ("mean_us", mean),
    ] {
        let told = row[key].as_f64().unwrap();
        assert!((told - expected_ns / 1e3).abs() < 1e-6, "{key} in {row}");
    }
    assert_eq!(row["transactions"], samples.len());
    let bytes: u64 = samples.iter().map(|it| it.bytes_received).sum();
    assert_eq!(row["bytes_received"], bytes);
}

#[test]
fn targets_of_several_protocols_take_turns() {
    let rest = job("http1", constant(ok(b"x")));
    let mut grpc = job(
        "grpc",
        h2_server::serve(|asked| Answer::grpc(&asked.body[5..], "0")),
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

/// The server counts what is asked of it: what does not count is in the guard.
#[test]
fn load_begins_before_what_is_recorded_and_flows_into_it() {
    let asked = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&asked);
    let address = serve(move |_, stream| {
        count.fetch_add(1, Ordering::SeqCst);
        stream.write_all(&ok(b"x")).unwrap();
        Then::Keep
    });
    let mut driver = Driver::start(job("http1", address));
    let guarded = json!({ "target": 0, "guard_us": 300_000, "stop": { "transactions": 30 } });
    let rows = driver.slices(&[guarded, slice(0, 20)]);
    let (first, second) = (&rows[0], &rows[1]);
    let finished = driver.finish();
    let in_guard = asked.load(Ordering::SeqCst) - 50;
    assert!(in_guard >= 1, "there is time for more");
    assert_eq!(
        (&first["transactions"], &first["guard_ns"]),
        (&json!(30), &json!(300_000_000))
    );
    let share = first["share_recorded"].as_f64().unwrap();
    assert!(
        (share - 30.0 / (30 + in_guard) as f64).abs() < 1e-9,
        "{first}"
    );
    assert_eq!(
        (&second["share_recorded"], &second["guard_ns"]),
        (&json!(1.0), &json!(0))
    );
    finished.assert_counts(50, json!({}));
    for sample in finished.samples() {
        assert!(
            sample.start_ns >= 0,
            "it started after the guard: {sample:?}"
        );
    }
    let sent = finished.number("bytes.window.sent");
    let each = finished.samples()[0].bytes_sent as f64;
    assert!((sent - 50.0 * each).abs() <= 1.0, "{sent}");
}

/// The server holds the answer to the last request that counts until it has been asked for much
/// more: without load behind it, it would wait for ever.
#[test]
fn load_goes_on_until_the_last_that_counts_has_ended() {
    const RECORDED: usize = 20;
    const BEHIND: usize = 30;
    const LIST: usize = 10_000;
    let asked: Arc<Mutex<Vec<usize>>> = Arc::default();
    let seen = Arc::clone(&asked);
    let address = serve(move |request, stream| {
        let number: usize = request.path[1..].parse().unwrap();
        seen.lock().unwrap().push(number);
        let is_last = number < LIST / 2 && number % RECORDED == RECORDED - 1;
        let behind = || {
            let seen = seen.lock().unwrap();
            let place = seen.iter().rposition(|&it| it == number).unwrap();
            seen.len() - place - 1
        };
        while is_last && behind() < BEHIND {
            std::thread::sleep(Duration::from_millis(1));
        }
        stream.write_all(&ok(b"x")).unwrap();
        Then::Keep
    });
    let mut flat = job("http1", address);
    flat["connections"]["count"] = json!(3);
    flat["pacer"]["clients"] = json!(3);
    let numbers = || 0..LIST;
    flat["requests"] = numbers()
        .map(|it| json!({ "path": format!("/{it}") }))
        .collect();
    let transaction =
        |it: usize| json!({ "operation": "x", "parameter_set": it, "rounds": [[it]] });
    flat["transactions"] = numbers().map(transaction).collect();
    let mut driver = Driver::start(flat);
    let turn = json!({ "target": 0, "guard_us": 5_000, "stop": { "transactions": RECORDED } });
    let rows = driver.slices(&[turn.clone(), turn.clone(), turn]);
    let finished = driver.finish();
    finished.assert_counts(3 * RECORDED as u64, json!({}));

    // Each request was recorded once, and what was sent besides is none of them.
    let mut recorded: Vec<usize> = Vec::new();
    for sample in finished.samples() {
        recorded.push(sample.parameter_set as usize);
    }
    recorded.sort_unstable();
    assert_eq!(recorded, (0..3 * RECORDED).collect::<Vec<_>>());
    let asked = asked.lock().unwrap();
    let others = asked.iter().filter(|&&it| it >= 3 * RECORDED).count();
    assert_eq!(asked.len(), 3 * RECORDED + others);
    let between = 3 * RECORDED..LIST / 2;
    assert!(!asked.iter().any(|it| between.contains(it)));
    assert!(others >= 3 * (BEHIND - 2), "{others}");
    let told: f64 = rows
        .iter()
        .map(|row| RECORDED as f64 / row["share_recorded"].as_f64().unwrap() - RECORDED as f64)
        .sum();
    assert!((told - others as f64).abs() < 1e-6, "{told} of {others}");
    // Little's law is about what was recorded alone.
    let closure = finished.number("little_closure");
    assert!((0.5..=1.0 + 1e-9).contains(&closure), "{closure}");
}

#[test]
fn a_slice_begins_anywhere_in_the_list_or_where_the_last_one_stopped() {
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
fn a_rehearsal_is_told_of_and_counts_for_nothing() {
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
fn a_job_may_list_its_slices() {
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

/// The null server works while it is asked, and rests while it is not.
#[test]
fn what_roles_use_is_read_before_and_after_each_slice() {
    let (busy, idle) = (Null::start("http", "100"), Null::start("http", "100"));
    let of = |server: &Null| {
        let mut job = job("http1", server.authority.parse().unwrap());
        job["roles"] = json!({ "contender": { "pid": server.child.id() } });
        job
    };
    let mut job = several(&[("busy", of(&busy)), ("idle", of(&idle))]);
    job["roles"] = json!({
        "store": { "pid": idle.child.id() },
        "gone": { "cgroup": "/no/such/cpu.stat" },
    });
    let mut driver = Driver::start(job);
    let turn = slice(0, 3_000);
    let rows = driver.slices(&[turn.clone(), turn.clone(), turn]);
    let finished = driver.finish();
    for row in &rows {
        let used = |role: &str| row["cpu_us"][role].as_f64();
        assert!(used("contender").unwrap() > 3_000.0, "{row}");
        assert!(used("store").unwrap() < 1_000.0, "{row}");
        assert_eq!(row["cpu_us"]["gone"], Value::Null);
        assert!(row["engine_cpu_us"].as_f64().unwrap() > 3_000.0, "{row}");
        let cpus = std::thread::available_parallelism().unwrap().get();
        assert!(
            row["steal_us"].as_array().unwrap().len() >= cpus.min(1),
            "{row}"
        );
        assert!(row["clock_gap_us"].as_f64().unwrap() >= 0.0);
    }
    let rested = &finished.whole["targets"][1]["idle_cpu_share"]["contender"];
    assert!(rested.as_f64().unwrap() < 0.01, "{rested}");
    // All of the job's time was the other one's turn.
    let worked = &finished.whole["targets"][0]["idle_cpu_share"];
    assert!(worked.as_object().unwrap().contains_key("contender"));
}

#[test]
fn a_slice_keeps_its_appointment() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let address = serve(move |_, stream| {
        seen.lock().unwrap().push(monotonic_ns());
        let _ = stream.write_all(&ok(b"x"));
        Then::Keep
    });
    let mut driver = Driver::start(several(&[("only", job("http1", address))]));
    let appointed = monotonic_ns() + 300_000_000;
    let mut appointment = slice(0, 5);
    appointment["begin_monotonic_ns"] = json!(appointed);
    appointment["guard_us"] = json!(20_000);
    let rows = driver.slices(&[appointment.clone()]);
    assert_eq!(rows[0]["transactions"], 5);
    let first = *asked.lock().unwrap().first().unwrap();
    assert!(first >= appointed, "{} ns too early", appointed - first);
    driver.say(&json!({ "command": "slices", "slices": [appointment] }));
    let finished = driver.0.finish();
    assert_eq!(finished.code, 2, "{}", finished.stderr);
    assert!(finished.stderr.contains("ms ago"), "{}", finished.stderr);
    assert_eq!(finished.whole["slices"].as_array().unwrap().len(), 1);
}

fn monotonic_ns() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid place to write to, and every Linux has this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
