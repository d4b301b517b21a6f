//! Messages while rows are written.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::harness::{DATA, folder};

/// The first message; the program is ended then.
fn first_line(arguments: &[&str]) -> String {
    let mut child = Command::new(DATA)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    line
}

#[test]
fn the_rest_of_a_long_table_is_estimated() {
    let line = first_line(&["games", "--count", "1000000000"]);

    let rest = line.strip_prefix("wirelab-data: games: ").unwrap();
    let (done, rest) = rest.split_once(" of 1,000,000,000, ").unwrap();
    assert!(done.replace(',', "").parse::<u64>().unwrap() > 0, "{line}");
    assert!(rest.ends_with(" left\n"), "{line}");
    assert_eq!(rest.matches(':').count(), 2, "more than an hour: {line}");
}

#[test]
fn of_several_tables_the_current_one_is_named() {
    let folder = folder("progress");
    let costly = ["--password-cost", "20000", "--format", "csv"];
    let place = ["--count", "100000", "--output", folder.to_str().unwrap()];
    let line = first_line(&[&["shop"], &costly[..], &place[..]].concat());

    let user = "wirelab-data: part 1 of 8, user: ";
    let (done, rest) = line
        .strip_prefix(user)
        .unwrap()
        .split_once(" of 100,000, ")
        .unwrap();
    assert!(done.replace(',', "").parse::<u64>().unwrap() > 0, "{line}");
    assert!(rest.ends_with(" left in this part\n"), "{line}");
}
