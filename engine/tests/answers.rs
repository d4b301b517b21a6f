//! Answers that differ in their bytes: a sample of them is kept for a program that can decode them.

use std::collections::BTreeSet;
use std::io::Write;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;

use crate::support::http_server::{Then, serve};
use crate::support::{Finished, job, run};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// Answers with the path and the number of the request, which is counted from 0.
fn numbering() -> SocketAddr {
    serve(|request, stream| {
        let body = format!("{} {}", request.path, request.number);
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
        stream.write_all((head + &body).as_bytes()).unwrap();
        Then::Keep
    })
}

/// Two transactions, of which only the second one's answers are to be sampled.
fn sampled(transactions: u64) -> Value {
    let mut job = job("http1", numbering());
    job["requests"] = json!([
        { "path": "/known" },
        { "path": "/varies", "expect": { "sample": true } },
    ]);
    job["transactions"] = json!([
        { "operation": "known", "rounds": [[0]] },
        { "operation": "varies", "rounds": [[1]] },
    ]);
    job["stop"] = json!({ "transactions": transactions });
    job
}

fn answers(finished: &Finished) -> Vec<Value> {
    let path = finished.folder.0.join("out/answers.jsonl");
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn answers_are_kept_with_their_requests() {
    let finished = run(sampled(50));
    finished.assert_counts(50, json!({}));
    let answers = answers(&finished);
    assert_eq!(
        finished.result["answers"],
        json!({ "seen": 25, "kept": 25 })
    );
    let numbers: BTreeSet<u64> = answers
        .iter()
        .map(|it| it["number"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, (1..=25).collect());
    for answer in &answers {
        let body = STANDARD.decode(answer["body"].as_str().unwrap()).unwrap();
        let text = String::from_utf8(body).unwrap();
        let number: u64 = text.strip_prefix("/varies ").unwrap().parse().unwrap();
        // Warmed up with five: what comes then is numbered from 5, and the list continues with its
        // second transaction.
        assert_eq!(number, 5 + 2 * (answer["number"].as_u64().unwrap() - 1));
        assert_eq!(answer["length"], text.len());
        let place = ["target", "transaction", "request", "status"].map(|key| &answer[key]);
        assert_eq!(place, [&json!(0), &json!(1), &json!(1), &json!(200)]);
    }
}

#[test]
fn the_sample_of_many_answers_has_its_size_the_first_and_the_last() {
    let finished = run(sampled(4_000));
    let answers = answers(&finished);
    let numbers: BTreeSet<u64> = answers
        .iter()
        .map(|it| it["number"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers.len(), answers.len());
    assert!((459..=461).contains(&answers.len()), "{}", answers.len());
    assert!(numbers.contains(&1) && numbers.contains(&2_000));
    assert_eq!(finished.result["answers"]["seen"], 2_000);
    assert_eq!(finished.result["answers"]["kept"], answers.len());
    let left: Vec<_> = std::fs::read_dir(finished.folder.0.join("out"))
        .unwrap()
        .map(|it| it.unwrap().file_name())
        .collect();
    assert_eq!(left.len(), 3, "result, samples, answers: {left:?}");
}

#[test]
fn no_answers_are_kept_by_default() {
    let finished = run(job("http1", numbering()));
    assert!(finished.result["answers"].is_null());
    assert!(!finished.folder.0.join("out/answers.jsonl").exists());
}
