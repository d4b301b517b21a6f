//! Clients that open a session of the server, and send its id with every request.

use std::collections::BTreeSet;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::support::http_server::{Then, ok, serve};
use crate::support::{base64, job, run};

const GONE: &str = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";

type Seen = Arc<Mutex<Vec<(String, String)>>>;

/// A server that answers only in sessions that it has given an id, `most` calls in each; what it
/// received, and of whom.
fn in_sessions(most: usize) -> (SocketAddr, Seen) {
    let (seen, count) = (Seen::default(), AtomicU64::new(0));
    let kept = seen.clone();
    let address = serve(move |request, stream| {
        let mut lines = request.head.lines().filter_map(|it| it.split_once(": "));
        let id = lines.find(|(name, _)| *name == "session-id");
        let id = id.map_or(String::new(), |(_, value)| value.into());
        let what = String::from_utf8(request.body.clone()).unwrap();
        let answer = match what.as_str() {
            "begin" => {
                let number = count.fetch_add(1, Ordering::SeqCst);
                format!("HTTP/1.1 200 OK\r\nSession-Id: s{number}\r\nContent-Length: 0\r\n\r\n")
            }
            "call"
                if of(&kept.lock().unwrap(), "call")
                    .iter()
                    .filter(|it| **it == id)
                    .count()
                    >= most =>
            {
                GONE.into()
            }
            _ if id.starts_with('s') => String::from_utf8(ok(b"{}")).unwrap(),
            _ => GONE.into(),
        };
        kept.lock().unwrap().push((what, id));
        let _ = stream.write_all(answer.as_bytes());
        Then::Keep
    });
    (address, seen)
}

fn in_session(address: SocketAddr, closing: Value) -> Value {
    let post =
        |body: &str| json!({ "method": "POST", "path": "/", "body": base64(body.as_bytes()) });
    let mut job = job("http1", address);
    job["target"]["session"] = json!({
        "header": "session-id", "requests": [post("begin"), post("begun")], "closing": closing,
    });
    job["requests"] = json!([post("call")]);
    job["connections"]["count"] = json!(3);
    job["pacer"]["clients"] = json!(3);
    job["warm_up"] = json!({});
    job["stop"] = json!({ "transactions": 30 });
    job
}

fn of<'a>(all: &'a [(String, String)], what: &str) -> Vec<&'a str> {
    let found = all.iter().filter(|it| it.0 == what);
    found.map(|it| it.1.as_str()).collect()
}

#[test]
fn every_client_opens_one_session_before_the_load() {
    let (address, seen) = in_sessions(usize::MAX);
    run(in_session(address, Value::Null)).assert_counts(30, json!({}));
    let all = seen.lock().unwrap();
    assert_eq!(of(&all, "begin"), ["", "", ""]);
    assert_eq!(of(&all, "begun").len(), 3);
    let calls = of(&all, "call");
    assert_eq!(calls.len(), 30);
    let ids: BTreeSet<_> = calls.into_iter().collect();
    assert_eq!(ids, ["s0", "s1", "s2"].into());
}

#[test]
fn a_session_that_is_closed_is_one_of_each_transaction() {
    let (address, seen) = in_sessions(usize::MAX);
    let closing = json!({ "method": "DELETE", "path": "/", "body": base64(b"end") });
    run(in_session(address, closing)).assert_counts(30, json!({}));
    let all = seen.lock().unwrap();
    for what in ["begin", "begun", "call", "end"] {
        assert_eq!(of(&all, what).len(), 30, "{what}");
    }
    let ids: BTreeSet<_> = of(&all, "call").into_iter().collect();
    assert_eq!(ids.len(), 30, "no session has two calls");
}

#[test]
fn a_session_that_has_ended_is_opened_again_within_the_transaction() {
    let (address, seen) = in_sessions(4);
    let finished = run(in_session(address, Value::Null));
    finished.assert_counts(30, json!({}));
    let all = seen.lock().unwrap();
    let opened = of(&all, "begin").len() as u64;
    assert!(opened > 3 + 4, "{opened}");
    assert_eq!(of(&all, "begun").len() as u64, opened);
    assert_eq!(finished.result["reopened_sessions"], opened - 3);
    assert_eq!(of(&all, "call").len() as u64, 30 + opened - 3);
    let (address, _) = in_sessions(0);
    run(in_session(address, Value::Null)).assert_counts(30, json!({ "status": 30 }));
}

#[test]
fn a_session_is_opened_over_http_by_a_request() {
    for (transport, session, problem) in [
        (
            "grpc",
            json!({ "header": "a", "requests": [{}] }),
            "targets[0].session: given",
        ),
        (
            "http1",
            json!({ "header": "a" }),
            "targets[0].session.requests",
        ),
        (
            "http1",
            json!({ "header": "", "requests": [{}] }),
            "targets[0].session.header",
        ),
    ] {
        let mut job = job(transport, "127.0.0.1:9".parse().unwrap());
        job["target"]["session"] = session;
        let finished = run(job);
        assert!(finished.stderr.contains(problem), "{}", finished.stderr);
    }
}
