//! Requests that need an earlier answer: a token, a cursor, a number, out of bodies and headers.

use std::collections::BTreeSet;
use std::io::Write;
use std::net::SocketAddr;
use std::process::Output;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::support::Folder;
use crate::support::h2_server::{self, Answer};
use crate::support::http_server::{Then, ok, serve};
use crate::support::null_server::{Null, load, result};
use serde_json::Value;

/// A request as a server saw it: what it asks for, its token, and its body.
type Asked = (String, String, String);

/// What a server has been asked.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<Asked>>>);

impl Seen {
    fn add(&self, path: &str, token: &str, body: &[u8]) {
        let body = String::from_utf8(body.into()).unwrap();
        self.0
            .lock()
            .unwrap()
            .push((path.into(), token.into(), body));
    }

    fn all(&self) -> Vec<Asked> {
        self.0.lock().unwrap().clone()
    }

    fn paths(&self) -> Vec<String> {
        self.all().into_iter().map(|(path, _, _)| path).collect()
    }
}

/// The value of a header, or nothing.
fn header(head: &str, name: &str) -> String {
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    let found = lines.find(|(of, _)| of.eq_ignore_ascii_case(name));
    found.map_or(String::new(), |(_, value)| value.into())
}

/// A server whose answers depend on the path, over HTTP/1.1.
fn answering(
    seen: &Seen,
    answer: impl Fn(&str, &str) -> String + Send + Sync + 'static,
) -> SocketAddr {
    let seen = seen.clone();
    serve(move |asked, stream| {
        let token = header(&asked.head, "authorization");
        seen.add(&asked.path, &token, &asked.body);
        let _ = stream.write_all(answer(&asked.path, &token).as_bytes());
        Then::Keep
    })
}

fn text(answer: Vec<u8>) -> String {
    String::from_utf8(answer).unwrap()
}

fn json(body: &str) -> String {
    text(ok(body.as_bytes()))
}

const REFUSED: &str = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 9\r\n\r\nno access";

/// A new token with each login, without which nothing is answered.
fn logging_in(seen: &Seen) -> SocketAddr {
    let count = AtomicU64::new(0);
    answering(seen, move |path, token| match path {
        "/login" => {
            let number = count.fetch_add(1, Ordering::SeqCst);
            json(&format!(
                "{{\"data\": {{\"token\": \"t{number}\", \"at\": [1, 2]}}}}"
            ))
        }
        _ if token.starts_with("Bearer t") => json("{}"),
        _ => REFUSED.into(),
    })
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout)
}

const LOGIN: [&str; 8] = [
    "--first",
    "POST /login",
    "--first-data",
    "{\"name\": \"me\"}",
    "--first-capture",
    "token=/data/token",
    "-H",
    "authorization: Bearer {token}",
];

#[test]
fn every_client_logs_in_once_and_keeps_its_token() {
    for load_of in [&["-n", "40"][..], &["-d", "0.3s", "-r", "200"]] {
        let seen = Seen::default();
        let address = logging_in(&seen);
        let url = format!("http://{address}/items");
        let output = load(&[&[&url, "-c", "4", "--json"], load_of, &LOGIN].concat());
        let result = result(&output);
        assert_eq!(result["counts"]["failed"], 0, "{}", told(&output));
        assert_eq!(result["counts"]["errors"], serde_json::json!({}));
        let all = seen.all();
        let (logins, others): (Vec<_>, Vec<_>) = all.iter().partition(|it| it.0 == "/login");
        assert_eq!(logins.len(), 4, "before the load, and no part of it");
        assert_eq!(others.len() as u64, result["counts"]["transactions"]);
        assert!(
            logins
                .iter()
                .all(|it| it.1.is_empty() && it.2 == "{\"name\": \"me\"}")
        );
        assert!(all[..4].iter().all(|it| it.0 == "/login"));
        let tokens: BTreeSet<&str> = others.iter().map(|it| it.1.as_str()).collect();
        assert_eq!(
            tokens,
            ["Bearer t0", "Bearer t1", "Bearer t2", "Bearer t3"].into()
        );
    }
}

#[test]
fn several_workers_and_streams_of_http2_keep_their_tokens_apart() {
    let seen = Seen::default();
    let (kept, count) = (seen.clone(), AtomicU64::new(0));
    let address = h2_server::serve(move |asked| {
        let token = asked.headers.get("authorization");
        let token = token.map_or("", |it| it.to_str().unwrap());
        kept.add(&asked.path, token, &asked.body);
        if asked.path == "/login" {
            // Longer than what fits into the table of compressed headers.
            let token = format!(
                "{}-{}",
                count.fetch_add(1, Ordering::SeqCst),
                "x".repeat(6_000)
            );
            return Answer::Reply(200, vec![("x-token", token)], b"{}".to_vec(), vec![]);
        }
        Answer::plain(if token.is_empty() { 401 } else { 200 }, b"{}")
    });
    let url = format!("h2c://{address}/items");
    let output = load(&[
        &url,
        "-c",
        "2",
        "-m",
        "3",
        "-n",
        "60",
        "--cpus",
        "0,1",
        "--json",
        "--first",
        "POST /login",
        "--first-capture",
        "token=header:X-Token",
        "-H",
        "authorization: {token}",
        "--data",
        "{token}",
    ]);
    assert_eq!(
        result(&output)["counts"]["succeeded"],
        60,
        "{}",
        told(&output)
    );
    let all = seen.all();
    let loads: Vec<&Asked> = all.iter().filter(|it| it.0 == "/items").collect();
    assert!(
        loads
            .iter()
            .all(|(_, token, body)| token == body && token.len() > 6_000)
    );
    let tokens: BTreeSet<&str> = loads.iter().map(|it| it.1.as_str()).collect();
    assert_eq!((all.len(), tokens.len()), (66, 6));
}

#[test]
fn clients_follow_cursors_and_begin_again_behind_the_last_page() {
    let seen = Seen::default();
    let address = answering(&seen, |path, _| {
        let next = match path.split_once('=').unwrap().1 {
            "" => "\"a/b\"",
            "a%2Fb" => "17",
            _ => "null",
        };
        json(&format!("{{\"items\": [], \"next\": {next}}}"))
    });
    let url = format!("http://{address}/items?cursor={{cursor}}");
    let output = load(&[
        &url,
        "-c",
        "1",
        "-n",
        "7",
        "--capture",
        "cursor?=/next",
        "--json",
    ]);
    assert_eq!(
        result(&output)["counts"]["succeeded"],
        7,
        "{}",
        told(&output)
    );
    let cursors = ["", "a%2Fb", "17", "", "a%2Fb", "17", ""];
    assert_eq!(
        seen.paths(),
        cursors.map(|it| format!("/items?cursor={it}"))
    );
}

#[test]
fn the_requests_of_a_file_are_gone_through_by_each_client() {
    let seen = Seen::default();
    let count = AtomicU64::new(10);
    let address = answering(&seen, move |path, _| {
        let number = count.fetch_add(1, Ordering::SeqCst);
        match path {
            "/orders" => format!(
                "HTTP/1.1 201 Created\r\nLocation: /orders/{number}\r\nContent-Length: 2\r\n\r\n{{}}"
            ),
            _ => json("{\"total\": 2.5}"),
        }
    });
    let folder = Folder::new();
    let file = folder.0.join("targets.txt");
    let requests = "POST /orders\n> place=header:location\n\nGET /check?of={place}\n> sum=/total\n\
                    \nPUT /paid/{sum}\nx-of: {place}\n";
    std::fs::write(&file, requests).unwrap();
    let file = file.to_str().unwrap();
    let url = format!("http://{address}");
    let output = load(&[&url, "--targets", file, "-c", "3", "-n", "45", "--json"]);
    let result = result(&output);
    assert_eq!(result["counts"]["succeeded"], 45, "{}", told(&output));
    let operations = result["operations"].as_array().unwrap();
    let names: Vec<&Value> = operations.iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["POST /orders", "GET /check", "PUT /paid/{sum}"]);
    let paths = seen.paths();
    let is_check = |it: &&String| it.starts_with("/check?of=%2Forders%2F");
    let checks = paths.iter().filter(is_check).count();
    let places: BTreeSet<&String> = paths.iter().filter(is_check).collect();
    assert_eq!(places.len(), checks, "each order is another one");
    let paid = paths.iter().filter(|it| *it == "/paid/2.5").count();
    // The end may find each of the three clients in the midst of the file.
    assert!(paid <= checks && checks <= paid + 3, "{paid} of {checks}");
}

#[test]
fn users_of_a_table_log_in_with_their_own_names() {
    let seen = Seen::default();
    let address = logging_in(&seen);
    let folder = Folder::new();
    let csv = folder.0.join("users.csv");
    std::fs::write(&csv, "user\nann\nbob\n").unwrap();
    let first = folder.0.join("first.txt");
    let url = format!("http://{address}/items");
    let requests = format!(
        "GET http://{address}/hello\nauthorization: Bearer t\n\nPOST /login\nx-user: {{user}}\n> token=/data/token\n"
    );
    std::fs::write(&first, requests).unwrap();
    let first = format!("@{}", first.to_str().unwrap());
    let csv = csv.to_str().unwrap();
    let output = load(&[
        &url,
        "-c",
        "3",
        "-n",
        "9",
        "--first",
        &first,
        "--csv",
        csv,
        "-H",
        "authorization: Bearer {token}",
        "--json",
    ]);
    assert_eq!(
        result(&output)["counts"]["succeeded"],
        9,
        "{}",
        told(&output)
    );
    let paths = seen.paths();
    assert_eq!(paths.iter().filter(|it| *it == "/hello").count(), 3);
    assert_eq!(paths.iter().filter(|it| *it == "/login").count(), 3);
}

#[test]
fn an_answer_without_the_value_fails_by_name_and_is_shown() {
    let page = "<html><h1>Please log in</h1></html>";
    for (body, got, shown) in [
        (page, "not JSON", "Please log in"),
        ("{\"data\": {}}", "JSON without it", "data"),
    ] {
        let address = answering(&Seen::default(), move |_, _| json(body));
        let url = format!("http://{address}/items");
        let output = load(&[
            &url,
            "-c",
            "1",
            "-n",
            "3",
            "--capture",
            "next=/data/next",
            "--json",
        ]);
        assert_eq!(output.status.code(), Some(1));
        let whole: Value = serde_json::from_slice(&output.stdout).unwrap();
        let target = &whole["targets"][0];
        assert_eq!(target["counts"]["errors"]["missing_value"], 3);
        let mismatch = &target["mismatches"][0];
        assert_eq!(mismatch["excerpt"], body);
        assert_eq!(mismatch["expected"], "next at /data/next");
        assert!(
            mismatch["got"].as_str().unwrap().contains(got),
            "{mismatch}"
        );
        let summary = told(&load(&[
            &url,
            "-c",
            "1",
            "-n",
            "3",
            "--capture",
            "next=/data/next",
        ]));
        assert!(summary.contains("a value is missing"), "{summary}");
        assert!(summary.contains(shown), "{summary}");
    }
}

#[test]
fn a_chain_that_breaks_begins_again() {
    let seen = Seen::default();
    let count = AtomicU64::new(0);
    let address = answering(&seen, move |path, _| match path {
        "/list" if count.fetch_add(1, Ordering::SeqCst) == 0 => json("[]"),
        "/list" => json("[{\"id\": 5}]"),
        _ => json("{}"),
    });
    let folder = Folder::new();
    let file = folder.0.join("targets.txt");
    std::fs::write(&file, "GET /list\n> id=/0/id\n\nGET /items/{id}\n").unwrap();
    let url = format!("http://{address}");
    let file = file.to_str().unwrap();
    let output = load(&[&url, "--targets", file, "-c", "1", "-n", "5"]);
    assert_eq!(output.status.code(), Some(1), "one has failed");
    assert_eq!(
        seen.paths(),
        ["/list", "/list", "/items/5", "/list", "/items/5"]
    );
}

#[test]
fn a_first_request_that_is_refused_ends_the_run_with_the_answer() {
    let page = "<html>Welcome</html>";
    for (answer, told_of) in [
        (
            REFUSED.to_string(),
            [
                "(status): expected success, got 401 Unauthorized; the answer begins",
                "no access",
            ],
        ),
        (
            json(page),
            [
                "(missing_value): expected token at /data/token",
                "<html>Welcome",
            ],
        ),
        (
            json("{\"session\": \"s3cret\"}"),
            ["got JSON without it; the answer begins", "session"],
        ),
    ] {
        let address = answering(&Seen::default(), move |_, _| answer.clone());
        let url = format!("http://{address}/items");
        let output = load(&[&[&url, "-c", "2", "-n", "4"], &LOGIN[..]].concat());
        let text = told(&output);
        assert_eq!(output.status.code(), Some(3), "{text}");
        for told in told_of {
            assert!(text.contains(told), "{told}: {text}");
        }
        assert!(!text.contains("s3cret"), "{text}");
    }
}

#[test]
#[cfg(feature = "http3")]
fn http3_takes_and_sends_values_too() {
    let null = Null::start_with("http3", "7", &["--tls"]);
    let url = format!("h3://{}/{{length}}", null.authority);
    let output = load(&[
        &url,
        "--ca",
        &null.certificate,
        "-c",
        "2",
        "-m",
        "2",
        "-n",
        "20",
        "--json",
        "--first",
        "GET /",
        "--first-capture",
        "length=header:content-length",
        "--data",
        "{length}",
    ]);
    let result = result(&output);
    assert_eq!(result["counts"]["succeeded"], 20, "{}", told(&output));
    assert_eq!(
        result["bytes"]["window"]["payload_sent"], 20,
        "each body is \"7\""
    );
}

#[test]
fn what_cannot_be_captured_is_told_with_what_would_be_right() {
    let url = "http://127.0.0.1:1/{id}";
    for (arguments, told_of) in [
        (
            &[url, "--capture", "id"][..],
            "--capture \"id\"; expected NAME=/json/pointer",
        ),
        (
            &[url, "--capture", "id=/id"],
            "{id} is used before any answer had it",
        ),
        (&[url, "--capture", "other=/id"], "a value of --capture"),
        (
            &["http://127.0.0.1:1/{uuid}", "--capture", "uuid=/id"],
            "the captured value uuid has the name of another placeholder",
        ),
        (
            &[url, "--first", "login"],
            "--first \"login\"; expected a method and a path",
        ),
        (
            &[
                url,
                "--first",
                "GET http://other:2/x",
                "--first-capture",
                "id=/id",
            ],
            "--first goes to http://other:2",
        ),
        (
            &[
                "http://127.0.0.1:1/",
                "--first",
                "GET /{id}",
                "--first-capture",
                "id=/id",
            ],
            "GET /{id}: {id} is used before any answer had it",
        ),
        (
            &["grpc://127.0.0.1:1/a.B/C", "--capture", "id?=/id"],
            "are for plain HTTP",
        ),
        (
            &[
                url,
                "--http2",
                "-m",
                "4",
                "-r",
                "10",
                "--capture",
                "id?=/id",
            ],
            "expected -m 1",
        ),
    ] {
        let output = load(arguments);
        let text = told(&output);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(told_of), "{told_of}: {text}");
    }
}
