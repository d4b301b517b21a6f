//! The line that shows how a run is going, where somebody watches.

use std::collections::VecDeque;
use std::io::{IsTerminal, Write};

use rustix::termios::tcgetwinsize;

use crate::compare::Display;
use crate::events::Event;
use crate::result::text::{count, duration};

/// So many of the last rates are drawn, two a second.
const DRAWN: usize = 40;
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const USUAL_WIDTH: usize = 80;

pub struct LiveLine {
    is_watched: bool,
    draws: bool,
    transactions: u64,
    seconds: f64,
    rates: VecDeque<f64>,
}

impl LiveLine {
    /// On standard error, if that is a terminal.
    pub fn new() -> Self {
        let variables = ["LC_ALL", "LC_CTYPE", "LANG"];
        let locale = variables
            .iter()
            .find_map(|it| std::env::var(it).ok().filter(|it| !it.is_empty()));
        let locale = locale.unwrap_or_default().to_ascii_lowercase();
        Self {
            is_watched: std::io::stderr().is_terminal(),
            draws: locale.contains("utf-8") || locale.contains("utf8"),
            transactions: 0,
            seconds: 0.0,
            rates: VecDeque::with_capacity(DRAWN),
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
                p90_ns,
                p99_ns,
                ..
            } => {
                if seconds < self.seconds {
                    // The warm-up is over, and counting begins again.
                    (self.transactions, self.seconds) = (0, 0.0);
                    self.rates.clear();
                }
                let done = transactions.saturating_sub(self.transactions);
                let rate = done as f64 / (seconds - self.seconds).max(1e-3);
                (self.transactions, self.seconds) = (transactions, seconds);
                if self.rates.len() == DRAWN {
                    self.rates.pop_front();
                }
                self.rates.push_back(rate);
                let shown = |nanoseconds: u64| duration(nanoseconds as f64 / 1e3);
                format!(
                    "{seconds:5.1} s  {}/s  p50 {}  p90 {}  p99 {}  failed {}  {}",
                    count(rate as u64),
                    shown(p50_ns),
                    shown(p90_ns),
                    shown(p99_ns),
                    count(errors),
                    if self.draws {
                        sparkline(&self.rates)
                    } else {
                        String::new()
                    },
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
        if !self.is_watched {
            return;
        }
        let width = tcgetwinsize(std::io::stderr()).map_or(0, |size| usize::from(size.ws_col));
        let width = if width == 0 { USUAL_WIDTH } else { width };
        // A line that is full would be two.
        let text: String = text.chars().take(width - 1).collect();
        // Nobody is harmed when it cannot be shown.
        let _ = write!(std::io::stderr(), "\r\x1b[K{text}");
    }
}

/// Rates as bars, from nothing to the highest of them.
fn sparkline(rates: &VecDeque<f64>) -> String {
    let highest = rates.iter().copied().fold(1.0, f64::max);
    let top = (LEVELS.len() - 1) as f64;
    let level = |rate: &f64| LEVELS[(rate / highest * top).round() as usize];
    rates.iter().map(level).collect()
}

impl Display for LiveLine {
    fn show(&mut self, text: &str) {
        self.write(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_drawn_from_nothing_to_the_highest() {
        assert_eq!(sparkline(&[0.0, 50.0, 100.0, 25.0].into()), "▁▅█▃");
        assert_eq!(sparkline(&[0.0, 0.0].into()), "▁▁");
    }
}
