//! What happens in a run, as whoever started it hears of it.

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
        /// Roughly, since the start of the window; for people to watch.
        #[serde(skip)]
        p50_ns: u64,
        #[serde(skip)]
        p99_ns: u64,
    },
    WindowEnd {
        unix_ns: u64,
    },
    Result {
        path: &'a Path,
    },
}

/// Whoever is told of the events.
pub type Listener<'a> = &'a mut dyn FnMut(&Event);

/// Prints an event at once, one JSON object a line. A reader that has gone away does not disturb the measurement.
pub fn emit(event: &Event) {
    let Ok(mut line) = serde_json::to_vec(event) else {
        return;
    };
    line.push(b'\n');
    let mut output = std::io::stdout().lock();
    let _ = output.write_all(&line).and_then(|()| output.flush());
}
