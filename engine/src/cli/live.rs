//! The line that shows how a run is going, where somebody watches.

use std::io::Write;

use crate::compare::Display;
use crate::events::Event;
use crate::result::text::{count, duration};

pub struct LiveLine {
    is_watched: bool,
    transactions: u64,
    seconds: f64,
}

impl LiveLine {
    pub fn new(is_watched: bool) -> Self {
        Self {
            is_watched,
            transactions: 0,
            seconds: 0.0,
        }
    }

    pub fn show(&mut self, event: &Event) {
        let text = match *event {
            Event::Connected => "connected, warming up".into(),
            Event::Progress {
                transactions,
                errors,
                seconds,
                p50_ns,
                p99_ns,
                ..
            } => {
                let done = transactions - self.transactions;
                let rate = done as f64 / (seconds - self.seconds).max(1e-3);
                (self.transactions, self.seconds) = (transactions, seconds);
                let (p50, p99) = (duration(p50_ns as f64 / 1e3), duration(p99_ns as f64 / 1e3));
                format!(
                    "{seconds:5.1} s  {}/s  p50 {p50}  p99 {p99}  failed {}",
                    count(rate as u64),
                    count(errors)
                )
            }
            _ => return,
        };
        self.write(&text);
    }

    /// Leaves an empty line, for what is to be read afterwards.
    pub fn clear(&self) {
        self.write("");
    }

    fn write(&self, text: &str) {
        if self.is_watched {
            // Nobody is harmed when it cannot be shown.
            let _ = write!(std::io::stderr(), "\r\x1b[K{text}");
        }
    }
}

impl Display for LiveLine {
    fn show(&mut self, text: &str) {
        self.write(text);
    }
}
