//! What happens around slices: load before and behind what is recorded, appointments, and who did
//! what meanwhile.

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::driver::{Driver, several, slice};
use crate::support::http_server::{Then, ok, serve};
use crate::support::job;
use crate::support::null_server::Null;
use serde_json::{Value, json};

/// The server counts its requests: those that do not count are in the guard.
#[test]
fn load_begins_before_the_recorded_window_and_continues_into_it() {
    let requests = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&requests);
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
    let in_guard = requests.load(Ordering::SeqCst) - 50;
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

/// The server holds the answer to the last request that counts until it has received many
/// more: without load behind it, it would wait for ever.
#[test]
fn load_continues_until_the_last_counted_transaction_has_ended() {
    const RECORDED: usize = 20;
    const BEHIND: usize = 30;
    const LIST: usize = 10_000;
    let received: Arc<Mutex<Vec<usize>>> = Arc::default();
    let seen = Arc::clone(&received);
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
    let received = received.lock().unwrap();
    let others = received.iter().filter(|&&it| it >= 3 * RECORDED).count();
    assert_eq!(received.len(), 3 * RECORDED + others);
    let between = 3 * RECORDED..LIST / 2;
    assert!(!received.iter().any(|it| between.contains(it)));
    assert!(others >= 3 * (BEHIND - 2), "{others}");
    let reported: f64 = rows
        .iter()
        .map(|row| RECORDED as f64 / row["share_recorded"].as_f64().unwrap() - RECORDED as f64)
        .sum();
    assert!(
        (reported - others as f64).abs() < 1e-6,
        "{reported} of {others}"
    );
    // Little's law is about what was recorded alone.
    let closure = finished.number("little_closure");
    assert!((0.5..=1.0 + 1e-9).contains(&closure), "{closure}");
}

/// The null server works while it gets requests, and is idle otherwise.
#[test]
fn the_use_of_roles_is_read_before_and_after_each_slice() {
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
fn a_slice_starts_at_its_time() {
    let times = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&times);
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
    let first = *times.lock().unwrap().first().unwrap();
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
