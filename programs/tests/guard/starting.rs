//! How a program is started, and what is refused before.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use crate::harness::{guard, is_root, lives, text, until};

#[test]
fn the_exit_code_is_the_programs() {
    assert_eq!(
        guard(&["--", "sh", "-c", "exit 7"])
            .status()
            .unwrap()
            .code(),
        Some(7)
    );
    assert_eq!(guard(&["--", "true"]).status().unwrap().code(), Some(0));
    assert_eq!(
        guard(&["--", "sh", "-c", "kill -SEGV $$"])
            .status()
            .unwrap()
            .code(),
        Some(139)
    );
}

#[test]
fn output_and_input_are_the_programs() {
    let mut command = guard(&["--", "tr", "a-z", "A-Z"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"wire").unwrap();
    let output = child.wait_with_output().unwrap();

    assert_eq!(text(&output.stdout), "WIRE");
}

#[test]
fn a_missing_program_is_reported_clearly() {
    let output = guard(&["--", "/no/such/program"]).output().unwrap();

    assert_eq!(output.status.code(), Some(127));
    assert_eq!(
        text(&output.stderr),
        "wirelab-guard: cannot start /no/such/program: No such file or directory (os error 2)\n"
    );
}

#[test]
fn a_file_that_is_no_program_is_reported_clearly() {
    let output = guard(&["--", "/etc/passwd"]).output().unwrap();

    assert_eq!(output.status.code(), Some(126));
    assert!(text(&output.stderr).contains("cannot start /etc/passwd: Permission denied"));
}

#[test]
fn a_program_of_another_user_ends_with_the_guard_too() {
    if !is_root() {
        eprintln!("skipped: only root can change the user");
        return;
    }
    let script = "id -un; id -Gn; echo $HOME; echo $$; exec sleep 1000";
    let mut command = guard(&["--user", "nobody", "--", "sh", "-c", script]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut line = || lines.next().unwrap().unwrap();
    assert_eq!(line(), "nobody");
    assert_eq!(line(), "nogroup");
    assert_eq!(line(), "/nonexistent");
    let main: u32 = line().parse().unwrap();

    child.kill().unwrap(); // SIGKILL

    child.wait().unwrap();
    until("the program is gone", || (!lives(main)).then_some(()));
}

#[test]
fn an_unknown_user_is_refused() {
    let output = guard(&["--user", "no-such-user", "--", "true"])
        .output()
        .unwrap();

    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        text(&output.stderr),
        "wirelab-guard: --user no-such-user: no such user; expected a name from /etc/passwd\n"
    );
}

#[test]
fn the_program_and_its_children_stay_on_their_cpus() {
    let show = "grep Cpus_allowed_list /proc/self/status | cut -f2; sleep 0";
    let output = guard(&["--cpus", "0", "--", "sh", "-c", show])
        .output()
        .unwrap();

    assert_eq!(text(&output.stdout), "0\n");
}

#[test]
fn a_missing_cpu_is_refused() {
    let output = guard(&["--cpus", "0,1000", "--", "echo", "started"])
        .output()
        .unwrap();

    assert_eq!(
        (output.status.code(), text(&output.stdout)),
        (Some(2), String::new())
    );
    let message = text(&output.stderr);
    assert!(
        message.starts_with("wirelab-guard: --cpus: no CPU 1000; expected some of 0"),
        "{message}"
    );
}

#[test]
fn the_program_leads_no_session_of_the_callers() {
    let show = "cut -d' ' -f6 /proc/self/stat; echo $PPID";
    let output = guard(&["--", "sh", "-c", show]).output().unwrap();
    let words = text(&output.stdout);
    let (session, guard) = words.trim().split_once('\n').unwrap();

    assert_eq!(session, guard);
}
