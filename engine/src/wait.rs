//! How the engine waits until the next transaction is due.
//!
//! A trade-off between the accuracy of the schedule and CPU time. The right choice depends on the
//! machine and the rate, so the user makes it, and every result has the resulting error (`lag`).

/// The typical longest time for a sleeping thread to be back on its CPU.
const WAKE_UP_NS: u64 = 60_000;
const TICK_NS: u64 = 1_000_000;

/// How the engine waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wait {
    /// One precise sleep until each due time.
    #[default]
    Precise,
    /// Sleeps to the next whole millisecond: cheap, but up to 1 ms late.
    Tick,
    /// Never sleeps: the most precise, but occupies a whole CPU.
    Spin,
    /// Sleeps until shortly before, then spins.
    SleepThenSpin,
}

impl Wait {
    /// How long to sleep at `now` for a transaction due at `due`, in nanoseconds.
    pub fn sleep_ns(self, now: u64, due: u64) -> u64 {
        let left = due.saturating_sub(now);
        match self {
            Self::Precise => left,
            Self::Tick if left == 0 => 0,
            Self::Tick => due.next_multiple_of(TICK_NS) - now,
            Self::Spin => 0,
            Self::SleepThenSpin => left.saturating_sub(WAKE_UP_NS),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_of_waiting_sleeps_as_declared() {
        let (now, due) = (10_200_000, 10_900_000);
        assert_eq!(Wait::Precise.sleep_ns(now, due), 700_000);
        assert_eq!(Wait::Tick.sleep_ns(now, due), 800_000);
        assert_eq!(Wait::Spin.sleep_ns(now, due), 0);
        assert_eq!(Wait::SleepThenSpin.sleep_ns(now, due), 640_000);
    }

    #[test]
    fn none_sleeps_when_something_is_overdue() {
        for wait in [Wait::Precise, Wait::Tick, Wait::Spin, Wait::SleepThenSpin] {
            assert_eq!(wait.sleep_ns(500, 400), 0);
            assert_eq!(wait.sleep_ns(500, 500), 0);
        }
    }
}
