//! Who says when an answer arrived: the kernel, or the engine when it has been woken to read it.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicI32, AtomicU16, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::support::http_server::{Then, constant, ok, serve};
use crate::support::queues::await_unread_from;
use crate::support::tls_front::Front;
use crate::support::{Finished, job, run, start};
use serde_json::{Value, json};

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

/// By the server's clock: from its answer before the engine was stopped until the next one was there
/// for the engine to read, in which it did not yet run again.
#[derive(Clone, Default)]
struct Arrived(Arc<Mutex<Option<Duration>>>);

/// Runs the job against a server that stops the engine, gives its answer, and lets it continue
/// after a while: no wake-up can be slower.
fn run_with_a_stop(arrival: &str, over_tls: bool) -> (Finished, Duration) {
    let engine = Arc::new(AtomicI32::new(0));
    let port = Arc::new(AtomicU16::new(0));
    let arrived = Arrived::default();
    let (stopped, from, seen) = (Arc::clone(&engine), Arc::clone(&port), arrived.clone());
    let last_answer = Mutex::new(Instant::now());
    let address = serve(move |request, stream| {
        let id = match request.number {
            STOPPED => stopped.load(Ordering::SeqCst),
            _ => 0,
        };
        if id == 0 {
            *last_answer.lock().unwrap() = Instant::now();
            stream.write_all(&ok(b"x")).unwrap();
            return Then::Keep;
        }
        // SAFETY: the engine is our child, and is waited for after its last answer; here until
        // all its threads have stopped.
        unsafe {
            libc::kill(id, libc::SIGSTOP);
            libc::waitpid(id, std::ptr::null_mut(), libc::WUNTRACED);
        }
        stream.write_all(&ok(b"x")).unwrap();
        await_unread_from(from.load(Ordering::SeqCst));
        let since = last_answer.lock().unwrap().elapsed();
        *seen.0.lock().unwrap() = Some(since);
        std::thread::sleep(Duration::from_micros(STOP_US as u64));
        // SAFETY: as above.
        unsafe { libc::kill(id, libc::SIGCONT) };
        Then::Keep
    });
    let front = over_tls.then(|| Front::of(address));
    let reached = front.as_ref().map_or(address, |it| it.address);
    port.store(reached.port(), Ordering::SeqCst);
    let mut job = open_job(reached, arrival);
    if over_tls {
        job["target"]["tls"] = json!({ "insecure": true });
    }
    let running = start(job);
    engine.store(running.child.id() as i32, Ordering::SeqCst);
    let finished = running.finish();
    finished.assert_counts(100, json!({}));
    let arrived = arrived.0.lock().unwrap().unwrap();
    (finished, arrived)
}

/// The number of the request, warm-up included, at which the engine is stopped.
const STOPPED: u64 = 50;
const WARM_UP: usize = 5;

#[test]
fn kernel_stamps_exclude_the_delay_of_an_engine_that_wakes_up_late() {
    for over_tls in [false, true] {
        let (by_engine, _) = run_with_a_stop("engine", over_tls);
        let slowest = by_engine.number("latency_us.service.max");
        assert!(slowest >= STOP_US, "{slowest}");
        let (by_kernel, arrived) = run_with_a_stop("kernel", over_tls);
        let sample = &by_kernel.samples()[STOPPED as usize - WARM_UP];
        let service_ns = sample.end_ns - sample.start_ns;
        // Both clocks are turned into one by reading them one after the other.
        let most_ns = arrived.as_nanos() as i64 + 1_000_000;
        assert!(service_ns <= most_ns, "{sample:?}: {arrived:?}");
        // What could not be sent in time is late all the same, and Little's law holds.
        assert!(by_kernel.number("latency_us.response.max") >= 0.9 * STOP_US);
        for finished in [by_engine, by_kernel] {
            assert!((0.999..=1.001).contains(&finished.number("little_closure")));
            for sample in finished.samples() {
                assert!(sample.start_ns <= sample.first_byte_ns, "{sample:?}");
                assert!(sample.first_byte_ns <= sample.end_ns, "{sample:?}");
            }
        }
    }
}

/// Two answers over QUIC arrive while the engine is stopped, one after the other, and are read
/// together.
#[test]
fn each_datagram_has_its_own_stamp() {
    use crate::support::quic_server::{Act, Behaviour, QuicServer, Then};

    const APART: Duration = Duration::from_millis(200);
    const A_MOMENT: Duration = Duration::from_millis(50);
    let engine = Arc::new(AtomicI32::new(0));
    let (stopped, woken) = (Arc::clone(&engine), Arc::clone(&engine));
    let stop = move || {
        let id = stopped.load(Ordering::SeqCst);
        // SAFETY: the engine is our child, and is waited for after its last answer; here until
        // all its threads have stopped.
        unsafe {
            libc::kill(id, libc::SIGSTOP);
            libc::waitpid(id, std::ptr::null_mut(), libc::WUNTRACED);
        }
    };
    let go_on = move || {
        // SAFETY: as above.
        unsafe { libc::kill(woken.load(Ordering::SeqCst), libc::SIGCONT) };
    };
    let answer = |request| Act::Reply(request, b"\x01\x03\0\0\xd9\0\x01x".to_vec(), Then::Finish);
    let acts = vec![
        Act::Wait(A_MOMENT), // until the kernel stamps packets
        Act::Do(Arc::new(stop)),
        answer(0),
        Act::Wait(APART),
        answer(1),
        Act::Wait(A_MOMENT),
        Act::Do(Arc::new(go_on)),
        Act::Open(quinn_proto::Dir::Uni, b"\0\x04\0".to_vec(), Then::Stay),
    ];
    let server = QuicServer::start(Behaviour::Script(acts), true);
    let mut job = open_job(server.address, "kernel");
    job["target"]["transport"] = json!("http3");
    job["target"]["tls"] = json!({ "ca": server.ca });
    job["connections"]["streams_per_connection"] = json!(2);
    job["warm_up"] = json!({});
    job["stop"] = json!({ "transactions": 2 });
    let running = start(job);
    engine.store(running.child.id() as i32, Ordering::SeqCst);
    let finished = running.finish();
    finished.assert_counts(2, json!({}));
    let ends: Vec<i64> = finished.samples().iter().map(|it| it.end_ns).collect();
    let apart_ns = (ends[1] - ends[0]).unsigned_abs();
    assert!(apart_ns as f64 > 0.9 * APART.as_nanos() as f64, "{ends:?}");
}

#[test]
fn the_result_states_the_source_of_arrival_times() {
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
    // The kernel begins to stamp a moment after it was requested, whenever that is.
    let share = by_kernel["stamped_share"].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&share), "{share}");
}

#[test]
fn an_unknown_source_of_arrival_times_is_refused() {
    let address = constant(ok(b"x"));
    let finished = run(open_job(address, "server"));
    assert_eq!(finished.code, 2);
    let expected = r#"job.json: targets[0].arrival: "server"; expected one of kernel, engine"#;
    assert!(finished.stderr.contains(expected), "{}", finished.stderr);
}
