//! Shows progress: in one line of a terminal, otherwise in occasional lines of a log.

use std::collections::VecDeque;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use rustix::termios::tcgetwinsize;

use crate::display::Display;

/// Without a terminal: the time before the first line.
const FIRST_LINE: Duration = Duration::from_secs(2);
/// Without a terminal: the least time between two lines.
const NEXT_LINE: Duration = Duration::from_secs(10);
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const USUAL_WIDTH: usize = 80;

/// The line of progress.
pub struct LiveLine {
    is_terminal: bool,
    draws: bool,
    /// When the next line of a log is due.
    due: Instant,
}

impl LiveLine {
    /// On standard error.
    pub fn new() -> Self {
        let variables = ["LC_ALL", "LC_CTYPE", "LANG"];
        let locale = variables
            .iter()
            .find_map(|it| std::env::var(it).ok().filter(|it| !it.is_empty()));
        let locale = locale.unwrap_or_default().to_ascii_lowercase();
        Self {
            is_terminal: std::io::stderr().is_terminal(),
            draws: locale.contains("utf-8") || locale.contains("utf8"),
            due: Instant::now() + FIRST_LINE,
        }
    }

    /// Whether a text that is shown now is printed.
    pub fn is_due(&self) -> bool {
        self.is_terminal || Instant::now() >= self.due
    }

    /// Shows a text if it is due; on a terminal with a sparkline of the latest rates, as far as the
    /// width allows.
    pub fn show_rates(&mut self, text: &str, rates: &VecDeque<f64>) {
        if !self.is_terminal {
            return self.show(text);
        }
        let space = width().saturating_sub(1 + text.chars().count() + 2);
        if !self.draws || space == 0 {
            return self.show(text);
        }
        let first = rates.len().saturating_sub(space);
        self.show(&format!("{text}  {}", sparkline(rates.range(first..))));
    }

    /// Clears the line on a terminal.
    pub fn clear(&mut self) {
        if self.is_terminal {
            self.show("");
        }
    }
}

impl Display for LiveLine {
    fn show(&mut self, text: &str) {
        if !self.is_due() {
            return;
        }
        // Errors are ignored: standard error may be closed.
        if self.is_terminal {
            // A full line would wrap.
            let text = fitting(text, width() - 1);
            let _ = write!(std::io::stderr(), "\r\x1b[K{text}");
        } else {
            self.due = Instant::now() + NEXT_LINE;
            let _ = writeln!(std::io::stderr(), "{text}");
        }
    }

    fn note(&mut self, text: &str) {
        self.clear();
        let _ = writeln!(std::io::stderr(), "note: {text}");
    }
}

/// A text of parts, two spaces between them, without the last ones if they are too long, so that no
/// number is cut.
fn fitting(text: &str, width: usize) -> &str {
    let mut fitting = text;
    while fitting.chars().count() > width {
        match fitting.trim_end().rfind("  ") {
            Some(end) => fitting = &fitting[..end],
            None => break,
        }
    }
    let end = fitting
        .char_indices()
        .nth(width)
        .map_or(fitting.len(), |(end, _)| end);
    &fitting[..end]
}

/// The width of the terminal, in characters.
fn width() -> usize {
    let known = tcgetwinsize(std::io::stderr()).map_or(0, |size| usize::from(size.ws_col));
    if known == 0 { USUAL_WIDTH } else { known }
}

/// Rates as bars, from zero to the highest.
fn sparkline<'a>(rates: impl Iterator<Item = &'a f64> + Clone) -> String {
    let highest = rates.clone().copied().fold(1.0, f64::max);
    let top = (LEVELS.len() - 1) as f64;
    let level = |rate: &f64| LEVELS[(rate / highest * top).round() as usize];
    rates.map(level).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_is_cut_at_the_end_of_a_line() {
        let text = "12.0 s  5,000/s  p50 182 µs";
        assert_eq!(fitting(text, 27), text);
        assert_eq!(fitting(text, 26), "12.0 s  5,000/s");
        assert_eq!(fitting(text, 14), "12.0 s");
        assert_eq!(fitting("connecting", 4), "conn");
        assert_eq!(fitting("", 4), "");
    }

    #[test]
    fn rates_are_drawn_from_nothing_to_the_highest() {
        assert_eq!(sparkline([0.0, 50.0, 100.0, 25.0].iter()), "▁▅█▃");
        assert_eq!(sparkline([0.0, 0.0].iter()), "▁▁");
    }
}
