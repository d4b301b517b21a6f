//! Slices in which something goes wrong: they end, what is wrong is told, and the others go on.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::driver::{Driver, slice};
use crate::support::http_server::{Then, constant, ok, serve};
use crate::support::raw_server::frame;
use crate::support::{job, start, target};
use serde_json::{Value, json};

fn both(first: &Value, second: &Value) -> Value {
    let targets = [target("first", first), target("second", second)];
    json!({ "format": "wirelab-job/2", "targets": targets })
}

/// A server that can be made to go: it closes all its connections and refuses new ones.
fn mortal() -> (std::net::SocketAddr, impl FnOnce()) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let open: Arc<Mutex<Vec<TcpStream>>> = Arc::default();
    let connections = Arc::clone(&open);
    let is_dead = Arc::new(AtomicU64::new(0));
    let dead = Arc::clone(&is_dead);
    let serving = std::thread::spawn(move || {
        for stream in listener.incoming() {
            if dead.load(Ordering::SeqCst) > 0 {
                return;
            }
            let mut stream = stream.unwrap();
            connections
                .lock()
                .unwrap()
                .push(stream.try_clone().unwrap());
            std::thread::spawn(move || {
                let mut asked = [0; 4096];
                while stream.read(&mut asked).is_ok_and(|count| count > 0) {
                    if stream.write_all(&ok(b"x")).is_err() {
                        return;
                    }
                }
            });
        }
    });
    let die = move || {
        is_dead.store(1, Ordering::SeqCst);
        drop(TcpStream::connect(address));
        serving.join().unwrap();
        for stream in open.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    };
    (address, die)
}

#[test]
fn a_target_that_refuses_connections_does_not_stop_the_others() {
    let (address, die) = mortal();
    let steady = job("http1", constant(ok(b"x")));
    let mut driver = Driver::start(both(&job("http1", address), &steady));
    let rows = driver.slices(&[slice(0, 20), slice(1, 20)]);
    assert!(rows.iter().all(|row| row["failed"] == 0), "{rows:?}");
    die();
    let turns = [slice(0, 20), slice(1, 20), slice(0, 20), slice(1, 20)];
    let rows = driver.slices(&turns);
    for row in [&rows[0], &rows[2]] {
        assert_eq!(
            (&row["transactions"], &row["failed"]),
            (&json!(20), &json!(20))
        );
        assert_eq!(row["errors"], json!({ "connect_refused": 20 }), "{row}");
        assert_eq!(
            (&row["mean_us"], &row["median_us"]),
            (&Value::Null, &Value::Null)
        );
    }
    for row in [&rows[1], &rows[3]] {
        assert_eq!(
            (&row["transactions"], &row["failed"]),
            (&json!(20), &json!(0))
        );
    }
    let finished = driver.finish();
    assert_eq!(finished.code, 0, "{}", finished.stderr);
    let failed = |place: usize| finished.whole["targets"][place]["counts"]["failed"].as_u64();
    assert_eq!((failed(0), failed(1)), (Some(40), Some(0)));
}

#[test]
fn a_target_that_resets_connections_is_told_from_others() {
    let resetting = serve(|_, _| Then::Reset);
    let steady = job("http1", constant(ok(b"x")));
    let mut driver = Driver::start(both(&job("http1", resetting), &steady));
    let rows = driver.slices(&[slice(0, 10), slice(1, 10)]);
    assert_eq!(rows[0]["errors"], json!({ "reset": 10 }), "{}", rows[0]);
    assert_eq!(rows[1]["errors"], json!({}));
    assert_eq!(driver.finish().code, 0);
}

#[test]
fn a_target_that_never_answers_ends_its_slice_at_the_time_out() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut deaf = job("http1", silent.local_addr().unwrap());
    deaf["connections"] = json!({ "count": 2, "request_timeout_ms": 300 });
    deaf["pacer"]["clients"] = json!(2);
    let steady = job("http1", constant(ok(b"x")));
    let mut driver = Driver::start(both(&deaf, &steady));
    let timed = json!({ "target": 0, "stop": { "seconds": 0.05 } });
    let rows = driver.slices(&[timed, slice(1, 10)]);
    assert_eq!(rows[0]["errors"], json!({ "timeout": 2 }), "{}", rows[0]);
    // From the end of the slice to that of the requests.
    assert!(
        rows[0]["drain_ns"].as_u64().unwrap() >= 240_000_000,
        "{}",
        rows[0]
    );
    assert_eq!(rows[1]["failed"], 0);
    assert_eq!(driver.finish().code, 0);
}

/// Each request keeps within its time, and their transaction would take for ever.
#[test]
fn a_target_that_never_answers_costs_one_time_out_and_not_one_for_each_transaction() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut deaf = job("http1", silent.local_addr().unwrap());
    deaf["connections"]["request_timeout_ms"] = json!(200);
    let steady = job("http1", constant(ok(b"x")));
    let mut driver = Driver::start(both(&deaf, &steady));
    let warm = driver.warm_up(0, 1_000);
    assert_eq!(
        (&warm["transactions"], &warm["failed"]),
        (&json!(1), &json!(1)),
        "{warm}"
    );
    let mut guarded = slice(0, 1_000);
    guarded["guard_us"] = json!(1_000);
    let rows = driver.slices(&[guarded, slice(1, 20)]);
    assert!(rows[0]["transactions"].as_u64() <= Some(1), "{}", rows[0]);
    assert_eq!(
        (&rows[1]["transactions"], &rows[1]["failed"]),
        (&json!(20), &json!(0))
    );
    driver.finish();
}

#[test]
fn a_slice_that_never_drains_ends_at_its_deadline() {
    const ROUNDS: usize = 1_000;
    let asked = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&asked);
    let address = serve(move |_, stream| {
        count.fetch_add(1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(20));
        let _ = stream.write_all(&ok(b"x"));
        Then::Keep
    });
    let mut long = job("http1", address);
    long["connections"] =
        json!({ "count": 1, "request_timeout_ms": 500, "connect_timeout_ms": 100 });
    long["transactions"][0]["rounds"] = json!(vec![[0]; ROUNDS]);
    let mut driver = Driver::start(long);
    let row = driver.slices(&[slice(0, 1)]).remove(0);
    assert_eq!(row["errors"], json!({ "timeout": 1 }), "{row}");
    assert!(row["drain_ns"].as_u64().unwrap() >= 600_000_000, "{row}");
    assert!(asked.load(Ordering::SeqCst) < ROUNDS as u64);
    // And the next slice begins with a fresh connection.
    let row = driver.slices(&[slice(0, 1)]).remove(0);
    assert_eq!(row["errors"], json!({ "timeout": 1 }), "{row}");
    let finished = driver.finish();
    assert_eq!(finished.number("bytes.lifetime.connections"), 2.0);
    let told = finished.result["mismatches"][0]["got"].as_str().unwrap();
    assert!(told.contains("after the slice had ended"), "{told}");
}

/// The server closes each connection on which nothing has been asked for a while.
#[test]
fn connections_that_were_closed_meanwhile_open_again_in_the_guard() {
    let (closed, is_closed) = channel();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, closed) = (stream.unwrap(), closed.clone());
            std::thread::spawn(move || {
                stream
                    .set_read_timeout(Some(Duration::from_millis(500)))
                    .unwrap();
                let mut asked = [0; 4096];
                while stream.read(&mut asked).is_ok_and(|count| count > 0) {
                    stream.write_all(&ok(b"x")).unwrap();
                }
                drop(stream);
                let _ = closed.send(());
            });
        }
    });
    let mut flat = job("http1", address);
    flat["connections"]["count"] = json!(3);
    flat["pacer"]["clients"] = json!(3);
    let mut driver = Driver::start(flat);
    assert_eq!(driver.slices(&[slice(0, 30)])[0]["failed"], 0);
    (0..3).for_each(|_| is_closed.recv().unwrap());
    let guarded = json!({ "target": 0, "guard_us": 400_000, "stop": { "transactions": 30 } });
    let row = driver.slices(&[guarded]).remove(0);
    assert_eq!(
        (&row["transactions"], &row["failed"]),
        (&json!(30), &json!(0)),
        "{row}"
    );
    let finished = driver.finish();
    finished.assert_counts(60, json!({}));
    assert_eq!(finished.number("bytes.lifetime.connections"), 6.0);
    for sample in finished.samples() {
        assert_eq!(sample.connect_ns, -1, "it did not have to wait: {sample:?}");
    }
}

/// A server of HTTP/2 that asks, while it has no turn, whether somebody is there.
#[test]
fn a_target_without_a_turn_serves_its_connections() {
    let (said, heard) = channel();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.read_exact(&mut [0; 24]).unwrap();
        stream.write_all(&frame(4, 0, 0, &[])).unwrap();
        let mut answered = 0;
        loop {
            let mut header = [0; 9];
            if stream.read_exact(&mut header).is_err() {
                return;
            }
            let [_, a, b, kind, flags, stream_id @ ..] = header;
            let mut payload = vec![0; usize::from(u16::from_be_bytes([a, b]))];
            stream.read_exact(&mut payload).unwrap();
            match kind {
                1 => {
                    let id = u32::from_be_bytes(stream_id);
                    stream.write_all(&frame(1, 5, id, &[0x88])).unwrap();
                    answered += 1;
                    if answered == 10 {
                        // The last of the slice: what comes now, comes to an engine at rest.
                        stream.write_all(&frame(6, 0, 0, b"are you?")).unwrap();
                    }
                }
                6 if flags & 1 != 0 => said.send(payload).unwrap(),
                _ => {}
            }
        }
    });
    let mut driver = Driver::start(job("http2", address));
    driver.slices(&[slice(0, 10)]);
    assert_eq!(heard.recv().unwrap(), b"are you?");
    assert_eq!(driver.slices(&[slice(0, 10)])[0]["failed"], 0);
    driver.finish().assert_counts(20, json!({}));
}

#[test]
fn a_command_that_is_none_is_refused_and_what_was_measured_is_kept() {
    for (wrong, told) in [
        ("go", "not JSON"),
        (
            r#"{"command": "dance"}"#,
            r#"command: "dance"; expected one of warm_up, slices, capacity, finish"#,
        ),
        (
            r#"{"command": "slices", "slices": [{"target": 1, "stop": {"seconds": 1}}]}"#,
            "slices[0].target: 1; expected a whole number from 0 to 0",
        ),
        (
            r#"{"command": "slices", "slices": [{"target": 0, "stop": {}}]}"#,
            "slices[0].stop: without any condition",
        ),
    ] {
        let mut driver = Driver::start(job("http1", constant(ok(b"x"))));
        driver.slices(&[slice(0, 15)]);
        driver.0.say(&format!("{wrong}\n"));
        let finished = driver.0.finish();
        assert_eq!(finished.code, 2, "{wrong}");
        let line = finished.stderr.trim();
        assert!(line.starts_with("error: a command is refused: "), "{line}");
        assert!(line.contains(told) && line.lines().count() == 1, "{line}");
        assert_eq!(finished.result["interrupted"], true);
        assert_eq!(finished.number("counts.transactions"), 15.0);
        assert_eq!(finished.samples().len(), 15);
    }
}

#[test]
fn the_end_of_commands_is_an_interruption_and_an_earlier_finish_is_not() {
    let mut driver = Driver::start(job("http1", constant(ok(b"x"))));
    driver.slices(&[slice(0, 15)]);
    drop(driver.0.stdin.take());
    let finished = driver.0.finish();
    assert_eq!(
        (finished.code, &finished.result["interrupted"]),
        (130, &json!(true))
    );
    assert_eq!(finished.samples().len(), 15);

    let mut driver = Driver::start(job("http1", constant(ok(b"x"))));
    driver.say(&json!({ "command": "slices", "slices": [slice(0, 15)] }));
    driver.say(&json!({ "command": "finish" }));
    drop(driver.0.stdin.take());
    let finished = driver.0.finish();
    assert_eq!(
        (finished.code, &finished.result["interrupted"]),
        (0, &json!(false))
    );
    assert_eq!(finished.number("counts.transactions"), 15.0);
}

#[test]
fn without_commands_there_is_nothing_to_tell() {
    let mut driver = Driver::start(job("http1", constant(ok(b"x"))));
    drop(driver.0.stdin.take());
    let finished = driver.0.finish();
    assert_eq!((finished.code, finished.whole), (130, Value::Null));
    let left = std::fs::read_dir(finished.folder.0.join("out")).unwrap();
    assert_eq!(left.count(), 0);
}

#[test]
fn a_signal_or_the_end_of_commands_breaks_a_slice_off() {
    for signal in [Some(libc::SIGINT), Some(libc::SIGTERM), None] {
        let mut driver = Driver::start(job("http1", constant(ok(b"x"))));
        driver.slices(&[slice(0, 15)]);
        let endless = json!({ "target": 0, "stop": { "seconds": 600 } });
        driver.say(&json!({ "command": "slices", "slices": [endless, slice(0, 5)] }));
        driver.0.await_event("progress");
        match signal {
            Some(signal) => driver.0.signal(signal),
            None => drop(driver.0.stdin.take()),
        }
        let finished = driver.0.finish();
        assert_eq!(finished.code, 130, "{signal:?}: {}", finished.stderr);
        assert_eq!(finished.result["interrupted"], true);
        let rows = finished.whole["slices"].as_array().unwrap();
        assert_eq!(rows.len(), 2, "the slice after it is not begun");
        assert_eq!(rows[0]["transactions"], 15);
        let measured = rows[1]["transactions"].as_u64().unwrap();
        assert_eq!(finished.samples().len() as u64, 15 + measured);
        assert!(rows[1]["dropped"].as_u64().unwrap() <= 1);
    }
}

#[test]
fn a_target_that_is_not_there_is_named() {
    let nobody = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let mut both = both(&job("http1", nobody), &job("http1", nobody));
    both["control"] = json!(true);
    let finished = start(both).finish();
    assert_eq!(finished.code, 3);
    let expected = format!("first ({nobody}) cannot be reached: nothing listens");
    assert!(finished.stderr.contains(&expected), "{}", finished.stderr);
}

/// Where another one is there, it is that target's failure alone.
#[test]
fn a_target_that_refuses_connections_at_the_start_fails_by_itself() {
    let nobody = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let mut absent = job("http1", nobody);
    absent["connections"]["count"] = json!(3);
    let mut both = both(&job("http1", constant(ok(b"x"))), &absent);
    both["control"] = json!(true);
    let mut running = start(both);
    let told = running.await_event("unreachable");
    assert_eq!(
        (&told["target"], &told["error"]),
        (&json!(1), &json!("connect_refused"))
    );
    running.await_event("connected");
    let mut driver = Driver(running);
    let warm = driver.warm_up(1, 6);
    assert_eq!(warm["errors"], json!({ "connect_refused": 6 }), "{warm}");
    assert_eq!(driver.warm_up(0, 6)["failed"], 0);
    let rows = driver.slices(&[slice(0, 20), slice(1, 20)]);
    assert_eq!(rows[0]["errors"], json!({}), "{}", rows[0]);
    assert_eq!(rows[1]["errors"], json!({ "connect_refused": 20 }));
    let server = TcpListener::bind(nobody).unwrap();
    std::thread::spawn(move || {
        for stream in server.incoming() {
            let mut stream = stream.unwrap();
            std::thread::spawn(move || {
                let mut asked = [0; 4096];
                while stream.read(&mut asked).is_ok_and(|count| count > 0) {
                    stream.write_all(&ok(b"x")).unwrap();
                }
            });
        }
    });
    // It has come up meanwhile. Places that have just failed rest for some milliseconds.
    let late = json!({ "target": 1, "guard_us": 100_000, "stop": { "transactions": 20 } });
    assert_eq!(driver.slices(&[late])[0]["errors"], json!({}));
    let finished = driver.finish();
    assert_eq!(finished.code, 0, "{}", finished.stderr);
    let counts = |place: usize| &finished.whole["targets"][place]["counts"];
    assert_eq!(counts(0)["succeeded"], 20);
    assert_eq!(
        (&counts(1)["failed"], &counts(1)["succeeded"]),
        (&json!(20), &json!(20))
    );
}
