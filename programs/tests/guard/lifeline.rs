//! The end of the parent is the end of the program.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::harness::{Folder, GUARD, guard, lives, pid_in, status, text};

#[test]
fn the_end_of_the_holder_of_the_lifeline_ends_the_whole_tree() {
    let folder = Folder::new("lifeline");
    let (reader, writer) = io::pipe().unwrap();
    let mut holder = Command::new("sleep")
        .arg("1000")
        .stdout(writer)
        .spawn()
        .unwrap();
    let script = "echo $$ >main; (sleep 1000 & echo $! >grandchild; wait) & \
                  setsid sh -c 'echo $$ >session; exec sleep 1000' & wait";
    let mut command = guard(&["--lifeline", "0", "--", "sh", "-c", script]);
    let mut child = command
        .stdin(reader)
        .current_dir(&folder.0)
        .spawn()
        .unwrap();
    drop(command);
    let pids = ["main", "grandchild", "session"].map(|name| pid_in(&folder.file(name)));
    assert!(pids.into_iter().all(lives));
    sleep(Duration::from_millis(50));
    assert!(
        child.try_wait().unwrap().is_none(),
        "the lifeline still has its holder"
    );

    holder.kill().unwrap(); // SIGKILL
    holder.wait().unwrap();

    assert_eq!(status(&mut child).code(), Some(143));
    assert!(!pids.into_iter().any(lives));
}

#[test]
fn a_lifeline_of_any_number_works_and_is_not_handed_down() {
    let (reader, writer) = io::pipe().unwrap();
    let inner = "test -e /proc/self/fd/7 && echo handed down; echo ready; exec sleep 1000";
    let outer = format!("exec {GUARD} --lifeline 7 -- sh -c '{inner}' 7<&0 </dev/null");
    let mut command = Command::new("sh");
    command.args(["-c", &outer]).stdin(reader);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    drop(command);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "ready");

    drop(writer);

    assert_eq!(status(&mut child).code(), Some(143));
}

#[test]
fn data_on_a_lifeline_does_not_end_the_program() {
    let (reader, mut writer) = io::pipe().unwrap();
    let mut command = guard(&["--lifeline", "0", "--", "sleep", "1000"]);
    let mut child = command.stdin(reader).spawn().unwrap();
    drop(command);
    writer.write_all(b"still here").unwrap();
    sleep(Duration::from_millis(200));
    assert!(child.try_wait().unwrap().is_none());

    drop(writer);

    assert_eq!(status(&mut child).code(), Some(143));
}

#[test]
fn wrong_lifelines_are_refused_before_anything_starts() {
    let (reader, writer) = io::pipe().unwrap();
    let refused = |stdin: Stdio, number: &str| {
        let mut command = guard(&["--lifeline", number, "--", "echo", "started"]);
        let Output {
            status,
            stdout,
            stderr,
        } = command.stdin(stdin).output().unwrap();
        assert_eq!((status.code(), text(&stdout)), (Some(2), String::new()));
        text(&stderr)
    };

    let expected = "expected the read end of a pipe";
    let start = "wirelab-guard: --lifeline:";
    assert_eq!(
        refused(Stdio::null(), "99"),
        format!("{start} 99 is not an open file descriptor; {expected}\n")
    );
    assert_eq!(
        refused(Stdio::null(), "0"),
        format!("{start} 0 is not a pipe; {expected}\n")
    );
    assert_eq!(
        refused(writer.into(), "0"),
        format!("{start} 0 is the write end of a pipe; {expected}\n")
    );
    drop(reader);
}
