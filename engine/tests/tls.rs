//! Every transport over TLS, against servers of other people's making, and what can go wrong.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command, Stdio};

use crate::support::http_server::{Then, constant, ok, serve};
use crate::support::tls_front::{Front, Options};
use crate::support::{base64, h2_server, job, run, xxh3};
use serde_json::{Value, json};

fn secure_job(transport: &str, front: &Front) -> Value {
    let mut job = job(transport, front.address);
    job["target"]["tls"] = json!({ "ca": front.ca });
    job
}

#[test]
fn http1_over_tls_is_counted_as_in_clear_text() {
    let front = Front::of(constant(ok(b"answer")));
    let mut job = secure_job("http1", &front);
    job["requests"][0]["expect"] = json!({ "body_xxh3": xxh3(b"answer") });
    let finished = run(job);
    finished.assert_counts(50, json!({}));
    let tls = &finished.result["tls"];
    assert_eq!(
        (&tls["trust"], &tls["version"]),
        (&json!("ca"), &json!("TLSv1_3"))
    );
    assert_eq!(
        (&tls["handshakes"], &tls["resumed"]),
        (&json!(1), &json!(0))
    );
    assert_eq!(front.handshakes(), (1, 0));
    // A record of TLS 1.3 is 22 bytes longer than what it holds.
    let plain = ok(b"answer").len() as f64;
    assert_eq!(
        finished.number("bytes.window.received"),
        50.0 * (plain + 22.0)
    );
    assert_eq!(finished.number("bytes.window.payload_received"), 300.0);
    assert_eq!(finished.samples()[0].bytes_received as f64, plain);
    let (tls, connect) = ("latency_us.tls", "latency_us.connect");
    assert_eq!(finished.number(&format!("{tls}.count")), 1.0);
    assert!(finished.number(&format!("{tls}.max")) > 0.0);
    assert!(
        finished.number(&format!("{tls}.max")) < finished.number(&format!("{connect}.max")),
        "{:#}",
        finished.result
    );
}

#[test]
fn a_result_in_clear_text_has_no_figures_of_tls() {
    let finished = run(job("http1", constant(ok(b"x"))));
    assert_eq!(finished.result["tls"], Value::Null);
    assert_eq!(finished.result["latency_us"]["tls"], Value::Null);
}

#[test]
fn bodies_of_many_records_are_sent_in_both_directions() {
    let body: Vec<u8> = (0..900_000u32).map(|it| it as u8).collect();
    let backend = h2_server::serve(|request| match request.headers.get("te") {
        None => h2_server::Answer::plain(200, &request.body),
        Some(_) => h2_server::Answer::grpc(&request.body[5..], "0"),
    });
    let front = Front::of(backend);
    for transport in ["http2", "grpc"] {
        let mut job = secure_job(transport, &front);
        job["connections"] = json!({ "count": 2, "streams_per_connection": 4 });
        job["pacer"]["clients"] = json!(8);
        job["requests"][0] = json!({ "method": "POST", "path": "/test.Test/Echo",
            "body": base64(&body), "expect": { "body_xxh3": xxh3(&body) } });
        let finished = run(job);
        finished.assert_counts(50, json!({}));
        assert_eq!(finished.number("tls.handshakes"), 2.0);
    }
}

#[test]
fn requests_have_the_scheme_https() {
    let front = Front::of(h2_server::serve(|request| {
        h2_server::Answer::plain(200, request.scheme.as_bytes())
    }));
    let mut job = secure_job("http2", &front);
    job["requests"][0]["expect"] = json!({ "body_xxh3": xxh3(b"https") });
    run(job).assert_counts(50, json!({}));
}

#[test]
fn websocket_over_tls() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            std::thread::spawn(move || {
                let mut socket = tungstenite::accept(stream.unwrap()).unwrap();
                while let Ok(message) = socket.read() {
                    if message.is_text() && socket.send(message).is_err() {
                        return;
                    }
                }
            });
        }
    });
    let message = "hello ".repeat(20_000);
    let front = Front::of(address);
    let mut job = secure_job("websocket", &front);
    job["requests"][0] = json!({ "body": base64(message.as_bytes()),
        "expect": { "body_xxh3": xxh3(message.as_bytes()) } });
    run(job).assert_counts(50, json!({}));
}

#[test]
fn an_untrusted_server_is_refused_unless_declared_insecure() {
    let front = Front::of(constant(ok(b"x")));
    let stranger = Front::of(constant(ok(b"x")));
    let mut job = secure_job("http1", &front);
    job["target"]["tls"] = json!({ "ca": stranger.ca });
    let finished = run(job.clone());
    assert_eq!(finished.code, 3);
    assert!(
        finished.stderr.contains("not from a trusted CA"),
        "{}",
        finished.stderr
    );
    assert!(
        finished.stderr.contains("handshake_failed"),
        "{}",
        finished.stderr
    );

    job["target"]["tls"] = json!({ "insecure": true });
    let finished = run(job);
    finished.assert_counts(50, json!({}));
    assert_eq!(finished.result["tls"]["trust"], "insecure");
}

#[test]
fn a_certificate_must_be_for_the_server() {
    let options = Options {
        name: "wirelab.test",
        ..Options::default()
    };
    let front = Front::with(constant(ok(b"x")), &options);
    let mut job = secure_job("http1", &front);
    let finished = run(job.clone());
    assert_eq!(finished.code, 3);
    assert!(
        finished.stderr.contains("for another name"),
        "{}",
        finished.stderr
    );
    job["target"]["tls"]["server_name"] = json!("wirelab.test");
    run(job).assert_counts(50, json!({}));
}

#[test]
fn versions_can_be_chosen() {
    let options = Options {
        only_tls12: true,
        ..Options::default()
    };
    let front = Front::with(constant(ok(b"x")), &options);
    let mut job = secure_job("http1", &front);
    let finished = run(job.clone());
    finished.assert_counts(50, json!({}));
    assert_eq!(finished.result["tls"]["version"], "TLSv1_2");
    job["target"]["tls"]["version"] = json!("1.3");
    let finished = run(job);
    assert_eq!(finished.code, 3);
    assert!(
        finished.stderr.contains("version of TLS"),
        "{}",
        finished.stderr
    );
}

#[test]
fn http2_is_negotiated_or_there_is_none() {
    let options = Options {
        protocols: &["http/1.1"],
        ..Options::default()
    };
    let front = Front::with(constant(ok(b"x")), &options);
    let finished = run(secure_job("http2", &front));
    assert_eq!(finished.code, 3);
    assert!(finished.stderr.contains("ALPN"), "{}", finished.stderr);
    let options = Options {
        protocols: &[],
        ..Options::default()
    };
    let silent = Front::with(constant(ok(b"x")), &options);
    let finished = run(secure_job("grpc", &silent));
    assert_eq!(finished.code, 3);
    assert!(
        finished.stderr.contains("did not choose h2"),
        "{}",
        finished.stderr
    );
    run(secure_job("http1", &silent)).assert_counts(50, json!({}));
}

#[test]
fn a_server_without_tls_is_recognised() {
    let mut job = job("http1", constant(ok(b"x")));
    job["target"]["tls"] = json!({ "insecure": true });
    let finished = run(job);
    assert_eq!(finished.code, 3);
    assert!(
        finished.stderr.contains("handshake_failed"),
        "{}",
        finished.stderr
    );
}

#[test]
fn a_silent_handshake_times_out() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut job = job("http1", listener.local_addr().unwrap());
    job["target"]["tls"] = json!({ "insecure": true });
    job["connections"]["connect_timeout_ms"] = json!(300);
    let finished = run(job);
    assert_eq!(finished.code, 3);
    assert!(
        finished.stderr.contains("exceeded the connect time-out"),
        "{}",
        finished.stderr
    );
}

#[test]
fn closed_connections_are_opened_again() {
    let front = Front::of(serve(|request, stream| {
        stream.write_all(&ok(b"x")).unwrap();
        if request.number % 10 == 9 {
            return Then::Close;
        }
        Then::Keep
    }));
    let finished = run(secure_job("http1", &front));
    assert_eq!(finished.code, 0, "{}", finished.stderr);
    assert!(finished.number("tls.handshakes") >= 5.0);
    let (full, resumed) = front.handshakes();
    assert_eq!(finished.number("tls.handshakes"), (full + resumed) as f64);
    assert_eq!(finished.number("tls.resumed"), resumed as f64);
}

/// A job in which each request has a fresh connection.
fn fresh_job(front: &Front) -> Value {
    let mut job = secure_job("http1", front);
    job["connections"] = json!({ "count": 4, "reuse": false });
    job["pacer"]["clients"] = json!(4);
    job
}

#[test]
fn fresh_connections_resume_and_their_times_are_in_the_samples() {
    let front = Front::of(constant(ok(b"x")));
    let finished = run(fresh_job(&front));
    finished.assert_counts(50, json!({}));
    let (full, resumed) = front.handshakes();
    assert_eq!(finished.number("tls.handshakes"), (full + resumed) as f64);
    assert_eq!(finished.number("tls.resumed"), resumed as f64);
    assert_eq!(full + resumed, 55, "one connection for each transaction");
    assert!(
        resumed >= 51,
        "the first ones may have begun before there was a ticket"
    );
    assert_eq!(finished.number("bytes.lifetime.connections"), 55.0);
    for sample in finished.samples() {
        assert!(
            0 < sample.tls_ns && sample.tls_ns < sample.connect_ns,
            "{sample:?}"
        );
        assert!(
            sample.start_ns + sample.connect_ns < sample.first_byte_ns,
            "{sample:?}"
        );
    }
}

#[test]
fn without_resumption_each_handshake_is_full() {
    let front = Front::of(constant(ok(b"x")));
    let mut job = fresh_job(&front);
    job["target"]["tls"]["resumption"] = json!(false);
    let finished = run(job);
    finished.assert_counts(50, json!({}));
    assert_eq!(front.handshakes(), (55, 0));
    assert_eq!(finished.number("tls.resumed"), 0.0);
}

#[test]
fn a_transaction_without_a_new_connection_has_no_connect_time() {
    let front = Front::of(constant(ok(b"x")));
    for sample in run(secure_job("http1", &front)).samples() {
        assert_eq!((sample.connect_ns, sample.tls_ns), (-1, -1));
    }
    let mut job = job("http1", constant(ok(b"x")));
    job["connections"]["reuse"] = json!(false);
    for sample in run(job).samples() {
        assert!(sample.connect_ns > 0 && sample.tls_ns == -1, "{sample:?}");
    }
}

/// `openssl s_server`, which answers each GET with a page about the session, and then closes.
struct OpensslServer {
    child: Child,
    address: SocketAddr,
    front: Front,
}

impl OpensslServer {
    fn start(options: &[&str]) -> Self {
        // Its certificate is that of an unused front.
        let front = Front::of("127.0.0.1:1".parse().unwrap());
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let mut child = Command::new("openssl")
            .args(["s_server", "-www", "-accept", &format!("127.0.0.1:{port}")])
            .arg("-cert")
            .arg(&front.ca)
            .arg("-key")
            .arg(&front.key)
            .args(options)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().contains("ACCEPT")));
        std::thread::spawn(move || lines.for_each(drop));
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        Self {
            child,
            address,
            front,
        }
    }

    fn job(&self) -> Value {
        let mut job = job("http1", self.address);
        job["target"]["tls"] = json!({ "ca": self.front.ca });
        job["requests"][0]["path"] = json!("/");
        job["stop"]["transactions"] = json!(20);
        job
    }
}

impl Drop for OpensslServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn openssl_resumes_sessions_too() {
    let server = OpensslServer::start(&[]);
    let mut job = server.job();
    job["requests"][0]["expect"] = json!({ "must_not_contain": ["New, "] });
    job["warm_up"]["transactions"] = json!(2);
    let finished = run(job.clone());
    // The page says "Reused, TLSv1.3, Cipher is ...", and that of the first connection "New".
    finished.assert_counts(20, json!({}));
    assert_eq!(
        finished.number("tls.resumed"),
        finished.number("tls.handshakes") - 1.0
    );

    job["target"]["tls"]["resumption"] = json!(false);
    job["requests"][0]["expect"] = json!({ "must_not_contain": ["Reused, "] });
    let finished = run(job);
    finished.assert_counts(20, json!({}));
    assert_eq!(finished.number("tls.resumed"), 0.0);

    let server = OpensslServer::start(&["-tls1_2"]);
    let mut job = server.job();
    job["requests"][0]["expect"] = json!({ "must_not_contain": ["New, "] });
    job["warm_up"]["transactions"] = json!(2);
    let finished = run(job);
    finished.assert_counts(20, json!({}));
    assert_eq!(finished.result["tls"]["version"], "TLSv1_2");
}
