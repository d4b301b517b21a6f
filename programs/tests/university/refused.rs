//! What is refused, and what then is left: nothing.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::harness::{DATA, address, files, folder, refusal, run, text};

const TO_CSV: [&str; 4] = ["--format", "csv", "--output", "made"];

fn refused(options: &[&str], folder: &Path) -> String {
    refusal(&[&["university"], options].concat(), folder, 2)
}

#[test]
fn invalid_and_too_large_scale_factors() {
    let folder = folder("scale");
    for scale_factor in ["0", "216", "1000000", "-1", "1.5", "many"] {
        let option = format!("--scale-factor={scale_factor}");
        let output = refused(&[[option.as_str()].as_slice(), &TO_CSV].concat(), &folder);
        assert!(output.contains(scale_factor), "{output}");
        assert!(
            output.contains("expected a number from 1 to 215"),
            "{output}"
        );
    }
}

#[test]
fn missing_and_wrong_word_lists() {
    let folder = folder("words");
    let distinct: String = (0..89_523_u32)
        .map(|it| format!("{}\n", letters(it)))
        .collect();
    let twice = distinct.replacen("b\n", "a\n", 1);
    let capital = distinct.replacen("b\n", "B\n", 1);
    let short: String = distinct
        .lines()
        .skip(1)
        .map(|it| format!("{it}\n"))
        .collect();
    for (name, content) in [("twice", &twice), ("capital", &capital), ("short", &short)] {
        fs::write(folder.join(name), content).unwrap();
    }
    for (name, found) in [
        ("missing", "No such file or directory"),
        ("twice", "line 2 is \"a\", which is a repetition"),
        ("capital", "line 2 is \"B\""),
        ("short", "89522 words"),
    ] {
        let options = ["--scale-factor", "1", "--words", name];
        let output = refused(&[options.as_slice(), &TO_CSV].concat(), &folder);
        assert!(
            output.starts_with(&format!("wirelab-data: --words {name}: {found}")),
            "{output}"
        );
        assert!(
            output.contains("expected 89523 distinct words of the letters a to z"),
            "{output}"
        );
    }
}

#[test]
fn words_too_long_for_their_column() {
    let folder = folder("long-words");
    let start = "x".repeat(40);
    let long: String = (0..89_523_u32)
        .map(|it| format!("{start}{}\n", letters(it)))
        .collect();
    fs::write(folder.join("words"), long).unwrap();
    let options = ["--scale-factor", "1", "--words", "words"];
    let output = refused(&[options.as_slice(), &TO_CSV].concat(), &folder);
    assert!(
        output.starts_with("wirelab-data: --words: a professor.researchInterest of 1"),
        "{output}"
    );
    assert!(
        output.contains("expected words so short that the text has at most 100"),
        "{output}"
    );
}

#[test]
fn paths_that_cannot_be_written() {
    let folder = folder("places");
    fs::write(folder.join("file"), "kept").unwrap();
    fs::create_dir(folder.join("directory")).unwrap();
    for (format, path, code, expected) in [
        (
            "csv",
            "file",
            2,
            "--output: file is not a folder; expected the name of a folder",
        ),
        ("parquet", "-", 2, "--output: - is not a folder"),
        ("csv", "none/made", 2, "expected the folder none to exist"),
        ("parquet", "/proc/made", 1, "cannot write /proc/made"),
        (
            "turtle",
            "directory",
            2,
            "directory is a folder; expected the name of a file",
        ),
        ("mysql", "none/made", 2, "expected the folder none to exist"),
        (
            "postgresql",
            "/dev/full",
            1,
            "cannot write /dev/full: No space left on device",
        ),
        (
            "ntriples",
            "/dev/full",
            1,
            "cannot write /dev/full: No space left on device",
        ),
    ] {
        let options = [
            "university",
            "--scale-factor",
            "1",
            "--format",
            format,
            "--output",
            path,
        ];
        let printed = refusal(&options, &folder, code);
        assert!(printed.contains(expected), "{printed}");
    }
}

#[test]
fn a_folder_keeps_its_other_files() {
    let folder = folder("guest");
    fs::create_dir(folder.join("made")).unwrap();
    fs::write(folder.join("made/notes"), "kept").unwrap();
    let options = ["university", "--scale-factor", "1"];
    assert!(
        run(&[options.as_slice(), &TO_CSV].concat(), &folder)
            .status
            .success()
    );

    assert_eq!(files(&folder).len(), 1 + 14 + 1);
    assert_eq!(fs::read(folder.join("made/notes")).unwrap(), b"kept");
}

#[test]
fn missing_databases() {
    let folder = folder("databases");
    for (url, code, expected) in [
        (
            "postgresql://somebody:secret@127.0.0.1:1/data",
            1,
            "cannot load into 127.0.0.1:1/data: ",
        ),
        (
            "mysql://somebody:secret@127.0.0.1:1/data",
            1,
            "cannot load into 127.0.0.1:1/data: ",
        ),
        (
            "mysql://127.0.0.1:1",
            2,
            "expected the name of a database after the last slash",
        ),
        (
            "postgresql://127.0.0.1:port/data",
            2,
            "invalid value for option `port`",
        ),
        ("sqlite://data", 2, "expected postgresql://… or mysql://…"),
        ("data", 2, "expected postgresql://… or mysql://…"),
    ] {
        let address = address(url, &folder);
        let options = ["university", "--scale-factor", "1", "--load", &address];
        let output = refusal(&options, &folder, code);
        assert!(output.contains(expected), "{output}");
        assert!(!output.contains("secret"), "{output}");
        assert_eq!(output.lines().count(), 1, "{output}");
    }
}

/// Every user of the machine can read it in the list of processes.
#[test]
fn a_password_on_the_command_line_or_in_a_readable_file() {
    let folder = folder("passwords");
    let url = "postgresql://somebody:secret@127.0.0.1:1/data";
    let everybodys = address(url, &folder);
    fs::set_permissions(folder.join("address"), fs::Permissions::from_mode(0o644)).unwrap();
    for (load, expected) in [
        (
            url,
            "can read a password on the command line; expected USER:${PASSWORD}@HOST",
        ),
        (
            everybodys.as_str(),
            "other users can read it (mode 644); expected a file of mode 600",
        ),
        ("@none", "No such file or directory"),
        (
            "mysql://me:${WIRELAB_NOT_SET}@127.0.0.1:1/data",
            "WIRELAB_NOT_SET is not set",
        ),
    ] {
        let output = refused(&["--scale-factor", "1", "--load", load], &folder);
        assert!(output.contains(expected), "{output}");
        assert!(!output.contains("secret"), "{output}");
    }
}

#[test]
fn conflicting_options() {
    let folder = folder("together");
    refused(&["--scale-factor", "1"], &folder);
    refused(&["--scale-factor", "1", "--format", "csv"], &folder);
    refused(&["--scale-factor", "1", "--output", "made"], &folder);
    let load = ["--scale-factor", "1", "--load", "mysql://127.0.0.1:1/data"];
    refused(&[load.as_slice(), &TO_CSV].concat(), &folder);
}

#[test]
fn an_interruption_leaves_nothing() {
    let folder = folder("interrupted");
    for format in ["csv", "turtle"] {
        let mut program = Command::new(DATA)
            .args(["university", "--scale-factor", "215", "--output", "made"])
            .args(["--format", format])
            .current_dir(&folder)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        while files(&folder).is_empty() {
            assert!(Instant::now() < deadline && program.try_wait().unwrap().is_none());
            sleep(Duration::from_millis(10));
        }
        let stopped = Command::new("kill")
            .arg(program.id().to_string())
            .status()
            .unwrap();
        assert!(stopped.success());
        let output = program.wait_with_output().unwrap();

        assert_eq!(output.status.code(), Some(130));
        assert!(text(&output.stderr).ends_with("interrupted; nothing was kept\n"));
        assert_eq!(files(&folder).len(), 0);
    }
}

/// A number as letters: a, b, …, z, ba, bb, …
fn letters(number: u32) -> String {
    let last = char::from(b'a' + (number % 26) as u8);
    match number / 26 {
        0 => last.to_string(),
        rest => format!("{}{last}", letters(rest)),
    }
}
