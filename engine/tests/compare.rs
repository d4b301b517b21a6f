//! Several servers on the command line.

use std::io::Write;
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::support::Folder;
use crate::support::http_server::{Then, ok, serve};
use crate::support::null_server::{PROGRAM, load};
use crate::support::samples;
use serde_json::Value;

/// A server that takes so long for each answer.
fn slow(milliseconds: u64) -> String {
    let address = serve(move |_, stream| {
        std::thread::sleep(Duration::from_millis(milliseconds));
        let _ = stream.write_all(&ok(b"x"));
        Then::Keep
    });
    format!("http://{address}/")
}

const SHORT: [&str; 6] = ["-c", "2", "-d", "2s", "--warm-up", "100ms"];

fn compared(arguments: &[&str]) -> Value {
    let output = load(&[&SHORT[..], &["--json"], arguments].concat());
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{text}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// No machine is so busy that twenty times as long is not longer.
#[test]
fn the_slower_of_two_is_found_whichever_comes_first() {
    let (quick, slow) = (slow(1), slow(20));
    for (first, second, verdict) in [(&quick, &slow, "slower"), (&slow, &quick, "faster")] {
        let found = compared(&[first, second]);
        assert_eq!(found["format"], "wirelab-comparison/1");
        assert!(found["permutations"].as_u64().unwrap() >= 10);
        let labels: Vec<_> = found["servers"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["label"].as_str().unwrap())
            .collect();
        assert_eq!(labels, ["A", "B"]);
        for kind in ["typical", "mean"] {
            let ratio = &found["ratios"][0][kind];
            assert_eq!(ratio["verdict"], verdict, "{found:#}");
            let of = |key: &str| ratio[key].as_f64().unwrap();
            assert!(
                of("low") <= of("ratio") && of("ratio") <= of("high"),
                "{ratio}"
            );
        }
        let scope = found["scope"].as_str().unwrap();
        assert!(scope.contains("not restarted"), "{scope}");
        assert!(!scope.contains("correction"), "{scope}");
    }
}

#[test]
fn slow_servers_are_compared_in_the_given_time() {
    let (a, b) = (slow(100), slow(100));
    let began = Instant::now();
    let options = ["-c", "1", "-d", "3s", "--warm-up", "0s", "--json"];
    let output = load(&[&[a.as_str(), &b][..], &options].concat());
    let elapsed = began.elapsed();
    assert_eq!(output.status.code(), Some(0));
    assert!(elapsed < Duration::from_millis(4_500), "{elapsed:?}");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(found["permutations"].as_u64().unwrap() >= 10, "{found:#}");
}

#[test]
fn a_comparison_that_needs_more_time_says_so_before() {
    let (a, b) = (slow(100), slow(100));
    let options = ["-c", "1", "-d", "500ms", "--warm-up", "0s", "--json"];
    let output = load(&[&[a.as_str(), &b][..], &options].concat());
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.starts_with("note: the turns take about "), "{text}");
}

/// The quicker one gets further in a slice; it must not get on to other requests than the slower.
#[test]
fn slices_of_a_permutation_begin_with_the_same_request() {
    let folder = Folder::new();
    let (csv, kept) = (folder.0.join("rows.csv"), folder.0.join("kept"));
    let rows: String = (0..4_000).map(|row| format!("{row}\n")).collect();
    std::fs::write(&csv, format!("row\n{rows}")).unwrap();
    let [quick, slow] = [1, 5].map(|milliseconds| format!("{}{{row}}", slow(milliseconds)));
    let (csv, output) = (csv.to_str().unwrap(), kept.to_str().unwrap());
    compared(&[&quick, &slow, "--csv", csv, "-o", output]);
    let samples = samples::read(&kept.join("samples.parquet"));
    let last = samples.iter().map(|it| it.slice).max().unwrap();
    let begun_with: Vec<u64> = (0..=last)
        .filter_map(|number| {
            let of_slice = samples.iter().filter(|it| it.slice == number);
            let first = of_slice.min_by_key(|it| it.start_ns);
            first.map(|it| it.parameter_set)
        })
        .collect();
    let permutations: Vec<&[u64]> = begun_with.chunks(2).collect();
    assert!(permutations.len() >= 10, "{begun_with:?}");
    for permutation in &permutations {
        assert_eq!(permutation[0], permutation[1], "{begun_with:?}");
    }
    assert!(permutations.is_sorted(), "the list goes on: {begun_with:?}");
}

#[test]
fn options_apply_to_all_servers_and_results_are_kept() {
    let (a, b) = (AtomicU64::new(0), AtomicU64::new(0));
    let counting = |count: AtomicU64| {
        serve(move |request, stream| {
            assert!(
                request.head.starts_with("PUT /x HTTP/1.1\r\n"),
                "{}",
                request.head
            );
            assert!(request.head.contains("X-Token: a\r\n"), "{}", request.head);
            assert_eq!(request.body, b"body");
            count.fetch_add(1, Ordering::SeqCst);
            let _ = stream.write_all(&ok(b"x"));
            Then::Keep
        })
    };
    let urls = [a, b].map(|count| format!("http://{}/x", counting(count)));
    let folder = Folder::new();
    let (body, kept) = (folder.0.join("body"), folder.0.join("kept"));
    std::fs::write(&body, "body").unwrap();
    let output = load(
        &[
            &SHORT[..],
            &[
                &urls[0],
                &urls[1],
                "--twin",
                "-X",
                "PUT",
                "-H",
                "X-Token: a",
            ],
            &[
                "--body",
                body.to_str().unwrap(),
                "-o",
                kept.to_str().unwrap(),
            ],
            &["--margin", "50%", "--seed", "9", "-r", "400"],
        ]
        .concat(),
    );
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    for expected in [
        "HTTP/1.1, 2 connections, 400 per second",
        "permutations in ",
        "typical",
        "95 % interval",
        &format!("A  {}", urls[0]),
        &format!("B  {}", urls[1]),
        "\nA again  typical",
        "Summary of one start of each server",
        "Resolution of this session, by comparing A with itself: ±",
        "The servers were not restarted",
        "Each of the 2 comparisons with A has 95 % confidence by itself; no correction",
    ] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    assert!(!output.stderr.contains(&b'\r'), "no terminal has its line");
    let result: Value =
        serde_json::from_slice(&std::fs::read(kept.join("result.json")).unwrap()).unwrap();
    let rows = result["slices"].as_array().unwrap();
    assert!(
        rows.len() >= 30 && rows.len().is_multiple_of(3),
        "{}",
        rows.len()
    );
    // In each permutation every server has one turn, in an order of chance.
    let order: Vec<u64> = rows
        .iter()
        .map(|row| row["target"].as_u64().unwrap())
        .collect();
    let mut orders: Vec<&[u64]> = order.chunks(3).collect();
    for order in &orders {
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        assert_eq!(sorted, [0, 1, 2]);
    }
    orders.dedup();
    assert!(orders.len() > 1);
    let kept = samples::read(&kept.join("samples.parquet"));
    let recorded: u64 = rows
        .iter()
        .map(|row| row["transactions"].as_u64().unwrap())
        .sum();
    assert_eq!(kept.len() as u64, recorded);
}

#[test]
fn servers_that_cannot_be_compared_are_reported() {
    let url = slow(1);
    for (arguments, message) in [
        (&[url.as_str(), &url, "-n", "5"][..], "expected -d"),
        (&[&url, &url, "--precision", "mean=2%"], "expected -d"),
        (&[&url, "job.json"], "job.json: not an address"),
        (
            &[&url, "--margin", "3%"],
            "expected several addresses, or --twin",
        ),
        (&[&url, &url, "--margin", "3"], "a share such as 5%"),
        (&["job.json", "--seed", "3"], "expected only the job file"),
    ] {
        let output = load(arguments);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(message), "{message} in {text}");
    }
    let nobody = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let output = load(&[&url, &format!("http://{nobody}/")]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(
        text.contains(&format!("B ({nobody}) cannot be reached")),
        "{text}"
    );
    let failing = serve(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n");
        Then::Keep
    });
    let output = load(&[&SHORT[..], &[&url, &format!("http://{failing}/")]].concat());
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains("nothing can be compared") && text.contains("status"),
        "{text}"
    );
}

#[test]
fn failures_are_counted_beside_the_times() {
    let half = serve(|request, stream| {
        let _ = match request.number % 2 {
            0 => stream.write_all(&ok(b"x")),
            _ => stream.write_all(b"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"),
        };
        Then::Keep
    });
    let output = load(&[&SHORT[..], &[&slow(1), &format!("http://{half}/")]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains("failed: ") && text.contains("requests to B (status "),
        "{text}"
    );
}

#[test]
fn an_interruption_prints_the_results_so_far() {
    let child = Command::new(PROGRAM)
        .args([&slow(1), &slow(1), "-d", "600s", "--warm-up", "50ms"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1_500));
    // SAFETY: this process started the child and has not waited for it: the id is valid.
    unsafe { libc::kill(child.id() as i32, libc::SIGINT) };
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let text = String::from_utf8(output.stdout).unwrap();
    let reported = String::from_utf8(output.stderr).unwrap();
    // However far it came: a table, or nothing measured yet.
    let is_early = reported.contains("before the measurement began");
    assert!(
        is_early || text.contains("(interrupted)"),
        "{text}{reported}"
    );
}
