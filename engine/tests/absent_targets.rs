//! Targets that are not there, from the start or from some time on.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::support::driver::{Driver, both, slice};
use crate::support::http_server::{constant, ok};
use crate::support::{job, start};
use serde_json::{Value, json};

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
                let mut request = [0; 4096];
                while stream.read(&mut request).is_ok_and(|count| count > 0) {
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
fn a_missing_target_is_named() {
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
    let reported = running.await_event("unreachable");
    assert_eq!(
        (&reported["target"], &reported["error"]),
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
                let mut request = [0; 4096];
                while stream.read(&mut request).is_ok_and(|count| count > 0) {
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
