//! Clients that log in, and send the token that they were given.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::support::Folder;
use crate::support::captures::{
    LOGIN, REFUSED, Received, Seen, answering, json, logging_in, text_of,
};
use crate::support::h2_server::{self, Answer};
use crate::support::http_server::{Then, serve};
use crate::support::null_server::{Null, load, result};

#[test]
fn every_client_logs_in_once_and_keeps_its_token() {
    for load_of in [&["-n", "40"][..], &["-d", "0.3s", "-r", "200"]] {
        let seen = Seen::default();
        let address = logging_in(&seen);
        let url = format!("http://{address}/items");
        let output = load(&[&[&url, "-c", "4", "--json"], load_of, &LOGIN].concat());
        let result = result(&output);
        assert_eq!(result["counts"]["failed"], 0, "{}", text_of(&output));
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
    let address = h2_server::serve(move |request| {
        let token = request.headers.get("authorization");
        let token = token.map_or("", |it| it.to_str().unwrap());
        kept.add(&request.path, token, &request.body);
        if request.path == "/login" {
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
        text_of(&output)
    );
    let all = seen.all();
    let loads: Vec<&Received> = all.iter().filter(|it| it.0 == "/items").collect();
    assert!(
        loads
            .iter()
            .all(|(_, token, body)| token == body && token.len() > 6_000)
    );
    let tokens: BTreeSet<&str> = loads.iter().map(|it| it.1.as_str()).collect();
    assert_eq!((all.len(), tokens.len()), (66, 6));
}

#[test]
fn users_of_a_table_log_in_with_their_names() {
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
        text_of(&output)
    );
    let paths = seen.paths();
    assert_eq!(paths.iter().filter(|it| *it == "/hello").count(), 3);
    assert_eq!(paths.iter().filter(|it| *it == "/login").count(), 3);
}

/// A login may be a form although the load is JSON: each says what its own body is.
#[test]
fn a_login_has_a_content_type_of_its_own() {
    let folder = Folder::new();
    let file = folder.0.join("login.txt");
    let body = folder.0.join("form.txt");
    std::fs::write(&body, "user=a").unwrap();
    let form = "content-type: application/x-www-form-urlencoded";
    for (first, expected) in [
        (vec![format!("@{}", file.display())], vec![form]),
        (
            vec!["POST /login".into(), "--first-data".into(), "user=a".into()],
            vec![],
        ),
    ] {
        let heads = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&heads);
        let address = serve(move |request, stream| {
            kept.lock().unwrap().push(request.head.to_lowercase());
            let _ = stream.write_all(json("{\"token\": \"t\"}").as_bytes());
            Then::Keep
        });
        let body = body.display();
        let entry = format!("POST http://{address}/login\n{form}\n@{body}\n");
        std::fs::write(&file, entry).unwrap();
        let url = format!("http://{address}/items");
        let options = ["-c", "1", "-n", "2", "--json", "--data", "{\"a\": 1}"];
        let mut arguments = [&[url.as_str()], &options[..], &["--first"]].concat();
        arguments.extend(first.iter().map(String::as_str));
        let output = load(&arguments);
        assert_eq!(
            result(&output)["counts"]["succeeded"],
            2,
            "{}",
            text_of(&output)
        );
        let heads = heads.lock().unwrap();
        let types = |head: &str| -> Vec<String> {
            let lines = head.lines().filter(|line| line.starts_with("content-type"));
            lines.map(str::to_owned).collect()
        };
        assert_eq!(types(&heads[0]), expected, "{}", heads[0]);
        assert_eq!(types(&heads[1]), ["content-type: application/json"]);
    }
}

#[test]
fn a_first_request_that_is_refused_ends_the_run_with_the_answer() {
    let page = "<html>Welcome</html>";
    for (answer, messages) in [
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
            [
                "got JSON without this value; the answer begins with",
                "session",
            ],
        ),
    ] {
        let address = answering(&Seen::default(), move |_, _| answer.clone());
        let url = format!("http://{address}/items");
        let output = load(&[&[&url, "-c", "2", "-n", "4"], &LOGIN[..]].concat());
        let text = text_of(&output);
        assert_eq!(output.status.code(), Some(3), "{text}");
        for message in messages {
            assert!(text.contains(message), "{message}: {text}");
        }
        assert!(!text.contains("s3cret"), "{text}");
    }
}

#[test]
fn http3_captures_and_sends_values_too() {
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
    assert_eq!(result["counts"]["succeeded"], 20, "{}", text_of(&output));
    assert_eq!(
        result["bytes"]["window"]["payload_sent"], 20,
        "each body is \"7\""
    );
}
