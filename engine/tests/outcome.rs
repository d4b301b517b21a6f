//! What the program says of a run: limits, tables, statuses, certificates; and how load is shaped.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::support::Folder;
use crate::support::http_server::{Then, ok, serve};
use crate::support::null_server::{Null, load, result};
use crate::support::tls_front::{Front, Options};

#[test]
fn an_exceeded_limit_has_its_own_exit_code() {
    let null = Null::start("http", "5");
    let url = format!("http://{}/", null.authority);
    for (limit, code, expected) in [
        ("p50>1s", 0, ""),
        ("rate<0.5/s", 0, ""),
        ("p50>1us", 12, "--fail-if p50>1us: "),
        ("rate>1", 12, "/s"),
        ("p999<1s", 12, "too few requests: 3,688 needed"),
        ("p50>1", 2, "a time with its unit"),
        ("ratio>1.1", 2, "one server has no ratio"),
        ("B.p50>1s", 2, "a server is named, but there is only one"),
    ] {
        let output = load(&[&url, "-n", "50", "--fail-if", limit]);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{limit}: {text}");
        assert!(text.contains(expected), "{limit}: {text}");
    }
    let failing = serve(|_, stream| {
        stream
            .write_all(b"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n")
            .unwrap();
        Then::Keep
    });
    let output = load(&[
        &format!("http://{failing}/"),
        "-n",
        "9",
        "--fail-if",
        "p50>1us",
    ]);
    assert_eq!(output.status.code(), Some(1), "failures come first");
}

#[test]
fn limits_may_be_about_one_of_several_servers() {
    let nulls = [Null::start("http", "5"), Null::start("http", "5")];
    let urls = nulls
        .each_ref()
        .map(|null| format!("http://{}/", null.authority));
    let run = |limits: &[&str]| {
        let short = ["-d", "1s", "--warm-up", "50ms", "-c", "2"];
        load(&[&[urls[0].as_str(), urls[1].as_str()], &short[..], limits].concat())
    };
    let output = run(&[
        "--fail-if",
        "B.p50>1us",
        "--fail-if",
        "A.mean>10s",
        "--fail-if",
        "mean>100s",
    ]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(12), "{text}");
    assert!(
        text.contains(&urls[1]) && text.lines().count() == 1,
        "{text}"
    );
    let output = run(&["--fail-if", "C.p50>1s"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("expected one of A, B"), "{text}");
    let output = run(&["--output", "csv"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0].starts_with("server,url,transactions,failed,typical_us"),
        "{text}"
    );
    assert!(
        lines[1].starts_with(&format!("A,{}", urls[0])) && lines.len() == 3,
        "{text}"
    );
}

#[test]
fn a_table_has_a_line_for_each_operation() {
    let null = Null::start("http", "5");
    let folder = Folder::new();
    let targets = folder.0.join("targets");
    std::fs::write(&targets, "GET /a,b\n\nGET /c?x=1\n").unwrap();
    let url = format!("http://{}", null.authority);
    let targets = targets.to_str().unwrap();
    let output = load(&[&url, "--targets", targets, "-n", "40", "--output", "csv"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("operation,transactions,failed,rate_per_s,mean_us,sd_us"));
    for (line, begins) in
        lines[1..]
            .iter()
            .zip(["(all),40,0,", "\"GET /a,b\",20,0,", "GET /c,20,0,"])
    {
        assert!(line.starts_with(begins), "{text}");
    }
    let columns = |line: &str| line.split(',').count();
    assert_eq!(
        (lines.len(), columns(lines[1]), columns(lines[3])),
        (4, 19, 19)
    );
}

#[test]
fn statuses_have_names_and_failing_bodies_are_shown() {
    let address = serve(|request, stream| {
        let answer = match request.number % 3 {
            0 => ok(b"x"),
            1 => b"HTTP/1.1 503 X\r\nContent-Length: 15\r\n\r\npool\n\x1b[31mbusy!".to_vec(),
            _ => b"HTTP/1.1 404 X\r\nContent-Length: 4\r\n\r\ngone".to_vec(),
        };
        stream.write_all(&answer).unwrap();
        Then::Keep
    });
    let output = load(&[&format!("http://{address}/"), "-c", "1", "-n", "30"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("statuses: 200 OK: 10; 404 Not Found: 10; 503 Service Unavailable: 10"),
        "{text}"
    );
    let shown = "got 503 Service Unavailable\n    \"pool \\u{1b}[31mbusy!\"";
    assert!(text.contains(shown), "{text}");
    assert!(text.contains("got 404 Not Found\n    \"gone\""), "{text}");
    let output = load(&[
        &format!("http://{address}/"),
        "-c",
        "1",
        "-n",
        "30",
        "--json",
    ]);
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["targets"][0]["statuses"]["503"], 10);
}

#[test]
fn a_certificate_is_rejected_with_its_reason_and_a_hint() {
    let backend = serve(|_, stream| {
        stream.write_all(&ok(b"x")).unwrap();
        Then::Keep
    });
    let front = Front::of(backend);
    let url = format!("https://{}/", front.address);
    let reported = |arguments: &[&str]| {
        let output = load(&[&[url.as_str(), "-n", "1"], arguments].concat());
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (code, text) = reported(&[]);
    assert_eq!(code, Some(3), "{text}");
    assert!(
        text.contains("--ca") && text.contains("--insecure"),
        "{text}"
    );
    let other = Front::with(
        backend,
        &Options {
            name: "example.org",
            ..Options::default()
        },
    );
    let output = load(&[
        &format!("https://{}/", other.address),
        "-n",
        "1",
        "--ca",
        other.ca.to_str().unwrap(),
    ]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        text.contains("for another name") && text.contains("--insecure"),
        "{text}"
    );
    let (ca, key) = (front.ca.to_str().unwrap(), front.key.to_str().unwrap());
    let (code, text) = reported(&["--ca", ca, "--cert", ca, "--key", key]);
    assert_eq!(code, Some(0), "nobody asks for ours: {text}");
    let (code, text) = reported(&[
        "--ca",
        ca,
        "--cert",
        ca,
        "--key",
        other.key.to_str().unwrap(),
    ]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("the key of another certificate"), "{text}");
}

#[test]
fn stages_have_their_rates_and_clients_think() {
    let times = Arc::new(AtomicU64::new(0));
    let (began, early) = (Instant::now(), Arc::clone(&times));
    let address = serve(move |_, stream| {
        early.fetch_add(1, Ordering::SeqCst);
        stream.write_all(&ok(b"x")).unwrap();
        Then::Keep
    });
    let url = format!("http://{address}/");
    let output = load(&[
        &url,
        "-c",
        "2",
        "--stages",
        "200ms:100,200ms:0,200ms:0..200",
        "--json",
    ]);
    let outcome = result(&output);
    // 20, none, and half of 200 a second for 0.2 s.
    assert_eq!(outcome["counts"]["transactions"], 40, "{outcome:#}");
    assert_eq!(times.load(Ordering::SeqCst), 40);
    assert!(began.elapsed().as_millis() >= 600);
    let output = load(&[&url, "-c", "2", "-n", "6", "--think", "100ms", "--json"]);
    let outcome = result(&output);
    assert_eq!(outcome["counts"]["transactions"], 6);
    let lasted = outcome["window"]["duration_s"].as_f64().unwrap();
    assert!(
        lasted >= 0.2,
        "two pauses for each of two clients: {lasted}"
    );
    for (words, message) in [
        (&["--stages", "5s"][..], "expected stages such as"),
        (&["--stages", "1s:5", "-r", "5"], "cannot be used with"),
        (&["--think", "1s", "-r", "5"], "cannot be used with"),
    ] {
        let output = load(&[&[url.as_str()], words].concat());
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(message), "{text}");
    }
}

#[test]
fn completion_scripts_for_shells_are_printed() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = load(&["completion", shell]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert!(
            text.contains("fail-if") && text.contains("wirelab-load"),
            "{shell}: {text}"
        );
    }
    assert_eq!(load(&["completion", "tcsh"]).status.code(), Some(2));
}

/// Without a rate that succeeds there is nothing to search around: rates of 0 once flooded the
/// server and never ended.
#[test]
fn a_server_that_refuses_after_the_warm_up_ends_the_search() {
    for trial in [&["--trial", "100ms"][..], &[]] {
        let requests = AtomicU64::new(0);
        let limited = serve(move |_, stream| {
            let status = match requests.fetch_add(1, Ordering::SeqCst) {
                0..20 => "200 OK",
                _ => "429 Too Many Requests",
            };
            let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
            let _ = stream.write_all(answer.as_bytes());
            Then::Keep
        });
        let url = format!("http://{limited}/");
        let search = [&url, "--find-capacity", "p99<50ms", "--warm-up", "200ms"];
        let output = load(&[&search, trial].concat());
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{text}");
        for expected in [
            "after the warm-up succeeded (status ",
            "no rate is sustained",
        ] {
            assert!(text.contains(expected), "{expected}: {text}");
        }
    }
}
