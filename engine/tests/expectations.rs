//! Options for what answers must be, and for what a run must not exceed.

use std::io::Write;
use std::net::SocketAddr;

use crate::support::Folder;
use crate::support::http_server::{Then, ok, serve};
use crate::support::null_server::{load, result};

/// Logs in with 200, and knows nothing else.
fn without_games() -> SocketAddr {
    serve(|request, stream| {
        let answer = match request.path.as_str() {
            "/login" => ok(b"{\"token\": \"t\"}"),
            _ => b"HTTP/1.1 404 Not Found\r\nContent-Length: 12\r\n\r\nno such game".to_vec(),
        };
        stream.write_all(&answer).unwrap();
        Then::Keep
    })
}

#[test]
fn another_status_than_success_may_be_expected() {
    let url = format!("http://{}/games/0", without_games());
    let code = |more: &[&str]| load(&[&[&url, "-n", "5"], more].concat()).status.code();
    assert_eq!(code(&[]), Some(1));
    assert_eq!(code(&["--expect-status", "404"]), Some(0));
    assert_eq!(code(&["--expect-status", "410"]), Some(1));
    let login = ["--first", "POST /login", "--expect-status", "404"];
    assert_eq!(code(&login), Some(0), "the login is not expected to fail");
    let output = load(&[
        &url,
        "--expect-status",
        "404",
        "--expect-body",
        "no such game",
        "--print-job",
    ]);
    let job: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let expected = &job["targets"][0]["requests"][0]["expect"];
    assert_eq!(expected["status"], 404);
    assert_eq!(expected["body_xxh3"].as_str().unwrap().len(), 16);
}

#[test]
fn a_body_may_be_expected() {
    let address = serve(|_, stream| {
        stream.write_all(&ok(b"hello\n")).unwrap();
        Then::Keep
    });
    let url = format!("http://{address}/");
    let folder = Folder::new();
    let file = folder.0.join("body");
    std::fs::write(&file, "hello\n").unwrap();
    let code = |body: &str| {
        load(&[&url, "-n", "5", "--expect-body", body])
            .status
            .code()
    };
    assert_eq!(code("hello\n"), Some(0));
    assert_eq!(code(&format!("@{}", file.display())), Some(0));
    assert_eq!(code("hello"), Some(1));
    assert_eq!(code("@/no/such/file"), Some(2));
}

#[test]
fn failures_may_have_a_limit() {
    let address = serve(|request, stream| {
        let answer = match request.number % 4 {
            0 => b"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n".to_vec(),
            _ => ok(b"x"),
        };
        stream.write_all(&answer).unwrap();
        Then::Keep
    });
    let url = format!("http://{address}/");
    for (limit, transactions, code, message) in [
        ("failed>20%", "40", 12, "25.000 % of the requests"),
        ("failed>30%", "40", 0, ""),
        ("failed>30%", "8", 12, "too few requests: 11 needed"),
        ("p99>10s", "40", 12, "too few requests: 368 needed"),
        ("failed<1%", "40", 2, "expected what must not be"),
    ] {
        let output = load(&[&url, "-n", transactions, "-c", "1", "--fail-if", limit]);
        let text = String::from_utf8_lossy(&output.stderr);
        // Without a limit of failures, they take precedence.
        let code = if limit == "p99>10s" { 1 } else { code };
        assert_eq!(output.status.code(), Some(code), "{limit}: {text}");
        assert!(text.contains(message), "{limit}: {text}");
    }
}

#[test]
fn a_value_that_makes_a_body_invalid_is_named_with_its_row() {
    let folder = Folder::new();
    let csv = folder.0.join("games.csv");
    std::fs::write(&csv, "id,title\n1,Chess\n2,\"the \"\"game\"\"\"\n").unwrap();
    let body = "{\"id\": {id}, \"title\": \"{title}\"}";
    let csv = csv.to_str().unwrap();
    let output = load(&["http://127.0.0.1:1/games", "--csv", csv, "--data", body]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("row 2: the value of title"), "{text}");
    assert!(!text.contains("game\""), "it may be a secret: {text}");
}

/// The paths of the requests, and when each arrived, in milliseconds after the first.
fn replayed(arguments: &[&str], recording: impl Fn(SocketAddr) -> String) -> Vec<(String, u128)> {
    use std::sync::{Arc, Mutex};
    use std::time::Instant;

    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&seen);
    let address = serve(move |request, stream| {
        kept.lock()
            .unwrap()
            .push((request.path.clone(), Instant::now()));
        stream.write_all(&ok(b"x")).unwrap();
        Then::Keep
    });
    let folder = Folder::new();
    let file = folder.0.join("recording");
    std::fs::write(&file, recording(address)).unwrap();
    let arguments: Vec<String> = arguments
        .iter()
        .map(|it| it.replace("SERVER", &format!("http://{address}")))
        .collect();
    let given: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let replay = ["--replay", file.to_str().unwrap(), "-c", "2", "--json"];
    let result = result(&load(&[&given, &replay[..]].concat()));
    let seen = seen.lock().unwrap();
    assert_eq!(result["counts"]["succeeded"], seen.len());
    let first = seen[0].1;
    let times = seen
        .iter()
        .map(|(path, at)| (path.clone(), at.duration_since(first).as_millis()));
    times.collect()
}

/// A busy machine may be late, also with the first request, from which the times count.
fn assert_near(found: &[(String, u128)], expected: &[(&str, u128)]) {
    let paths = found.iter().map(|it| it.0.as_str());
    assert!(paths.eq(expected.iter().map(|it| it.0)), "{found:?}");
    let times = || {
        found
            .iter()
            .map(|it| it.1)
            .zip(expected.iter().map(|it| it.1))
    };
    let begin = times()
        .map(|(at, due)| due.saturating_sub(at))
        .max()
        .unwrap_or(0);
    for (at, due) in times() {
        assert!((due..due + 150).contains(&(at + begin)), "{found:?}");
    }
}

#[test]
fn rows_are_sent_at_their_times() {
    let csv = |_| "id,time\na,1700000000.5\nb,1700000000.7\nc,1700000001.1\n".to_string();
    let found = replayed(&["SERVER/{id}"], csv);
    assert_near(&found, &[("/a", 0), ("/b", 200), ("/c", 600)]);
    let found = replayed(&["SERVER/{id}", "--speed", "2"], csv);
    assert_near(&found, &[("/a", 0), ("/b", 100), ("/c", 300)]);
    let found = replayed(&["SERVER/same"], |_| "time\n0\n0.1\n".into());
    assert_near(&found, &[("/same", 0), ("/same", 100)]);
}

#[test]
fn recorded_requests_are_sent_at_their_times() {
    let har = |address: SocketAddr| {
        let entry = |time: &str, url: String| {
            serde_json::json!({
                "startedDateTime": format!("2026-03-01T12:00:{time}Z"),
                "request": { "method": "GET", "url": url, "headers": [] },
            })
        };
        let entries = [
            entry("00.300", format!("http://{address}/b")),
            entry("00.000", format!("http://{address}/a")),
        ];
        serde_json::json!({ "log": { "entries": entries } }).to_string()
    };
    assert_near(&replayed(&[], har), &[("/a", 0), ("/b", 300)]);
}

#[test]
fn a_recording_without_times_or_address_is_refused() {
    let folder = Folder::new();
    let file = folder.0.join("recording.csv");
    let name = file.to_str().unwrap();
    for (content, arguments, message) in [
        ("id\n1\n", &["http://127.0.0.1:1/"][..], "no column time"),
        ("time\n1\n", &[], "expected the server's address"),
        (
            "time\n1\n",
            &["http://127.0.0.1:1/", "-r", "5"],
            "cannot be used with",
        ),
        (
            "time\n1\n",
            &["http://127.0.0.1:1/", "http://127.0.0.1:2/"],
            "are for one server",
        ),
    ] {
        std::fs::write(&file, content).unwrap();
        let output = load(&[arguments, &["--replay", name]].concat());
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(message), "{message}: {text}");
    }
}
