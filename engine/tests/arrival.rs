//! Who says when an answer arrived: the kernel, or the engine when it has been woken to read it.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

mod support;

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use support::http_server::{Then, constant, ok, serve};
use support::tls_front::Front;
use support::{Finished, job, run, start, undisturbed};

/// A stop of the engine, while which one answer arrives.
const STOP_US: f64 = 300e3;

/// A load with a schedule.
fn open_job(address: SocketAddr, arrival: &str) -> Value {
    let mut job = job("http1", address);
    job["pacer"] = json!({ "kind": "constant", "rate_per_s": 500.0 });
    job["stop"] = json!({ "transactions": 100 });
    job["arrival"] = json!(arrival);
    job
}

/// Runs the job against a server that stops the engine, gives its answer, and lets it go on again
/// after a while: nobody can be slower to wake up.
fn run_with_a_stop(arrival: &str, over_tls: bool) -> Finished {
    let engine = Arc::new(AtomicI32::new(0));
    let stopped = Arc::clone(&engine);
    let address = serve(move |asked, stream| {
        let id = match asked.number {
            50 => stopped.load(Ordering::SeqCst),
            _ => 0,
        };
        if id != 0 {
            // SAFETY: the engine is our child, and is waited for after its last answer; here until
            // all its threads have stopped.
            unsafe {
                libc::kill(id, libc::SIGSTOP);
                libc::waitpid(id, std::ptr::null_mut(), libc::WUNTRACED);
            }
        }
        stream.write_all(&ok(b"x")).unwrap();
        if id != 0 {
            std::thread::sleep(Duration::from_micros(STOP_US as u64));
            // SAFETY: as above.
            unsafe { libc::kill(id, libc::SIGCONT) };
        }
        Then::Keep
    });
    let front = over_tls.then(|| Front::of(address));
    let mut job = open_job(front.as_ref().map_or(address, |it| it.address), arrival);
    if over_tls {
        job["target"]["tls"] = json!({ "insecure": true });
    }
    let running = start(job);
    engine.store(running.child.id() as i32, Ordering::SeqCst);
    let finished = running.finish();
    finished.assert_counts(100, json!({}));
    finished
}

#[test]
fn an_engine_that_is_slow_to_wake_up_tells_the_servers_time_by_the_kernels_stamps() {
    undisturbed(|| {
        for over_tls in [false, true] {
            let by_engine = run_with_a_stop("engine", over_tls);
            let slowest = by_engine.number("latency_us.service.max");
            assert!(slowest > 0.99 * STOP_US, "{slowest}");
            let by_kernel = run_with_a_stop("kernel", over_tls);
            let slowest = by_kernel.number("latency_us.service.max");
            assert!(slowest < 0.5 * STOP_US, "{slowest}");
            assert!(by_kernel.number("latency_us.first_byte.max") <= slowest);
            // What could not be sent in time is late all the same, and Little's law holds.
            assert!(by_kernel.number("latency_us.response.max") > 0.9 * STOP_US);
            for finished in [by_engine, by_kernel] {
                assert!((0.999..=1.001).contains(&finished.number("little_closure")));
                for sample in finished.samples() {
                    assert!(sample.start_ns <= sample.first_byte_ns, "{sample:?}");
                    assert!(sample.first_byte_ns <= sample.end_ns, "{sample:?}");
                }
            }
        }
    });
}

/// The same without any violence: what an ordinary wake-up takes is in the one and not in the
/// other. The runs alternate, so that a busy machine is busy for both.
#[test]
fn waking_up_is_in_no_median_by_the_kernels_stamps() {
    undisturbed(|| {
        let address = constant(ok(b"x"));
        let mut medians = [Vec::new(), Vec::new()];
        for _ in 0..5 {
            for (arrival, medians) in ["engine", "kernel"].into_iter().zip(&mut medians) {
                let finished = run(open_job(address, arrival));
                medians.push(finished.number("latency_us.service.p50"));
            }
        }
        let [by_engine, by_kernel] = medians.map(|mut medians| {
            medians.sort_by(f64::total_cmp);
            medians[2]
        });
        assert!(by_kernel < by_engine, "{by_kernel} and {by_engine}");
    });
}

#[test]
fn the_result_says_who_it_was() {
    undisturbed(|| {
        let address = constant(ok(b"x"));
        let mut open = open_job(address, "engine");
        let by_engine = run(open.clone()).result["engine"].clone();
        open["arrival"] = Value::Null;
        let by_kernel = run(open).result["engine"].clone();
        let closed = run(job("http1", address)).result["engine"].clone();
        for engine in [by_engine, closed] {
            assert_eq!(
                (&engine["arrival"], &engine["stamped_share"]),
                (&json!("engine"), &Value::Null)
            );
        }
        assert_eq!(by_kernel["arrival"], "kernel");
        assert!(by_kernel["stamped_share"].as_f64().unwrap() > 0.8);
    });
}

#[test]
fn nobody_else_can_say_it() {
    let address = constant(ok(b"x"));
    let finished = run(open_job(address, "server"));
    assert_eq!(finished.code, 2);
    let expected = r#"job.json: arrival: "server"; expected one of kernel, engine"#;
    assert!(finished.stderr.contains(expected), "{}", finished.stderr);
}
