//! The course of a run as the laboratory sees it: events, exit codes, interruption.

use std::io::Write;
use std::net::TcpListener;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::support::http_server::{Then, constant, ok, serve};
use crate::support::{job, run, start};
use serde_json::{Value, json};

fn names(events: &[Value]) -> Vec<&str> {
    let names = events.iter().map(|event| event["event"].as_str().unwrap());
    names.filter(|name| *name != "progress").collect()
}

#[test]
fn events_come_in_their_order() {
    let mut job = job("http1", constant(ok(b"x")));
    job["stop"] = json!({ "seconds": 2.2 });
    let finished = run(job);
    assert_eq!(finished.code, 0);
    let events = &finished.events;
    assert_eq!(names(events), ["connected", "warm", "slice", "result"]);
    let reported = events.iter().filter(|event| event["event"] == "progress");
    assert!((1..=4).contains(&reported.count()), "twice a second");
    let (warm, row) = (&events[1], &finished.whole["slices"][0]);
    assert_eq!(
        (&warm["target"], &warm["transactions"]),
        (&json!(0), &json!(5))
    );
    let slice = events
        .iter()
        .find(|event| event["event"] == "slice")
        .unwrap();
    for (key, value) in row.as_object().unwrap() {
        assert_eq!(&slice[key], value, "{key}");
    }
    assert_eq!(
        events.last().unwrap()["path"],
        json!(finished.folder.0.join("out/result.json"))
    );
    let series = finished.result["series"].as_array().unwrap();
    let sum: u64 = series
        .iter()
        .map(|second| second["transactions"].as_u64().unwrap())
        .sum();
    assert_eq!(finished.number("counts.transactions"), sum as f64);
    assert!(finished.number("window.duration_s") >= 2.2);
    assert!(series[0]["service_p50_us"].as_f64().unwrap() > 0.0);
    let mut left: Vec<_> = std::fs::read_dir(finished.folder.0.join("out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    left.sort();
    assert_eq!(left, ["result.json", "samples.parquet"]);
}

#[test]
fn an_interrupt_ends_the_window_and_keeps_the_results_so_far() {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        let address = serve(|_, stream| {
            std::thread::sleep(Duration::from_millis(10));
            stream.write_all(&ok(b"x")).unwrap();
            Then::Keep
        });
        let mut job = job("http1", address);
        job["stop"] = json!({ "seconds": 600.0 });
        let mut running = start(job);
        let done = |event: &Value| event["transactions"].as_u64().unwrap_or(0);
        while done(&running.next_event().unwrap()) < 20 {}
        running.signal(signal);
        let finished = running.finish();
        assert_eq!(finished.code, 130);
        assert_eq!(finished.result["interrupted"], true);
        let done = finished.number("counts.transactions");
        assert!(done >= 20.0, "{done}");
        assert_eq!(finished.samples().len() as f64, done);
        assert_eq!(finished.number("counts.dropped"), 1.0);
    }
}

#[test]
fn an_interrupt_does_not_hide_the_silence_before_it() {
    let request = AtomicU32::new(0);
    let address = serve(move |_, stream| {
        if request.fetch_add(1, Ordering::Relaxed) >= 10 {
            std::thread::sleep(Duration::from_secs(30));
        }
        stream.write_all(&ok(b"x")).unwrap();
        Then::Keep
    });
    let mut job = job("http1", address);
    job["warm_up"] = json!({});
    job["stop"] = json!({ "seconds": 600.0 });
    let mut running = start(job);
    running.await_event("progress");
    running.await_event("progress");
    running.signal(libc::SIGINT);
    let finished = running.finish();
    assert_eq!(finished.number("counts.transactions"), 10.0);
    assert_eq!(finished.number("counts.dropped"), 1.0);
    let duration_s = finished.number("window.duration_s");
    assert!(duration_s >= 0.9, "{duration_s}");
    assert!(finished.number("throughput_per_s") <= 10.0 / duration_s + 0.01);
}

#[test]
fn an_interrupt_while_connecting_ends_at_once() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut job = job("grpc", listener.local_addr().unwrap());
    job["connections"]["connect_timeout_ms"] = json!(60_000);
    let running = start(job);
    let _silent = listener.accept().unwrap();
    running.signal(libc::SIGTERM);
    let finished = running.finish();
    assert_eq!((finished.code, finished.events.len()), (130, 0));
}

#[test]
fn a_missing_server_is_named() {
    let address = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let finished = run(job("http1", address));
    assert_eq!(finished.code, 3);
    let expected = format!("{address} cannot be reached: nothing listens at the address");
    assert!(finished.stderr.contains(&expected), "{}", finished.stderr);
}

#[test]
fn a_silent_server_is_unreachable_for_protocols_with_a_handshake() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    for transport in ["grpc", "websocket"] {
        let mut job = job(transport, listener.local_addr().unwrap());
        job["connections"]["connect_timeout_ms"] = json!(200);
        let finished = run(job);
        assert_eq!(finished.code, 3);
        assert!(finished.stderr.contains("handshake"), "{}", finished.stderr);
    }
}

#[test]
fn all_problems_of_a_job_are_reported_at_once() {
    let mut job = job("http1", "127.0.0.1:1".parse().unwrap());
    job["connections"]["count"] = json!(-1);
    job["pacer"]["kind"] = json!("open");
    job["transactions"][0]["rounds"] = json!([[3]]);
    let finished = run(job);
    assert_eq!(finished.code, 2);
    let lines: Vec<&str> = finished.stderr.lines().collect();
    assert_eq!(lines.len(), 3, "{}", finished.stderr);
    for (line, place) in lines
        .iter()
        .zip(["connections.count", "pacer.kind", "transactions[0]"])
    {
        assert!(
            line.starts_with("error: ") && line.contains("job.json: "),
            "{line}"
        );
        assert!(line.contains(place), "{line}");
    }
}

#[test]
fn a_cpu_that_does_not_exist_is_a_problem_of_the_job() {
    let mut job = job("http1", constant(ok(b"x")));
    job["cpus"] = json!([1000]);
    let finished = run(job);
    assert_eq!(finished.code, 2);
    assert!(finished.stderr.contains("[1000]"), "{}", finished.stderr);
}

#[test]
fn real_time_holds_off_other_programs_and_is_stated() {
    let mut job = job("http1", constant(ok(b"x")));
    job["cpus"] = json!([0]);
    let ordinary = run(job.clone());
    job["real_time"] = json!(true);
    let first = run(job);

    assert!(!ordinary.result["engine"]["real_time"].as_bool().unwrap());
    let attempt = std::thread::spawn(|| {
        let parameters = libc::sched_param { sched_priority: 1 };
        // SAFETY: the parameters outlive the call; 0 names this thread, which ends at once.
        unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) == 0 }
    });
    let permitted = attempt.join().unwrap();
    assert_eq!(first.result["engine"]["real_time"], permitted);
}

#[test]
fn samples_can_be_left_out() {
    let mut job = job("http1", constant(ok(b"x")));
    job["samples"] = json!(false);
    let finished = run(job);
    finished.assert_counts(50, json!({}));
    assert!(!finished.folder.0.join("out/samples.parquet").exists());
}

#[test]
fn many_connections_open_and_all_are_used() {
    let mut job = job("http1", constant(ok(b"x")));
    job["connections"]["count"] = json!(300);
    job["pacer"]["clients"] = json!(300);
    job["stop"] = json!({ "transactions_per_client": 3 });
    let finished = run(job);
    finished.assert_counts(900, json!({}));
    assert_eq!(finished.number("bytes.lifetime.connections"), 300.0);
}
