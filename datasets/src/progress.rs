//! Shows progress and the remaining time on standard error: in one line of a terminal, otherwise in
//! occasional lines. Work of less than two seconds prints nothing.

use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::say;

const FIRST: Duration = Duration::from_secs(2);
const NEXT_LINE: Duration = Duration::from_secs(10);
const NEXT_ON_TERMINAL: Duration = Duration::from_millis(200);

/// The control sequence that clears the current line of a terminal.
pub const EMPTY_LINE: &str = "\r\x1b[K";

/// Where progress is shown.
pub struct Display {
    is_terminal: bool,
    is_silent: bool,
    due: Cell<Instant>,
    is_drawn: Cell<bool>,
}

impl Display {
    /// On standard error; nowhere if the rows themselves are written to a terminal (`output` is
    /// `-`).
    pub fn beside(output: Option<&Path>) -> Self {
        let is_stdout = output.is_some_and(|it| it.as_os_str() == "-");
        Self {
            is_terminal: io::stderr().is_terminal(),
            is_silent: is_stdout && io::stdout().is_terminal(),
            due: Cell::new(Instant::now() + FIRST),
            is_drawn: Cell::new(false),
        }
    }

    /// Shows a text, if one is due.
    pub fn show(&self, text: impl FnOnce() -> String) {
        let now = Instant::now();
        if self.is_silent || now < self.due.get() {
            return;
        }
        if self.is_terminal {
            self.due.set(now + NEXT_ON_TERMINAL);
            self.is_drawn.set(true);
            let _ = write!(io::stderr(), "{EMPTY_LINE}wirelab-data: {}", text());
        } else {
            self.due.set(now + NEXT_LINE);
            say(&text());
        }
    }
}

impl Drop for Display {
    /// Clears the line.
    fn drop(&mut self) {
        if self.is_drawn.get() {
            let _ = write!(io::stderr(), "{EMPTY_LINE}");
        }
    }
}

/// Steps of equal work, some of which are done.
pub struct Steps {
    all: u64,
    done: u64,
    began: Instant,
}

impl Steps {
    /// No step of `all` is done.
    pub fn new(all: u64) -> Self {
        Self {
            all,
            done: 0,
            began: Instant::now(),
        }
    }

    /// Counts a step.
    pub fn advance(&mut self) {
        self.done += 1;
    }

    /// The progress in words, such as "3 of 10, 0:21 left".
    pub fn describe(&self) -> String {
        let done = format!("{} of {}", thousands(self.done), thousands(self.all));
        match seconds_left(self.began.elapsed().as_secs_f64(), self.done, self.all) {
            Some(left_s) => format!("{done}, {} left", clock(left_s)),
            None => done,
        }
    }
}

/// Parts of the work, one after the other, such as the tables of a data set.
pub struct Parts {
    display: Display,
    all: usize,
    begun: Cell<usize>,
}

impl Parts {
    /// No part of `all` has begun.
    pub fn new(all: usize, display: Display) -> Self {
        Self {
            display,
            all,
            begun: Cell::new(0),
        }
    }

    /// The numbers of a part's rows; shows how many of them have been taken.
    pub fn rows(&self, part: &'static str, numbers: Range<u64>) -> impl Iterator<Item = u64> {
        self.begun.set(self.begun.get() + 1);
        let (number, all) = (self.begun.get(), self.all);
        let mut steps = Steps::new(numbers.end - numbers.start);
        numbers.inspect(move |_| {
            self.display.show(|| match all {
                1 => format!("{part}: {}", steps.describe()),
                _ => {
                    let steps = steps.describe();
                    format!("part {number} of {all}, {part}: {steps} in this part")
                }
            });
            steps.advance();
        })
    }
}

/// None before the first step.
fn seconds_left(elapsed_s: f64, done: u64, all: u64) -> Option<f64> {
    let rest = all.saturating_sub(done) as f64;
    (done > 0).then(|| elapsed_s / done as f64 * rest)
}

/// A time in seconds as minutes and hours: 4:05, 1:04:05.
fn clock(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{rest:02}"),
        _ => format!("{hours}:{minutes:02}:{rest:02}"),
    }
}

/// A number with a comma after every three digits.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_in_threes() {
        assert_eq!(thousands(7), "7");
        assert_eq!(thousands(1000), "1,000");
        assert_eq!(thousands(43_838), "43,838");
        assert_eq!(thousands(5_780_260), "5,780,260");
    }

    #[test]
    fn remaining_steps_take_as_long_as_finished_ones() {
        assert_eq!(seconds_left(6.0, 3, 10), Some(14.0));
        assert_eq!(seconds_left(6.0, 10, 10), Some(0.0));
        assert_eq!(seconds_left(6.0, 0, 10), None);
    }

    #[test]
    fn times_are_those_of_a_clock() {
        assert_eq!(
            [0.4, 59.6, 245.0, 3_845.0].map(clock),
            ["0:00", "1:00", "4:05", "1:04:05"]
        );
    }
}
