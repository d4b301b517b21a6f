//! The progress of a load and the remaining time.

use crate::job::{Job, PacerKind, StopRule, Task, WarmUp};
use crate::result::text::{clock, count};

/// The course of a load on one server: a warm-up and a measurement.
pub struct Course {
    warm_up_s: f64,
    stop: StopRule,
    is_warm: bool,
}

impl Course {
    /// The course of a job.
    pub fn of(job: &Job) -> Self {
        let (warm_up, stop) = match job.task {
            Task::Windows { warm_up, stop } => (warm_up, stop),
            // Slices end by themselves.
            _ => (WarmUp::default(), StopRule::default()),
        };
        // A recording ends with its last request.
        let last_s = |pacer: &PacerKind| match pacer {
            PacerKind::Replay { times_ns } => Some(*times_ns.last()? as f64 / 1e9),
            _ => None,
        };
        let ends_s = job.targets.iter().filter_map(|it| last_s(&it.pacer));
        let stop = StopRule {
            seconds: stop.seconds.or_else(|| ends_s.reduce(f64::max)),
            ..stop
        };
        Self {
            warm_up_s: warm_up.seconds,
            stop,
            is_warm: warm_up.seconds == 0.0,
        }
    }

    /// Ends the warm-up; counts begin again.
    pub fn finish_warm_up(&mut self) {
        self.is_warm = true;
    }

    /// The progress and the remaining time, in a short text, so that a terminal has room for more.
    /// It says "at most" for a load that may end sooner.
    ///
    /// Both figures count from the start of the warm-up or of the measurement.
    pub fn progress(&self, transactions: u64, seconds: f64) -> String {
        let done = if !self.is_warm {
            format!("warm-up: {seconds:.1} of {:.1} s", self.warm_up_s)
        } else {
            match (self.stop.transactions, self.stop.seconds) {
                (Some(all), longest)
                    if longest
                        .is_none_or(|it| transactions as f64 * it >= all as f64 * seconds) =>
                {
                    format!("{} of {} transactions", count(transactions), count(all))
                }
                _ => format!("{seconds:.1} s"),
            }
        };
        let most = match self.stop.precision {
            Some(_) => "at most ",
            None => "",
        };
        let left = self.left_s(transactions, seconds);
        let left = left.map_or(String::new(), |it| format!(", {most}{} left", clock(it)));
        done + &left
    }

    fn left_s(&self, transactions: u64, seconds: f64) -> Option<f64> {
        let per_s = transactions as f64 / seconds;
        let (before_s, done, done_s) = match self.is_warm {
            true => (0.0, transactions, seconds),
            false => ((self.warm_up_s - seconds).max(0.0), 0, 0.0),
        };
        let by_time = self.stop.seconds.map(|it| it - done_s);
        let by_count = self.stop.transactions.filter(|_| per_s > 0.0);
        let by_count = by_count.map(|it| it.saturating_sub(done) as f64 / per_s);
        let first = by_time.into_iter().chain(by_count).reduce(f64::min)?;
        Some(before_s + first.max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Precision, Statistic};

    fn course(stop: StopRule) -> Course {
        Course {
            warm_up_s: 2.0,
            stop,
            is_warm: true,
        }
    }

    #[test]
    fn the_remaining_time_follows_from_the_duration() {
        let course = course(StopRule {
            seconds: Some(90.0),
            ..StopRule::default()
        });
        assert_eq!(course.progress(500, 12.5), "12.5 s, 1:18 left");
        assert_eq!(course.progress(500, 90.4), "90.4 s, 0:00 left");
    }

    #[test]
    fn the_remaining_time_to_a_number_follows_from_the_rate_so_far() {
        let course = course(StopRule {
            transactions: Some(10_000),
            ..StopRule::default()
        });
        let expected = "1,500 of 10,000 transactions, 0:17 left";
        assert_eq!(course.progress(1_500, 3.0), expected);
        assert_eq!(course.progress(0, 3.0), "0 of 10,000 transactions");
    }

    #[test]
    fn the_condition_that_ends_the_load_first_counts() {
        let course = course(StopRule {
            seconds: Some(60.0),
            transactions: Some(10_000),
            ..StopRule::default()
        });
        let expected = "5,000 of 10,000 transactions, 0:10 left";
        assert_eq!(course.progress(5_000, 10.0), expected);
        assert_eq!(course.progress(100, 10.0), "10.0 s, 0:50 left");
    }

    #[test]
    fn the_remaining_time_includes_the_warm_up() {
        let mut course = course(StopRule {
            seconds: Some(10.0),
            ..StopRule::default()
        });
        course.is_warm = false;
        let expected = "warm-up: 0.5 of 2.0 s, 0:12 left";
        assert_eq!(course.progress(100, 0.5), expected);
        course.finish_warm_up();
        assert_eq!(course.progress(100, 0.5), "0.5 s, 0:10 left");
    }

    #[test]
    fn a_precision_may_be_reached_sooner() {
        let course = course(StopRule {
            seconds: Some(300.0),
            precision: Some(Precision {
                of: Statistic::Mean,
                half_width: 0.01,
            }),
            ..StopRule::default()
        });
        let expected = "60.0 s, at most 4:00 left";
        assert_eq!(course.progress(100, 60.0), expected);
    }
}
