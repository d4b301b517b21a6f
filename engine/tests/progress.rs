//! What the program shows while it is at work, on a terminal and without one.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::process::{Command, Output, Stdio};
use std::ptr::null;

use crate::support::http_server::{Then, ok, serve};
use crate::support::null_server::{Null, PROGRAM, load, result};

/// What it printed on standard error, by lines.
fn lines(output: &Output) -> Vec<&str> {
    std::str::from_utf8(&output.stderr)
        .unwrap()
        .lines()
        .collect()
}

#[test]
fn a_short_run_prints_no_progress() {
    let null = Null::start("http", "10");
    let output = load(&[&format!("http://{}/", null.authority), "-n", "1", "--json"]);
    assert_eq!(result(&output)["counts"]["transactions"], 1);
    assert_eq!(output.stderr, b"");
}

#[test]
fn a_log_has_a_line_with_the_remaining_time() {
    let null = Null::start("http", "10");
    let url = format!("http://{}/", null.authority);
    let output = load(&[&url, "-r", "200", "-d", "4s", "--json"]);
    assert_eq!(result(&output)["counts"]["transactions"], 800);
    let lines = lines(&output);
    assert_eq!(
        lines.len(),
        1,
        "the second one would be due much later: {lines:?}"
    );
    let line = lines[0];
    for expected in [" s, 0:0", " left  ", "/s  p50 ", "  failed 0"] {
        assert!(line.contains(expected), "{expected} in {line}");
    }
    assert!(!line.contains(['\r', '\x1b', '▁', '█']), "{line}");
}

#[test]
fn the_first_items_and_gaps_of_streams_are_shown_and_in_the_table() {
    let null = Null::start_with("sse", "10", &["--messages", "5", "--every", "20ms"]);
    let url = format!("http://{}/", null.authority);
    let stream = ["--items", "events", "--stall", "1ms"];
    let output = load(
        &[
            &[&*url, "-r", "20", "-d", "3s", "--output", "csv"],
            &stream[..],
        ]
        .concat(),
    );
    let lines = lines(&output);
    let after = |name: &str| lines[0].split_once(name).unwrap().1.trim_start();
    for name in ["first item p50", "gap p99"] {
        let shown = after(name).split_whitespace().next().unwrap();
        let ms: f64 = shown.parse().unwrap();
        assert!(ms >= 19.0, "{}", lines[0]); // a busy machine is late
    }
    let mut table = csv::Reader::from_reader(output.stdout.as_slice());
    let columns = table.headers().unwrap().clone();
    let row = table.records().next().unwrap().unwrap();
    let figure = |name| {
        let column = columns.iter().position(|it| it == name).unwrap();
        row[column].parse::<f64>().unwrap()
    };
    assert_eq!(figure("items"), 300.0);
    // A busy machine may read two of them at once.
    assert!((120.0..=240.0).contains(&figure("stalls")), "{row:?}");
    for name in ["first_item_p50_us", "gap_p50_us"] {
        assert!((19e3..200e3).contains(&figure(name)), "{name}: {row:?}");
    }
}

#[test]
fn a_number_of_requests_is_counted_down_by_the_rate_so_far() {
    let null = Null::start("http", "10");
    let url = format!("http://{}/", null.authority);
    let output = load(&[&url, "-r", "200", "-n", "800", "--json"]);
    assert_eq!(result(&output)["counts"]["transactions"], 800);
    let lines = lines(&output);
    assert_eq!(lines.len(), 1, "{lines:?}");
    let (done, rest) = lines[0].split_once(" of 800 transactions, 0:0").unwrap();
    let done: u64 = done.parse().unwrap();
    assert!((1..800).contains(&done), "{}", lines[0]);
    assert!(rest.contains(" left  "), "{}", lines[0]);
}

#[test]
fn a_search_states_its_maximum_duration() {
    let address = serve(|_, stream| {
        stream.write_all(&ok(b"x")).unwrap();
        Then::Keep
    });
    let url = format!("http://{address}/");
    let search = [
        "--find-capacity",
        "p99<50ms",
        "--max-rate",
        "200",
        "-c",
        "2",
    ];
    let budget = ["-d", "5s", "--trial", "500ms", "--warm-up", "3s", "--json"];
    let output = load(&[&[url.as_str()], &search[..], &budget[..]].concat());
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("wirelab-capacity/1"), "{text}");
    let lines = lines(&output);
    let warming_up = format!(" left  warming up {url}");
    assert!(lines[0].starts_with("at most 0:0"), "{lines:?}");
    assert!(lines[0].ends_with(&warming_up), "{lines:?}");
}

#[test]
fn servers_in_turns_are_counted_down() {
    let nulls = ["10", "20"].map(|bytes| Null::start("http", bytes));
    let urls = nulls
        .each_ref()
        .map(|it| format!("http://{}/", it.authority));
    let common = ["-c", "1", "-d", "2s", "--warm-up", "2500ms", "--json"];
    let output = load(&[&urls.each_ref().map(String::as_str)[..], &common[..]].concat());
    assert_eq!(output.status.code(), Some(0));
    let lines = lines(&output);
    assert!(lines[0].starts_with("0:0"), "{lines:?}");
    assert!(lines[0].contains(" left  warming up A http"), "{lines:?}");
}

#[test]
fn a_terminal_has_one_line_from_the_start() {
    let null = Null::start("http", "10");
    let url = format!("http://{}/", null.authority);
    let (mut screen, terminal) = terminal();
    let child = Command::new(PROGRAM)
        .args([&url, "-r", "200", "-d", "1100ms", "--json"])
        .stdout(Stdio::piped())
        .stderr(terminal)
        .spawn()
        .unwrap();
    let mut shown = Vec::new();
    // Linux reports it as an error that no process has the terminal open.
    let _ = screen.read_to_end(&mut shown);
    let output = child.wait_with_output().unwrap();
    assert_eq!(result(&output)["counts"]["transactions"], 220);
    let shown = String::from_utf8(shown).unwrap();
    assert!(!shown.contains('\n'), "{shown:?}");
    let states: Vec<&str> = shown.split("\r\x1b[K").collect();
    assert_eq!(states[..3], ["", "connecting", "connected"]);
    assert!(states[3].contains(" s, 0:01 left  "), "{states:?}");
    assert_eq!(states.last(), Some(&""), "{states:?}");
}

#[test]
fn a_terminal_has_colours_unless_they_are_unwanted() {
    let null = Null::start("http", "10");
    let url = format!("http://{}/", null.authority);
    for (unwanted, has_colours) in [("", true), ("1", false)] {
        let (mut screen, terminal) = terminal();
        let child = Command::new(PROGRAM)
            .args([&url, "-n", "10"])
            .env("TERM", "xterm-256color")
            .env("NO_COLOR", unwanted)
            .stdout(terminal)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut shown = Vec::new();
        let _ = screen.read_to_end(&mut shown);
        assert!(child.wait_with_output().unwrap().status.success());
        let shown = String::from_utf8(shown).unwrap();
        assert!(shown.contains("10 transactions in "), "{shown}");
        assert_eq!(
            shown.contains("\x1b[1mSummary\x1b[0m"),
            has_colours,
            "{shown:?}"
        );
        assert_eq!(shown.contains('\x1b'), has_colours, "{shown:?}");
    }
}

/// A terminal: what it shows, and what a program writes to.
fn terminal() -> (File, OwnedFd) {
    let (mut screen, mut terminal) = (-1, -1);
    let name = std::ptr::null_mut();
    // SAFETY: both numbers may be written to; name, settings and size may be null.
    let code = unsafe { libc::openpty(&raw mut screen, &raw mut terminal, name, null(), null()) };
    assert_eq!(code, 0);
    // SAFETY: both have just been opened, and have no other owner.
    unsafe { (File::from_raw_fd(screen), OwnedFd::from_raw_fd(terminal)) }
}
