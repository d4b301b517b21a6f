//! Redirections, which are followed within their transactions.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use crate::support::http_server::{Received, Then, ok, serve};
use crate::support::null_server::{load, result};

type Seen = Arc<Mutex<Vec<String>>>;

fn redirecting(locations: &'static [(&'static str, u16, &'static str)]) -> (SocketAddr, Seen) {
    let seen = Seen::default();
    let kept = Arc::clone(&seen);
    let address = serve(move |request: &Received, stream| {
        let method = request.head.split(' ').next().unwrap();
        let body = String::from_utf8_lossy(&request.body);
        kept.lock().unwrap().push(
            format!("{method} {} {body}", request.path)
                .trim()
                .to_string(),
        );
        let found = locations.iter().find(|(path, _, _)| *path == request.path);
        let answer = match found {
            None => ok(b"{\"token\": \"t0k\"}"),
            Some((_, status, location)) => {
                format!("HTTP/1.1 {status} Go\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n")
                    .into_bytes()
            }
        };
        stream.write_all(&answer).unwrap();
        Then::Keep
    });
    (address, seen)
}

#[test]
fn redirections_are_a_part_of_their_transaction_and_counted_apart() {
    let (address, seen) = redirecting(&[("/a", 302, "/b"), ("/b", 301, "c?x=1#top")]);
    let url = format!("http://{address}/a");
    let output = load(&[&url, "-n", "5", "-c", "1", "--json"]);
    assert_eq!(
        output.status.code(),
        Some(1),
        "they are not followed by default"
    );
    seen.lock().unwrap().clear();
    let output = load(&[&url, "-n", "5", "-c", "1", "--follow", "--json"]);
    let result = result(&output);
    assert_eq!(
        (
            &result["counts"]["transactions"],
            &result["counts"]["succeeded"]
        ),
        (&5.into(), &5.into())
    );
    assert_eq!(result["redirects"], 10);
    assert_eq!(result["statuses"], serde_json::json!({ "200": 5 }));
    assert_eq!(
        *seen.lock().unwrap(),
        ["GET /a", "GET /b", "GET /c?x=1"].repeat(5)
    );
    let output = load(&[&url, "-n", "20", "-c", "4", "-r", "200", "--follow"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("\n40 redirections followed\n"), "{text}");
}

#[test]
fn a_form_and_a_login_go_on_with_get() {
    let (address, seen) = redirecting(&[
        ("/login", 303, "/welcome"),
        ("/orders", 302, "/done"),
        ("/kept", 308, "/orders2"),
    ]);
    let base = format!("http://{address}");
    let login = [
        "--first",
        "POST /login",
        "--first-data",
        "{}",
        "--first-capture",
        "token=/token",
    ];
    let url = format!("{base}/orders");
    let order = [
        "-n",
        "1",
        "-c",
        "1",
        "--follow",
        "--data",
        "[1]",
        "-H",
        "x: {token}",
        "--json",
    ];
    let output = load(&[&[url.as_str()], &login[..], &order].concat());
    assert_eq!(
        result(&output)["redirects"],
        1,
        "those of the login are not measured"
    );
    let expected = [
        "POST /login {}",
        "GET /welcome",
        "POST /orders [1]",
        "GET /done",
    ];
    assert_eq!(*seen.lock().unwrap(), expected);
    seen.lock().unwrap().clear();
    let output = load(&[
        &format!("{base}/kept"),
        "-n",
        "1",
        "-c",
        "1",
        "--follow",
        "--data",
        "[1]",
        "--json",
    ]);
    assert_eq!(result(&output)["redirects"], 1);
    assert_eq!(
        *seen.lock().unwrap(),
        ["POST /kept [1]", "POST /orders2 [1]"]
    );
}

#[test]
fn other_servers_and_circles_are_failures() {
    let (address, seen) = redirecting(&[
        ("/away", 301, "https://example.invalid/"),
        ("/round", 302, "/round"),
    ]);
    for (path, requests) in [("away", 1), ("round", 11)] {
        let output = load(&[
            &format!("http://{address}/{path}"),
            "-n",
            "1",
            "-c",
            "1",
            "--follow",
        ]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains("hint: redirections"), "{text}");
        assert_eq!(seen.lock().unwrap().drain(..).count(), requests);
    }
}
