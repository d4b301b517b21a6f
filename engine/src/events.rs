//! The engine's side of the conversation on standard output: one JSON object a line.

use std::io::Write;
use std::path::Path;

use serde::Serialize;

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event<'a> {
    Connected,
    Warm,
    WindowStart {
        unix_ns: u64,
    },
    Progress {
        transactions: u64,
        errors: u64,
        seconds: f64,
    },
    WindowEnd {
        unix_ns: u64,
    },
    Result {
        path: &'a Path,
    },
}

/// Prints an event at once. A reader that has gone away does not disturb the measurement.
pub fn emit(event: &Event) {
    let Ok(mut line) = serde_json::to_vec(event) else {
        return;
    };
    line.push(b'\n');
    let mut output = std::io::stdout().lock();
    let _ = output.write_all(&line).and_then(|()| output.flush());
}
