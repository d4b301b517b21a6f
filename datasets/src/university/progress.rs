//! How far it is, on the standard error: a line every other second, and one at the end.

use std::time::{Duration, Instant};

use super::tally::Tally;
use crate::say;

const EVERY: Duration = Duration::from_secs(2);

pub struct Progress {
    scale_factor: u32,
    universities: u32,
    tally: Tally,
    start: Instant,
    said: Instant,
}

impl Progress {
    pub fn new(scale_factor: u32) -> Self {
        let start = Instant::now();
        Self {
            scale_factor,
            universities: 0,
            tally: Tally::default(),
            start,
            said: start,
        }
    }

    /// What there is so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// One university more.
    pub fn step(&mut self, tally: &Tally) {
        self.tally.add(tally);
        self.universities += 1;
        if self.said.elapsed() >= EVERY {
            self.said = Instant::now();
            let (done, all) = (self.universities, self.scale_factor);
            let rows = thousands(self.tally.all_rows());
            say(&format!("{done} of {all} universities, {rows} rows"));
        }
    }

    /// All is there.
    pub fn finish(self) {
        let tally = self.tally;
        let seconds = self.start.elapsed().as_secs_f64();
        let [rows, counted, objects] =
            [tally.all_rows(), tally.paper_rows(), tally.paper_objects()].map(thousands);
        say(&format!(
            "{rows} rows in 14 tables (counted as in the benchmark's paper: {counted} rows, \
             {objects} objects) in {seconds:.1} s"
        ));
    }
}

/// A number with a comma after every three digits.
fn thousands(number: u64) -> String {
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
    use super::thousands;

    #[test]
    fn digits_stand_in_threes() {
        assert_eq!(thousands(7), "7");
        assert_eq!(thousands(1000), "1,000");
        assert_eq!(thousands(43_838), "43,838");
        assert_eq!(thousands(5_780_260), "5,780,260");
    }
}
