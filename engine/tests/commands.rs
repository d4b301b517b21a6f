//! Commands that are wrong, end early or do not come.

use crate::support::driver::{Driver, slice};
use crate::support::http_server::{constant, ok};
use crate::support::job;
use serde_json::{Value, json};

#[test]
fn an_invalid_command_is_refused_and_measurements_are_kept() {
    for (wrong, message) in [
        ("go", "not JSON"),
        (
            r#"{"command": "dance"}"#,
            r#"command: "dance"; expected one of warm_up, slices, capacity, finish"#,
        ),
        (
            r#"{"command": "slices", "slices": [{"target": 1, "stop": {"seconds": 1}}]}"#,
            "slices[0].target: 1; expected an integer from 0 to 0",
        ),
        (
            r#"{"command": "slices", "slices": [{"target": 0, "stop": {}}]}"#,
            "slices[0].stop: has no condition",
        ),
    ] {
        let mut driver = Driver::start(job("http1", constant(ok(b"x"))));
        driver.slices(&[slice(0, 15)]);
        driver.0.say(&format!("{wrong}\n"));
        let finished = driver.0.finish();
        assert_eq!(finished.code, 2, "{wrong}");
        let line = finished.stderr.trim();
        assert!(line.starts_with("error: invalid command: "), "{line}");
        assert!(
            line.contains(message) && line.lines().count() == 1,
            "{line}"
        );
        assert_eq!(finished.result["interrupted"], true);
        assert_eq!(finished.number("counts.transactions"), 15.0);
        assert_eq!(finished.samples().len(), 15);
    }
}

#[test]
fn the_end_of_commands_is_an_interruption_and_an_earlier_finish_is_not() {
    let mut driver = Driver::start(job("http1", constant(ok(b"x"))));
    driver.slices(&[slice(0, 15)]);
    drop(driver.0.stdin.take());
    let finished = driver.0.finish();
    assert_eq!(
        (finished.code, &finished.result["interrupted"]),
        (130, &json!(true))
    );
    assert_eq!(finished.samples().len(), 15);

    let mut driver = Driver::start(job("http1", constant(ok(b"x"))));
    driver.say(&json!({ "command": "slices", "slices": [slice(0, 15)] }));
    driver.say(&json!({ "command": "finish" }));
    drop(driver.0.stdin.take());
    let finished = driver.0.finish();
    assert_eq!(
        (finished.code, &finished.result["interrupted"]),
        (0, &json!(false))
    );
    assert_eq!(finished.number("counts.transactions"), 15.0);
}

#[test]
fn a_run_without_commands_has_no_result() {
    let mut driver = Driver::start(job("http1", constant(ok(b"x"))));
    drop(driver.0.stdin.take());
    let finished = driver.0.finish();
    assert_eq!((finished.code, finished.whole), (130, Value::Null));
    let left = std::fs::read_dir(finished.folder.0.join("out")).unwrap();
    assert_eq!(left.count(), 0);
}

#[test]
fn a_signal_or_the_end_of_commands_aborts_a_slice() {
    for signal in [Some(libc::SIGINT), Some(libc::SIGTERM), None] {
        let mut driver = Driver::start(job("http1", constant(ok(b"x"))));
        driver.slices(&[slice(0, 15)]);
        let endless = json!({ "target": 0, "stop": { "seconds": 600 } });
        driver.say(&json!({ "command": "slices", "slices": [endless, slice(0, 5)] }));
        driver.0.await_event("progress");
        match signal {
            Some(signal) => driver.0.signal(signal),
            None => drop(driver.0.stdin.take()),
        }
        let finished = driver.0.finish();
        assert_eq!(finished.code, 130, "{signal:?}: {}", finished.stderr);
        assert_eq!(finished.result["interrupted"], true);
        let rows = finished.whole["slices"].as_array().unwrap();
        assert_eq!(rows.len(), 2, "the slice after it is not begun");
        assert_eq!(rows[0]["transactions"], 15);
        let measured = rows[1]["transactions"].as_u64().unwrap();
        assert_eq!(finished.samples().len() as u64, 15 + measured);
        assert!(rows[1]["dropped"].as_u64().unwrap() <= 1);
    }
}
