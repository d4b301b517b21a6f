//! Every way to ask for the end ends everything.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::harness::{
    Folder, GUARD, guard, guard_script, lives, pid_in, signal, status, text, until,
};

#[test]
fn programs_that_ignore_sigterm_are_killed_after_the_grace() {
    let folder = Folder::new("stubborn");
    let script = "trap '' TERM; (while :; do sleep 1; done) & echo $! >child; echo $$ >main; wait";
    let mut child = guard_script(&["--grace", "0.4"], script, &folder.0);
    let pids = ["child", "main"].map(|name| pid_in(&folder.file(name)));

    let start = Instant::now();
    signal("TERM", child.id());

    assert_eq!(status(&mut child).code(), Some(137));
    assert!(start.elapsed() >= Duration::from_millis(400));
    assert!(!pids.into_iter().any(lives));
}

#[test]
fn a_program_has_the_grace_to_end_in_its_own_way() {
    let folder = Folder::new("grace");
    let script = "trap 'sleep 0.2; echo kept >kept; exit 3' TERM; echo $$ >main; while :; do sleep 0.05; done";
    let mut child = guard_script(&["--grace", "60"], script, &folder.0);
    pid_in(&folder.file("main"));

    signal("INT", child.id());

    assert_eq!(status(&mut child).code(), Some(3));
    assert!(folder.file("kept").exists());
}

#[test]
fn a_second_signal_ends_the_grace() {
    let folder = Folder::new("twice");
    let script = "trap 'echo >asked' TERM; echo $$ >main; while :; do sleep 0.05; done";
    let mut child = guard_script(&["--grace", "3600"], script, &folder.0);
    let main = pid_in(&folder.file("main"));

    signal("HUP", child.id());
    until("the program is asked", || {
        folder.file("asked").exists().then_some(())
    });
    assert!(lives(main));
    signal("HUP", child.id());

    assert_eq!(status(&mut child).code(), Some(137));
    assert!(!lives(main));
}

#[test]
fn a_daemon_that_forked_twice_ends_with_the_program() {
    let folder = Folder::new("daemon");
    let script = "(setsid sh -c 'echo $$ >daemon; exec sleep 1000' </dev/null >/dev/null 2>&1 &) & \
                  wait; until test -s daemon; do sleep 0.01; done; exit 5";
    let mut child = guard_script(&[], script, &folder.0);
    let daemon = pid_in(&folder.file("daemon"));

    assert_eq!(status(&mut child).code(), Some(5));
    assert!(!lives(daemon));
}

#[test]
fn a_stopped_program_ends_too() {
    let folder = Folder::new("stopped");
    let script = "trap 'exit 4' TERM; echo $$ >main; while :; do sleep 0.05; done";
    let mut child = guard_script(&["--grace", "10"], script, &folder.0);
    let main = pid_in(&folder.file("main"));
    signal("STOP", main);

    signal("TERM", child.id());

    assert_eq!(status(&mut child).code(), Some(4));
}

#[test]
fn the_kernel_kills_the_program_when_the_guard_is_killed() {
    let folder = Folder::new("killed");
    let mut child = guard_script(&[], "echo $$ >main; exec sleep 1000", &folder.0);
    let main = pid_in(&folder.file("main"));

    child.kill().unwrap(); // SIGKILL

    assert_eq!(child.wait().unwrap().signal(), Some(9));
    until("the program is gone", || (!lives(main)).then_some(()));
}

#[test]
fn signals_ignored_by_the_caller_are_handled() {
    let folder = Folder::new("ignored");
    let script = format!(
        "trap '' INT HUP TERM CHLD; exec {GUARD} -- sh -c 'echo $$ >main; exec sleep 1000'"
    );
    let mut command = Command::new("sh");
    let mut child = command
        .args(["-c", &script])
        .current_dir(&folder.0)
        .spawn()
        .unwrap();
    let main = pid_in(&folder.file("main"));

    signal("INT", child.id());

    assert_eq!(status(&mut child).code(), Some(143));
    assert!(!lives(main));
}

/// A guard may be killed before the program has requested its death signal.
#[test]
fn no_moment_is_too_early_to_kill_the_guard() {
    let mark = format!("1000.{}", std::process::id());
    for delay_us in (0..4000).step_by(100) {
        let mut child = guard(&["--", "sleep", &mark]).spawn().unwrap();
        sleep(Duration::from_micros(delay_us));
        child.kill().unwrap(); // SIGKILL
        child.wait().unwrap();
    }

    until("every sleep is gone", || {
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let mut commands = processes.filter_map(|it| fs::read(it.path().join("cmdline")).ok());
        (!commands.any(|command| text(&command).contains(&mark))).then_some(())
    });
}
