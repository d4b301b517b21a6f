//! WebSocket against the `tungstenite` crate.

use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use crate::support::connections;
use crate::support::{base64, job, run, xxh3};
use serde_json::{Value, json};
use tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tungstenite::{Message, WebSocket};

/// Serves every connection in a separate thread.
fn serve(
    answer: impl Fn(&mut WebSocket<TcpStream>, Message) -> bool + Send + Copy + 'static,
) -> SocketAddr {
    connections::serve(move |stream| {
        let Ok(mut socket) = tungstenite::accept_hdr(stream, at_ws) else {
            return;
        };
        while let Ok(message) = socket.read() {
            let is_request = message.is_text() || message.is_binary();
            if is_request && !answer(&mut socket, message) {
                return;
            }
        }
    })
}

#[allow(clippy::result_large_err, reason = "the signature is the library's")]
fn at_ws(request: &Request, response: Response) -> Result<Response, ErrorResponse> {
    if request.uri().path() == "/ws" {
        return Ok(response);
    }
    Err(Response::builder().status(404).body(None).unwrap())
}

fn websocket_job(address: SocketAddr, body: &[u8]) -> Value {
    let mut job = job("websocket", address);
    job["target"]["path"] = json!("/ws");
    job["requests"][0] = json!({ "body": base64(body), "expect": { "body_xxh3": xxh3(body) } });
    job
}

#[test]
fn messages_are_echoed() {
    let address = serve(|socket, message| socket.send(message).is_ok());
    for (body, binary) in [
        (b"{\"op\":\"ping\"}".to_vec(), false),
        (vec![200; 100_000], true),
    ] {
        let mut job = websocket_job(address, &body);
        job["requests"][0]["binary"] = json!(binary);
        job["connections"]["count"] = json!(3);
        job["pacer"]["clients"] = json!(3);
        let finished = run(job);
        finished.assert_counts(50, json!({}));
        let length = body.len() as f64;
        assert_eq!(
            finished.number("bytes.window.payload_received"),
            50.0 * length
        );
        let (header, mask) = if binary { (10.0, 4.0) } else { (2.0, 4.0) };
        assert_eq!(
            finished.number("bytes.window.sent"),
            50.0 * (length + header + mask)
        );
        assert_eq!(
            finished.number("bytes.window.received"),
            50.0 * (length + header)
        );
        assert_eq!(finished.number("bytes.lifetime.connections"), 3.0);
    }
}

#[test]
fn several_requests_may_be_open_at_once() {
    let address = serve(|socket, message| socket.send(message).is_ok());
    let mut job = websocket_job(address, b"hello");
    job["connections"]["streams_per_connection"] = json!(5);
    job["pacer"]["clients"] = json!(5);
    run(job).assert_counts(50, json!({}));
}

#[test]
fn pings_between_are_answered() {
    let address = serve(|socket, message| {
        socket.send(Message::Ping("there?".into())).unwrap();
        let Ok(Message::Pong(pong)) = socket.read() else {
            return false;
        };
        assert_eq!(pong, "there?");
        socket.send(message).is_ok()
    });
    run(websocket_job(address, b"hello")).assert_counts(50, json!({}));
}

#[test]
fn each_request_can_have_a_fresh_connection() {
    let address = serve(|socket, message| socket.send(message).is_ok());
    let mut job = websocket_job(address, b"hello");
    job["connections"]["reuse"] = json!(false);
    let finished = run(job);
    finished.assert_counts(50, json!({}));
    assert_eq!(finished.number("bytes.lifetime.connections"), 55.0);
}

#[test]
fn a_closed_connection_fails_the_request_and_is_opened_again() {
    let address = serve(|socket, message| {
        if message.to_text().unwrap() == "close" {
            let _ = socket.close(None);
            return true;
        }
        socket.send(message).is_ok()
    });
    let mut job = websocket_job(address, b"hello");
    job["requests"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "body": base64(b"close") }));
    job["transactions"] = json!([
        { "operation": "hello", "rounds": [[0]] },
        { "operation": "close", "rounds": [[1]] },
    ]);
    let finished = run(job);
    finished.assert_counts(50, json!({ "closed_early": 25 }));
    let failed = finished
        .samples()
        .into_iter()
        .filter(|sample| !sample.error.is_empty());
    assert!(failed.into_iter().all(|sample| sample.operation == "close"));
}

/// What is slow is answered when the engine has given up waiting for it: when its next message
/// comes, or its connection ends.
#[test]
fn a_late_answer_is_not_taken_for_the_next() {
    let address = serve(|socket, message| {
        if message.to_text().unwrap() != "slow" {
            return socket.send(message).is_ok();
        }
        let next = socket.read();
        let late = socket.send(message);
        match next {
            Ok(next) if next.is_text() => late.is_ok() && socket.send(next).is_ok(),
            _ => false,
        }
    });
    let mut job = websocket_job(address, b"fast");
    job["connections"]["request_timeout_ms"] = json!(1000);
    job["warm_up"] = json!({});
    job["stop"] = json!({ "transactions": 6 });
    job["requests"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "body": base64(b"slow") }));
    job["transactions"] = json!([
        { "operation": "fast", "rounds": [[0]] },
        { "operation": "slow", "rounds": [[1]] },
    ]);
    run(job).assert_counts(6, json!({ "timeout": 3 }));
}

#[test]
fn a_refused_handshake_is_explained() {
    let address = serve(|socket, message| socket.send(message).is_ok());
    let mut job = websocket_job(address, b"hello");
    job["target"]["path"] = json!("/elsewhere");
    let finished = run(job);
    assert_eq!(finished.code, 3);
    assert!(
        finished.stderr.contains("status 404"),
        "{}",
        finished.stderr
    );
}

/// A server that answers every message twice, the second time after `later`.
fn twice(later: Duration) -> SocketAddr {
    connections::serve_with(move |stream| {
        let Ok(mut socket) = tungstenite::accept_hdr(stream, at_ws) else {
            return;
        };
        while let Ok(message) = socket.read() {
            if message.is_text() {
                let sent = socket.write(message.clone());
                let surplus = match later.is_zero() {
                    true => sent.and_then(|()| socket.send(message)),
                    false => sent.and_then(|()| socket.flush()).and_then(|()| {
                        std::thread::sleep(later);
                        socket.send(message)
                    }),
                };
                if surplus.is_err() {
                    return;
                }
            }
        }
    })
}

#[test]
fn a_surplus_message_is_a_violation_whenever_it_comes() {
    for later in [Duration::ZERO, Duration::from_millis(10)] {
        let mut job = websocket_job(twice(later), b"hello");
        job["warm_up"] = json!({});
        job["stop"] = json!({ "transactions": 10 });
        let finished = run(job);
        finished.assert_counts(10, json!({}));
        let violations = &finished.result["connections"]["violations"];
        let kinds: Vec<&String> = violations.as_object().unwrap().keys().collect();
        assert_eq!(kinds, ["a message that answers no request"], "{later:?}");
    }
}

/// A server that greets after a moment, and then answers each message with itself.
fn greeter(after: Duration) -> SocketAddr {
    connections::serve_with(move |stream| {
        let Ok(mut socket) = tungstenite::accept_hdr(stream, at_ws) else {
            return;
        };
        std::thread::sleep(after);
        let mut sent = socket.send(Message::text("welcome"));
        while let (Ok(()), Ok(message)) = (&sent, socket.read()) {
            if message.is_text() {
                sent = socket.send(message);
            }
        }
    })
}

#[test]
fn a_greeting_is_a_violation_unless_the_job_expects_it() {
    for after in [Duration::ZERO, Duration::from_millis(30)] {
        let address = greeter(after);
        let mut job = websocket_job(address, b"hello");
        job["connections"]["count"] = json!(2);
        job["pacer"]["clients"] = json!(2);
        job["requests"][0].as_object_mut().unwrap().remove("expect");
        let finished = run(job.clone());
        let violations = &finished.result["connections"]["violations"];
        let failed = finished.result["counts"]["failed"].as_u64().unwrap();
        assert!(
            failed > 0 || violations["a message that answers no request"].is_number(),
            "{:#}",
            finished.result["connections"]
        );
        job["target"]["greetings"] = json!(1);
        job["requests"][0]["expect"] = json!({ "body_xxh3": xxh3(b"hello") });
        let finished = run(job);
        finished.assert_counts(50, json!({}));
        assert_eq!(finished.result["connections"]["violations"], json!({}));
    }
}
