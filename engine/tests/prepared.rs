//! Requests that are made before the run: of placeholders, of a table, of a file of targets.

use std::collections::BTreeSet;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use crate::support::Folder;
use crate::support::http_server::{Then, ok, serve};
use crate::support::null_server::{Null, load, result};

/// The received requests: path, head and body of each.
type Seen = Arc<Mutex<Vec<(String, String, String)>>>;

fn watching() -> (SocketAddr, Seen) {
    let seen = Seen::default();
    let kept = Arc::clone(&seen);
    let address = serve(move |request, stream| {
        let body = String::from_utf8(request.body.clone()).unwrap();
        let all = (request.path.clone(), request.head.clone(), body);
        kept.lock().unwrap().push(all);
        stream.write_all(&ok(b"x")).unwrap();
        Then::Keep
    });
    (address, seen)
}

fn paths(seen: &Seen) -> Vec<String> {
    let seen = seen.lock().unwrap();
    seen.iter().map(|(path, _, _)| path.clone()).collect()
}

fn written(folder: &Folder, name: &str, text: &str) -> String {
    let path = folder.0.join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().into()
}

#[test]
fn values_of_a_table_are_in_path_headers_and_body() {
    let (address, seen) = watching();
    let folder = Folder::new();
    let csv = written(&folder, "games.csv", "id,title\n7,Chess\n9,\"Go & more\"\n");
    let url = format!("http://{address}/games/{{id}}?t={{title}}");
    let output = load(&[
        &url,
        "-c",
        "1",
        "-n",
        "5",
        "--csv",
        &csv,
        "--json",
        "-H",
        "x-game: {title}",
        "-H",
        "x-plain: a",
        "--data",
        "{\"id\": {id}, \"title\": \"{title}\", \"text\": \"{{id}}\"}",
    ]);
    assert_eq!(result(&output)["counts"]["succeeded"], 5);
    let expected = ["/games/7?t=Chess", "/games/9?t=Go%20%26%20more"];
    let paths = paths(&seen);
    assert_eq!(paths[..4], [expected, expected].concat());
    let seen = seen.lock().unwrap();
    let (_, head, body) = &seen[1];
    assert!(
        head.starts_with("POST ") && head.contains("x-plain: a\r\n"),
        "{head}"
    );
    assert!(head.contains("x-game: Go & more\r\n"), "{head}");
    assert!(
        head.contains("content-type: application/json\r\n"),
        "{head}"
    );
    assert_eq!(
        body,
        "{\"id\": 9, \"title\": \"Go & more\", \"text\": \"{id}\"}"
    );
}

#[test]
fn numbers_and_random_values_need_no_table() {
    let (address, seen) = watching();
    let url = format!("http://{address}/{{seq}}/{{uuid}}/{{random:3..4}}");
    let output = load(&[&url, "-c", "1", "-n", "40", "--prepare", "30", "--json"]);
    assert_eq!(result(&output)["counts"]["succeeded"], 40);
    let paths = paths(&seen);
    let different: BTreeSet<&String> = paths.iter().collect();
    assert_eq!(different.len(), 30, "then they come again");
    for (place, path) in paths.iter().enumerate() {
        let parts: Vec<&str> = path.split('/').collect();
        assert_eq!(parts[1], (place % 30 + 1).to_string());
        assert_eq!(parts[2].len(), 36);
        assert!(["3", "4"].contains(&parts[3]), "{path}");
    }
}

#[test]
fn every_transport_sends_what_was_prepared() {
    let folder = Folder::new();
    let csv = written(&folder, "a.csv", "word\na\nbb\ncccc\n");
    for (protocol, scheme, path, streams) in [
        ("http", "http", "/{word}", "1"),
        ("http", "h2c", "/{word}", "4"),
        ("ws", "ws", "/", "1"),
    ] {
        let null = Null::start(protocol, "3");
        let url = format!("{scheme}://{}{path}", null.authority);
        let output = load(&[
            &url, "-c", "2", "-m", streams, "-n", "30", "--csv", &csv, "--data", "{word}", "--json",
        ]);
        let result = result(&output);
        assert_eq!(result["counts"]["succeeded"], 30, "{url}");
        let sent = result["bytes"]["window"]["payload_sent"].as_u64();
        assert_eq!(sent, Some(10 * (1 + 2 + 4)), "{url}");
    }
}

#[test]
fn an_invalid_template_is_reported_with_the_expected_form() {
    let folder = Folder::new();
    let csv = written(&folder, "a.csv", "id\n1\n");
    let broken = written(&folder, "b.csv", "id\n\"a\nb\"\n");
    let http = "http://127.0.0.1:1/{id}";
    for (arguments, message) in [
        (
            &[http][..],
            "the address: {id} has no value; expected a column of --csv",
        ),
        (
            &[http, "--csv", "/no/such"],
            "--csv /no/such: cannot be read",
        ),
        (
            &["http://127.0.0.1:1/{x}", "--csv", &csv],
            "a column of --csv (id)",
        ),
        (&["http://127.0.0.1:1/", "--csv", &csv], "no column is used"),
        (
            &["http://127.0.0.1:1/", "-H", "x: {id}", "--csv", &broken],
            "the header \"x\"",
        ),
        (
            &["ws://127.0.0.1:1/{id}", "--csv", &csv],
            "the handshake of a WebSocket",
        ),
        (&[http, "--csv", &csv, "--prepare", "0"], "--prepare"),
        (
            &["http://127.0.0.1:1/", "--user", "secret"],
            "--user: no colon",
        ),
    ] {
        let output = load(arguments);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(
            text.contains(message) && !text.contains("secret"),
            "{message}: {text}"
        );
    }
    let output = load(&["http://127.0.0.1:1/{a}", "-H", "x: {b}", "--data", "{c}"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(text.lines().count(), 3, "{text}");
}

#[test]
fn braces_can_be_escaped() {
    let (address, seen) = watching();
    let url = format!("http://{address}/{{id}}");
    let output = load(&[
        &url,
        "-n",
        "3",
        "--literal",
        "--user",
        "me:open sesame",
        "--json",
    ]);
    assert_eq!(result(&output)["counts"]["succeeded"], 3);
    let seen = seen.lock().unwrap();
    assert_eq!(seen[0].0, "/%7Bid%7D");
    assert!(
        seen[0]
            .1
            .contains("authorization: Basic bWU6b3BlbiBzZXNhbWU=\r\n")
    );
}

#[test]
fn every_source_of_an_address_is_sent_in_the_same_legal_form() {
    let (address, seen) = watching();
    let folder = Folder::new();
    let typed = "/x/../münchen?q=\"a\" b#top";
    let url = format!("http://{address}{typed}");
    let text = written(&folder, "targets.txt", &format!("GET {typed}\n"));
    let json = serde_json::json!({ "method": "GET", "url": typed });
    let json = written(&folder, "targets.json", &json.to_string());
    let har = serde_json::json!({ "log": { "entries": [
        { "request": { "method": "GET", "url": url, "headers": [] } },
    ] } });
    let har = written(&folder, "a.har", &har.to_string());
    let server = format!("http://{address}");
    for arguments in [
        &[url.as_str()][..],
        &[&server, "--targets", &text],
        &[&server, "--targets", &json],
        &["--targets", &har],
        &[&server, "--first", &format!("GET {typed}")],
    ] {
        let output = load(&[arguments, &["-n", "1", "-c", "1"]].concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let path = seen.lock().unwrap().drain(..).next().unwrap().0;
        assert_eq!(path, "/x/../m%C3%BCnchen?q=%22a%22%20b", "{arguments:?}");
    }
}

#[test]
fn files_may_begin_with_a_byte_order_mark() {
    let (address, seen) = watching();
    let folder = Folder::new();
    let with_mark = |name: &str, text: &str| written(&folder, name, &format!("\u{feff}{text}"));
    let text = with_mark("targets.txt", &format!("GET http://{address}/text\n"));
    let har = serde_json::json!({ "log": { "entries": [
        { "request": { "method": "GET", "url": format!("http://{address}/har") } },
    ] } });
    let har = with_mark("a.har", &har.to_string());
    let headers = format!("@{}", with_mark("headers", "x-token: t0k\n"));
    let user = format!("@{}", with_mark("user", "me:open sesame\n"));
    for (targets, path) in [(text, "/text"), (har, "/har")] {
        let given = ["-n", "1", "-c", "1", "-H", &headers, "--user", &user];
        let output = load(&[&["--targets", targets.as_str()], &given[..]].concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let (sent, head, _) = seen.lock().unwrap().drain(..).next().unwrap();
        assert_eq!(sent, path);
        assert!(head.contains("x-token: t0k") && head.contains("Basic bWU6b3BlbiBzZXNhbWU="));
    }
}

#[test]
fn headers_and_credentials_may_come_from_files() {
    let (address, seen) = watching();
    let folder = Folder::new();
    let headers = written(&folder, "headers", "# secret\nx-token: t0k\n\nx-other: b\n");
    let user = written(&folder, "user", "me:open sesame\n");
    let url = format!("http://{address}/");
    let (headers, user) = (format!("@{headers}"), format!("@{user}"));
    let output = load(&[&url, "-n", "1", "-H", &headers, "--user", &user, "--json"]);
    assert_eq!(result(&output)["counts"]["succeeded"], 1);
    let head = &seen.lock().unwrap()[0].1;
    for expected in ["x-token: t0k", "x-other: b", "Basic bWU6b3BlbiBzZXNhbWU="] {
        assert!(head.contains(expected), "{head}");
    }
}

#[test]
fn targets_of_a_file_are_separate_operations() {
    let (address, seen) = watching();
    let folder = Folder::new();
    let body = written(&folder, "body", "text");
    let csv = written(&folder, "ids.csv", "id\n1\n2\n");
    let text =
        format!("GET http://{address}/a/{{id}}\nX-A: 1\n\nPOST http://{address}/b?x\n@{body}\n");
    let targets = written(&folder, "targets", &text);
    let output = load(&[
        "--targets",
        &targets,
        "--csv",
        &csv,
        "-c",
        "1",
        "-n",
        "8",
        "--json",
    ]);
    let result = result(&output);
    assert_eq!(paths(&seen)[..4], ["/a/1", "/b?x", "/a/2", "/b?x"]);
    assert_eq!(seen.lock().unwrap()[1].2, "text");
    let operations = result["operations"].as_array().unwrap();
    let of = |place: usize| {
        (
            &operations[place]["name"],
            &operations[place]["transactions"],
        )
    };
    assert_eq!(of(0), (&"GET /a/{id}".into(), &4.into()), "{operations:?}");
    assert_eq!(of(1), (&"POST /b".into(), &4.into()));
    let (other, request) = watching();
    let output = load(&[
        &format!("http://{other}"),
        "--targets",
        &targets,
        "--csv",
        &csv,
        "-n",
        "2",
    ]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        request.lock().unwrap().len(),
        2,
        "they go to the given address"
    );
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("GET /a/{id}") && text.contains("POST /b"),
        "{text}"
    );
}

#[test]
fn requests_that_a_browser_recorded_are_sent_again() {
    let (address, seen) = watching();
    let folder = Folder::new();
    let har = format!(
        "{{\"log\": {{\"entries\": [
          {{\"request\": {{\"method\": \"GET\", \"url\": \"http://cdn.invalid/x.js\", \"headers\": []}}}},
          {{\"request\": {{\"method\": \"POST\", \"url\": \"http://{address}/a?b={{id}}\",
            \"headers\": [{{\"name\": \"Content-Length\", \"value\": \"99\"}},
                          {{\"name\": \"Cookie\", \"value\": \"s=1\"}}],
            \"postData\": {{\"text\": \"{{id}}\"}}}}}}
        ]}}}}"
    );
    let har = written(&folder, "a.har", &har);
    let output = load(&["--targets", &har, "-n", "1"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        text.contains("several servers") && text.contains("http://cdn.invalid"),
        "{text}"
    );
    let output = load(&[
        &format!("http://{address}"),
        "--targets",
        &har,
        "-n",
        "2",
        "--json",
    ]);
    assert_eq!(result(&output)["counts"]["succeeded"], 2);
    let (path, head, body) = &seen.lock().unwrap()[0];
    assert_eq!((path.as_str(), body.as_str()), ("/a?b=%7Bid%7D", "{id}"));
    assert!(
        head.contains("Cookie: s=1\r\n") && !head.contains("Length: 99"),
        "{head}"
    );
}

#[test]
fn requests_of_the_warm_up_are_not_repeated() {
    let (address, seen) = watching();
    let url = format!("http://{address}/{{seq}}");
    let limits = ["-c", "1", "-n", "50", "--warm-up", "100ms", "--json"];
    let output = load(&[&[&url[..]][..], &limits].concat());
    assert_eq!(result(&output)["counts"]["succeeded"], 50);
    let paths = paths(&seen);
    let (before, measured) = paths.split_at(paths.len() - 50);
    assert!(!before.is_empty());
    // As many requests as are prepared are different, and then they come again.
    let recently: BTreeSet<&String> = before.iter().rev().take(9_000).collect();
    assert!(measured.iter().all(|path| !recently.contains(path)));
}
