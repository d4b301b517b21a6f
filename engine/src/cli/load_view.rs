//! Shows the progress of a load on one server.

use std::collections::VecDeque;

use super::course::Course;
use super::live::LiveLine;
use crate::display::Display;
use crate::events::Event;
use crate::job::Job;
use crate::result::text::{count, duration, duration_if, rate};

/// The number of latest rates, two per second, that are drawn.
const KEPT_RATES: usize = 40;

/// The progress of a load.
pub struct LoadView {
    line: LiveLine,
    course: Course,
    writes_samples: bool,
    /// The transactions when a line was last shown.
    transactions: u64,
    seconds: f64,
    rates: VecDeque<f64>,
}

impl LoadView {
    /// The view of a job.
    pub fn of(job: &Job) -> Self {
        Self {
            line: LiveLine::new(),
            course: Course::of(job),
            writes_samples: job.samples,
            transactions: 0,
            seconds: 0.0,
            rates: VecDeque::with_capacity(KEPT_RATES),
        }
    }

    /// Shows that connections are being opened.
    pub fn begin(&mut self) {
        self.line.show("connecting");
    }

    /// Shows an event.
    pub fn show(&mut self, event: &Event) {
        match *event {
            Event::Connected => self.line.show("connected"),
            Event::Warm(_) => {
                self.course.finish_warm_up();
                (self.transactions, self.seconds) = (0, 0.0);
                self.rates.clear();
            }
            Event::Slice(_) if self.writes_samples => self.line.show("writing the samples"),
            Event::Progress {
                transactions,
                errors,
                seconds,
                p50_ns,
                p90_ns,
                p99_ns,
                first_item_ns,
                gap_ns,
                ..
            } if self.line.is_due() => {
                let shown = |ns: u64| duration_if(transactions > 0, ns as f64 / 1e3);
                let mut text = format!(
                    "{}  {}/s  p50 {}  p90 {}  p99 {}  failed {}",
                    self.course.progress(transactions, seconds),
                    rate(self.rate(transactions, seconds)),
                    shown(p50_ns),
                    shown(p90_ns),
                    shown(p99_ns),
                    count(errors),
                );
                let of_streams = [("first item p50", first_item_ns), ("gap p99", gap_ns)];
                for (name, ns) in of_streams {
                    text += &ns.map_or(String::new(), |it| {
                        format!("  {name} {}", duration(it / 1e3))
                    });
                }
                self.line.show_rates(&text, &self.rates);
            }
            _ => {}
        }
    }

    /// Clears the line on a terminal.
    pub fn clear(&mut self) {
        self.line.clear();
    }

    /// The rate since a line was last shown, in transactions per second; kept for drawing.
    fn rate(&mut self, transactions: u64, seconds: f64) -> f64 {
        let since = transactions.saturating_sub(self.transactions);
        let rate = since as f64 / (seconds - self.seconds).max(1e-3);
        (self.transactions, self.seconds) = (transactions, seconds);
        if self.rates.len() == KEPT_RATES {
            self.rates.pop_front();
        }
        self.rates.push_back(rate);
        rate
    }
}
