//! The program without a job file, against the null servers of the same program.

use std::io::Write;
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::Folder;
use crate::support::http_server::{Then, ok, serve};
use crate::support::null_server::{Null, PROGRAM, load, result};

#[test]
fn every_transport_is_answered_at_once() {
    // More than the first window of HTTP/2 and than the short lengths of WebSocket.
    for bytes in ["0", "3500", "300000"] {
        for (protocol, scheme, streams) in [
            ("http", "http", "1"),
            ("http", "h2c", "8"),
            ("grpc", "grpc", "8"),
            ("ws", "ws", "1"),
        ] {
            let null = Null::start(protocol, bytes);
            let url = format!("{scheme}://{}/test.Test/Echo", null.authority);
            let output = load(&[&url, "-c", "2", "-m", streams, "-n", "50", "--json"]);
            let result = result(&output);
            assert_eq!(result["counts"]["succeeded"], 50, "{url}: {result:#}");
            let received = result["bytes"]["window"]["payload_received"].as_u64();
            assert_eq!(received, Some(50 * bytes.parse::<u64>().unwrap()), "{url}");
        }
    }
}

#[test]
fn every_transport_is_answered_over_tls() {
    for bytes in ["0", "3500", "300000"] {
        for (protocol, scheme, streams) in [
            ("http", "https", "1"),
            ("http", "h2", "8"),
            ("grpc", "grpcs", "8"),
            ("ws", "wss", "1"),
            ("http3", "h3", "8"),
        ] {
            let null = Null::start_with(protocol, bytes, &["--tls"]);
            let url = format!("{scheme}://{}/test.Test/Echo", null.authority);
            let load = |trust: &[&str]| {
                let options = ["-c", "2", "-m", streams, "-n", "50", "--json"];
                load(&[&[url.as_str()], &options[..], trust].concat())
            };
            let result = result(&load(&["--ca", &null.certificate]));
            assert_eq!(result["counts"]["succeeded"], 50, "{url}: {result:#}");
            let received = result["bytes"]["window"]["payload_received"].as_u64();
            assert_eq!(received, Some(50 * bytes.parse::<u64>().unwrap()), "{url}");
            assert_eq!(result["tls"]["handshakes"], 2, "{url}");
            if bytes == "0" {
                assert_eq!(
                    load(&[]).status.code(),
                    Some(3),
                    "{url} is not to be trusted"
                );
                assert_eq!(load(&["--insecure"]).status.code(), Some(0), "{url}");
            }
        }
    }
}

#[test]
fn every_transport_has_the_kernels_stamps_at_a_rate() {
    for (protocol, scheme) in [("http", "https"), ("grpc", "grpcs"), ("http3", "h3")] {
        let null = Null::start_with(protocol, "10", &["--tls"]);
        let url = format!("{scheme}://{}/test.Test/Echo", null.authority);
        let rate = ["--rate", "500", "-n", "100", "--insecure", "--json"];
        let result = result(&load(&[&[url.as_str()], &rate[..]].concat()));
        assert_eq!(result["engine"]["arrival"], "kernel", "{url}");
        let share = result["engine"]["stamped_share"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&share), "{url}: {share}");
        assert!(result["latency_us"]["service"]["min"].as_f64().unwrap() > 0.0);
        let closure = result["little_closure"].as_f64().unwrap();
        assert!((0.999..=1.001).contains(&closure), "{url}: {closure}");
    }
}

#[test]
fn an_insecure_connection_is_reported() {
    let null = Null::start_with("http", "10", &["--tls"]);
    let url = format!("https://{}/", null.authority);
    let output = load(&[&url, "-n", "50", "--insecure", "--no-reuse"]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    for expected in ["over TLS", "TLSv1_3", "tls handshake", "INSECURE"] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    let output = load(&["http://127.0.0.1:1/", "--insecure"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn bodies_of_any_length_are_accepted() {
    let folder = Folder::new();
    let body = folder.0.join("body");
    std::fs::write(&body, vec![0xff; 3_000_000]).unwrap();
    for (protocol, scheme) in [
        ("http", "http"),
        ("http", "h2c"),
        ("grpc", "grpc"),
        ("ws", "ws"),
    ] {
        let null = Null::start(protocol, "10");
        let url = format!("{scheme}://{}/test.Test/Echo", null.authority);
        let body = body.to_str().unwrap();
        let output = load(&[&url, "-c", "1", "-n", "3", "--body", body, "--json"]);
        let result = result(&output);
        assert_eq!(result["counts"]["succeeded"], 3, "{url}: {result:#}");
        assert_eq!(result["bytes"]["window"]["payload_sent"], 9_000_000);
    }
}

#[test]
fn options_select_streams() {
    let null = Null::start_with("grpc", "8", &["--each"]);
    let url = format!("grpc://{}/test.Test/Chat", null.authority);
    let output = load(&[&url, "-n", "20", "--send", "10", "--in-turn", "--json"]);
    let result = result(&output);
    assert_eq!(result["items"]["received"], 200, "{result:#}");
    let output = load(&[&url, "-n", "20", "--send", "10", "--until-items", "5"]);
    let text = String::from_utf8(output.stdout).unwrap();
    for expected in ["100 items received", "first item", "last item"] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    let output = load(&[&url, "--items", "pages"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn the_summary_contains_the_common_figures() {
    let null = Null::start("http", "100");
    let folder = Folder::new();
    let (url, kept) = (format!("http://{}/", null.authority), folder.0.join("kept"));
    let rate = ["-c", "4", "-r", "500", "-d", "400ms", "--poisson"];
    let output = load(&[&[url.as_str()], &rate[..], &["-o", kept.to_str().unwrap()]].concat());
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    for expected in [
        "4 connections, 500 per second, Poisson arrivals",
        " transactions in ",
        "0 failed",
        "response",
        "service",
        "\nlag ",
        "HTTP/1.1, 4 connections",
        "spectrum",
        "      75 %",
        "     100 %",
        "µs CPU a transaction",
    ] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    assert!(kept.join("result.json").exists() && kept.join("samples.parquet").exists());
    assert!(!output.stderr.contains(&b'\r'), "no terminal has its line");
    assert!(!text.contains('\x1b'), "colours are for terminals");
    let summary: Vec<&str> = text.trim_end().lines().rev().take(5).collect();
    assert!(
        summary[4] == "Summary" && summary[3].contains(" of 500/s offered, 0 failed"),
        "{text}"
    );
    assert_narrow(&text);
}

/// No line is wider than a usual terminal.
fn assert_narrow(text: &str) {
    for line in text.lines().filter(|line| !line.contains("http://")) {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn every_result_fits_a_terminal() {
    let failing = serve(|request, stream| {
        let _ = match request.number % 3 {
            0 => stream.write_all(b"HTTP/1.1 429 No\r\nContent-Length: 11\r\n\r\nslower down"),
            _ => stream.write_all(&ok(b"x")),
        };
        Then::Keep
    });
    let folder = Folder::new();
    let targets = folder.0.join("targets");
    let path = "organisations/0123456789/members/0123456789/invitations";
    let lines = format!("GET http://{failing}/{path}\n\nGET http://{failing}/b\n");
    std::fs::write(&targets, lines).unwrap();
    let server = format!("http://{failing}/{path}");
    let targets = targets.to_str().unwrap();
    let encrypted = Null::start_with("http", "10", &["--tls"]);
    let encrypted = format!("https://{}/", encrypted.authority);
    for arguments in [
        &["--targets", targets, "-n", "100"][..],
        &[&server, "-n", "1"],
        &[&encrypted, "-n", "100", "--insecure"],
        &[&server, &server, "-d", "1s", "--warm-up", "100ms", "--twin"],
        &[
            &server,
            "--find-capacity",
            "failed<50%",
            "--max-rate",
            "100",
            "-d",
            "3s",
        ],
    ] {
        let output = load(arguments);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.lines().count() > 8, "{text}");
        assert_narrow(&text);
    }
}

#[test]
fn options_determine_the_request() {
    let address = serve(|request, stream| {
        assert!(
            request.head.starts_with("PUT /a?b=1 HTTP/1.1\r\n"),
            "{}",
            request.head
        );
        assert!(
            request.head.contains("X-Token: a: b\r\n"),
            "{}",
            request.head
        );
        assert_eq!(request.body, b"from outside");
        stream.write_all(&ok(b"x")).unwrap();
        Then::Keep
    });
    let url = format!("http://{address}/a?b=1");
    let mut child = Command::new(PROGRAM)
        .args([&url, "-n", "5", "-X", "PUT", "-H", "X-Token: a: b"])
        .args(["--body", "@-", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"from outside").unwrap();
    drop(stdin);
    let result = result(&child.wait_with_output().unwrap());
    assert_eq!(result["counts"]["succeeded"], 5);
}

#[test]
fn the_exit_code_states_the_outcome() {
    let failing = serve(|_, stream| {
        let answer = b"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n";
        stream.write_all(answer).unwrap();
        Then::Keep
    });
    let output = load(&[&format!("http://{failing}/"), "-n", "7"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("7 failed") && text.contains("status"),
        "{text}"
    );
    assert!(text.contains("expected success, got 500"), "{text}");

    let output = load(&["ftp://127.0.0.1/", "-H", "nonsense"]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(text.lines().count(), 2, "{text}");
    assert_eq!(load(&["job.json", "-c", "3"]).status.code(), Some(2));
    assert_eq!(load(&[]).status.code(), Some(2));

    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr();
    let output = load(&[&format!("http://{}/", nobody.unwrap()), "-n", "1"]);
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn a_mistake_is_reported_once() {
    for (arguments, expected) in [
        (&["http://nobody.invalid/"][..], "can be resolved"),
        (&["http://127.0.0.1:99999/"], "can be resolved"),
        (
            &["127.0.0.1:1/x", "-c", "3"],
            "such as http://127.0.0.1:1/x",
        ),
        (&["http://127.0.0.1:1/", "-X", "A B"], "requests[0].method"),
        (&["http://127.0.0.1:1/", "-n", "0"], "stop.transactions: 0"),
        (&["http://127.0.0.1:1/", "-d", "0"], "stop.seconds: 0"),
    ] {
        let output = load(arguments);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(
            text.contains(expected) && text.lines().count() == 1,
            "{text}"
        );
    }
    for rate in ["-5", "nan", "0"] {
        let output = load(&["http://127.0.0.1:1/", "-r", rate]);
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains("transactions per second"), "{text}");
    }
}

#[test]
fn unsent_requests_are_in_the_spectrum() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", silent.local_addr().unwrap());
    let output = load(&[
        &url,
        "-c",
        "2",
        "-r",
        "100",
        "-d",
        "1s",
        "--timeout",
        "500ms",
    ]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("were never sent"), "{text}");
    let line = text.lines().find(|line| line.contains(" 90 %")).unwrap();
    assert!(line.contains("never"), "{text}");
    assert!(
        text.contains("warning: the schedule was not kept"),
        "{text}"
    );
    assert!(text.contains("\nfirst byte           –"), "{text}");
}

#[test]
fn a_result_that_cannot_be_written_is_a_failure() {
    let null = Null::start("http", "5");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
    let child = Command::new(PROGRAM)
        .args([&format!("http://{}/", null.authority), "-n", "5", "--json"])
        .stdout(full.unwrap())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("cannot write the result"), "{text}");
}

#[test]
fn an_error_that_cannot_be_printed_keeps_its_exit_code() {
    let waiting = ["http://127.0.0.1:1/", "--wait", "60s"];
    for (arguments, code) in [(&["--nothing"][..], 2), (&["nowhere"], 2), (&waiting, 130)] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
        let mut child = Command::new(PROGRAM)
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(full.unwrap())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(500));
        // SAFETY: sends a signal to the child, which has not been waited for.
        unsafe { libc::kill(child.id() as i32, libc::SIGINT) };
        assert_eq!(child.wait().unwrap().code(), Some(code), "{arguments:?}");
    }
}
