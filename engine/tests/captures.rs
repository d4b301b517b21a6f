//! Requests that need an earlier answer: a cursor, a number, out of bodies and headers.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::support::Folder;
use crate::support::captures::{Seen, answering, json, text_of};
use crate::support::null_server::{load, result};
use serde_json::Value;

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
        text_of(&output)
    );
    let cursors = ["", "a%2Fb", "17", "", "a%2Fb", "17", ""];
    assert_eq!(
        seen.paths(),
        cursors.map(|it| format!("/items?cursor={it}"))
    );
}

#[test]
fn each_client_sends_all_requests_of_a_file() {
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
    assert_eq!(result["counts"]["succeeded"], 45, "{}", text_of(&output));
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
fn an_answer_without_the_value_fails_with_its_name_and_is_shown() {
    let page = "<html><h1>Please log in</h1></html>";
    for (body, got, shown) in [
        (page, "not JSON", "Please log in"),
        ("{\"data\": {}}", "JSON without this value", "data"),
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
        let summary = text_of(&load(&[
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
fn a_broken_chain_begins_again() {
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
fn an_invalid_capture_is_reported_with_the_expected_form() {
    let url = "http://127.0.0.1:1/{id}";
    for (arguments, told_of) in [
        (
            &[url, "--capture", "id"][..],
            "--capture \"id\"; expected NAME=/json/pointer",
        ),
        (
            &[url, "--capture", "id=/id"],
            "{id} is used before it is captured",
        ),
        (&[url, "--capture", "other=/id"], "a value of --capture"),
        (
            &[url, "--capture", "id?=/id", "--print-job"],
            "a job file cannot use values of answers",
        ),
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
            "--first is for http://other:2",
        ),
        (
            &[
                "http://127.0.0.1:1/",
                "--first",
                "GET /{id}",
                "--first-capture",
                "id=/id",
            ],
            "GET /{id}: {id} is used before it is captured",
        ),
        (
            &["grpc://127.0.0.1:1/a.B/C", "--capture", "id?=/id"],
            "require plain HTTP",
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
        let text = text_of(&output);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(told_of), "{told_of}: {text}");
    }
}
