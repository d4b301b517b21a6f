//! Slices that fail: they end, the failure is reported, and the others continue.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use crate::support::driver::{Driver, both, slice};
use crate::support::http_server::{Then, constant, ok, serve};
use crate::support::job;
use crate::support::raw_server::frame;
use serde_json::json;

#[test]
fn a_target_that_resets_connections_is_distinguished_from_others() {
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
fn a_target_that_never_answers_takes_one_time_out_instead_of_one_for_each_transaction() {
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

/// A window that is measured by itself has no guard.
#[test]
fn a_target_that_stalls_in_its_replies_takes_one_time_out_in_a_window() {
    let stalling = serve(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n");
        std::thread::sleep(Duration::from_secs(60));
        Then::Close
    });
    let mut slow = job("http1", stalling);
    slow["connections"]["request_timeout_ms"] = json!(200);
    let mut driver = Driver::start(slow);
    let row = driver.slices(&[slice(0, 1_000)]).remove(0);
    assert_eq!(row["errors"], json!({ "slow_reply": 1 }), "{row}");
    driver.finish();
}

#[test]
fn a_slice_that_never_drains_ends_at_its_deadline() {
    const ROUNDS: usize = 1_000;
    let request = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&request);
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
    assert!(request.load(Ordering::SeqCst) < ROUNDS as u64);
    // And the next slice begins with a fresh connection.
    let row = driver.slices(&[slice(0, 1)]).remove(0);
    assert_eq!(row["errors"], json!({ "timeout": 1 }), "{row}");
    let finished = driver.finish();
    assert_eq!(finished.number("bytes.lifetime.connections"), 2.0);
    let reported = finished.result["mismatches"][0]["got"].as_str().unwrap();
    assert!(
        reported.contains("after the end of the slice"),
        "{reported}"
    );
}

/// The server closes each connection without a request for a while.
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
                let mut request = [0; 4096];
                while stream.read(&mut request).is_ok_and(|count| count > 0) {
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

/// A server of HTTP/2 that sends pings while it has no turn.
#[test]
fn a_target_without_a_turn_serves_its_connections() {
    let (sender, receiver) = channel();
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
                6 if flags & 1 != 0 => sender.send(payload).unwrap(),
                _ => {}
            }
        }
    });
    let mut driver = Driver::start(job("http2", address));
    driver.slices(&[slice(0, 10)]);
    assert_eq!(receiver.recv().unwrap(), b"are you?");
    assert_eq!(driver.slices(&[slice(0, 10)])[0]["failed"], 0);
    driver.finish().assert_counts(20, json!({}));
}
