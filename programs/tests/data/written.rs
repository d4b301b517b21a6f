//! Where rows go: whole files or none.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::harness::{DATA, folder, games, names, refusal, run, text};

/// More than can be written before a test is over.
const ENDLESS: &str = "1000000000";

#[test]
fn a_file_has_the_content_of_the_standard_output() {
    let folder = folder("file");
    fs::write(folder.join("games.csv"), "old").unwrap();
    let output = run(
        &["games", "--format", "csv", "--output", "games.csv"],
        &folder,
    );

    assert!(output.status.success());
    assert_eq!(
        (text(&output.stdout), text(&output.stderr)),
        (String::new(), String::new())
    );
    assert_eq!(
        fs::read_to_string(folder.join("games.csv")).unwrap(),
        games(&["--format", "csv"])
    );
    assert_eq!(names(&folder), ["games.csv"]);
}

#[test]
fn a_symbolic_link_is_kept() {
    let folder = folder("link");
    fs::write(folder.join("real"), "old").unwrap();
    symlink("real", folder.join("link")).unwrap();
    assert!(
        run(&["games", "--count", "1", "--output", "link"], &folder)
            .status
            .success()
    );

    assert!(folder.join("link").is_symlink());
    assert_eq!(
        fs::read_to_string(folder.join("real")).unwrap(),
        games(&["--count", "1"])
    );
}

#[test]
fn a_missing_folder_is_refused() {
    let folder = folder("no-folder");

    assert_eq!(
        refusal(&["games", "--output", "data/games.csv"], &folder),
        "wirelab-data: --output: data/games.csv cannot be written; expected the folder data to exist\n"
    );
    assert_eq!(
        refusal(&["games", "--output", "."], &folder),
        "wirelab-data: --output: . is a folder; expected the name of a file\n"
    );
    assert_eq!(names(&folder), [""; 0]);
}

#[test]
fn an_unknown_format_is_refused_with_the_known_ones() {
    let message = refusal(&["games", "--format", "parquet"], &folder("format"));

    assert!(message.contains("'parquet'"), "{message}");
    assert!(
        message.contains("[possible values: ndjson, csv]"),
        "{message}"
    );
}

#[test]
fn a_full_disk_is_one_clear_message() {
    let output = run(&["games", "--output", "/dev/full"], &folder("full"));

    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        text(&output.stderr),
        "wirelab-data: cannot write /dev/full: No space left on device (os error 28); nothing was kept\n"
    );
    assert!(
        !fs::metadata("/dev/full").unwrap().is_file(),
        "the device is still a device"
    );
}

#[test]
fn a_write_that_fails_half_way_leaves_the_old_file() {
    let folder = folder("half");
    fs::write(folder.join("games.ndjson"), "old").unwrap();
    // A file must not grow beyond 64 blocks here; ignoring the signal makes that an error of write.
    let script = format!("trap '' XFSZ; ulimit -f 64; exec {DATA} games --output games.ndjson");
    let mut command = Command::new("sh");
    let output = command
        .args(["-c", &script])
        .current_dir(&folder)
        .output()
        .unwrap();

    assert_eq!(output.status.code(), Some(1));
    let message = text(&output.stderr);
    assert!(
        message.starts_with("wirelab-data: cannot write games.ndjson: File too large"),
        "{message}"
    );
    assert_eq!(
        fs::read_to_string(folder.join("games.ndjson")).unwrap(),
        "old"
    );
    assert_eq!(names(&folder), ["games.ndjson"]);
}

#[test]
fn an_interruption_leaves_nothing_behind() {
    for signal in ["INT", "TERM"] {
        let folder = folder("interrupted");
        let mut command = Command::new(DATA);
        command.args(["games", "--count", ENDLESS, "--output", "games.ndjson"]);
        let child = command
            .current_dir(&folder)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        while names(&folder).is_empty() {
            sleep(Duration::from_millis(5));
        }
        assert!(names(&folder)[0].starts_with(".games.ndjson.partial-"));
        let kill = Command::new("kill")
            .args(["-s", signal, &child.id().to_string()])
            .status();
        assert!(kill.unwrap().success());
        let output = child.wait_with_output().unwrap();

        assert_eq!(output.status.code(), Some(130));
        assert_eq!(
            text(&output.stderr),
            "wirelab-data: interrupted; nothing was kept\n"
        );
        assert_eq!(names(&folder), [""; 0]);
    }
}

#[test]
fn a_reader_that_closes_the_pipe_is_no_failure() {
    let mut command = Command::new(DATA);
    command
        .args(["games", "--count", ENDLESS])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let first = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .next()
        .unwrap()
        .unwrap();
    let output = child.wait_with_output().unwrap();

    assert_eq!(first + "\n", games(&["--count", "1"]));
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stderr), "");
}
