//! The command that comes last.

use std::fs;
use std::io::{self};

use crate::harness::{Folder, guard, guard_script, pid_in, signal, status, text, until};

#[test]
fn the_end_command_runs_last_whatever_happened() {
    let folder = Folder::new("on-end");
    let end = ["--on-end", "sh", "-c", "echo end >>log", ";"];
    let log = || fs::read_to_string(folder.file("log")).unwrap();
    let run = |program: &[&str]| {
        let mut command = guard(&end);
        command
            .arg("--")
            .args(program)
            .current_dir(&folder.0)
            .output()
            .unwrap()
            .status
            .code()
    };

    assert_eq!(
        run(&[
            "sh",
            "-c",
            "(sleep 10; echo late >>log) & trap '' TERM; exit 9"
        ]),
        Some(9)
    );
    assert_eq!(log(), "end\n");
    assert_eq!(run(&["/no/such/program"]), Some(127));
    assert_eq!(log(), "end\nend\n");

    let script = "echo $$ >main; exec sleep 1000";
    let mut child = guard_script(&end, script, &folder.0);
    pid_in(&folder.file("main"));
    signal("TERM", child.id());
    assert_eq!(status(&mut child).code(), Some(143));
    assert_eq!(log(), "end\nend\nend\n");
}

#[test]
fn the_end_command_is_not_cut_short_by_signals_or_broken_output() {
    let folder = Folder::new("on-end-whole");
    let end = "echo begun >begun; echo to nobody; sleep 0.3; echo done >done";
    let (reader, writer) = io::pipe().unwrap();
    let mut command = guard(&["--on-end", "sh", "-c", end, ";", "--", "true"]);
    command
        .stdout(writer.try_clone().unwrap())
        .stderr(writer)
        .current_dir(&folder.0);
    drop(reader);
    let mut child = command.spawn().unwrap();
    until("the end command runs", || {
        folder.file("begun").exists().then_some(())
    });

    signal("TERM", child.id());
    signal("INT", child.id());

    assert_eq!(status(&mut child).code(), Some(0));
    assert!(folder.file("done").exists());
}

#[test]
fn a_failing_end_command_is_reported_and_changes_nothing() {
    let output = guard(&["--on-end", "false", ";", "--", "sh", "-c", "exit 6"])
        .output()
        .unwrap();

    assert_eq!(output.status.code(), Some(6));
    assert_eq!(
        text(&output.stderr),
        "wirelab-guard: --on-end: false exited with 1\n"
    );
}
