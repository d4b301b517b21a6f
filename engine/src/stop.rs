//! The stop rule: when the last transaction of a phase has been started.

/// How several conditions combine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    /// The first one that is reached ends the phase (the measured window).
    Any,
    /// All must be reached (the warm-up).
    All,
}

/// A limit of transactions and a time, and how they combine.
#[derive(Clone, Copy, Debug)]
pub struct Stop {
    transactions: Option<u64>,
    ends_at: Option<u64>,
    until: Until,
}

impl Stop {
    /// Ends when the first of the given conditions is reached.
    pub fn at_first(transactions: Option<u64>, ends_at: Option<u64>) -> Self {
        Self {
            transactions,
            ends_at,
            until: Until::Any,
        }
    }

    /// Ends when both are reached.
    pub fn at_last(transactions: u64, ends_at: u64) -> Self {
        Self {
            transactions: Some(transactions),
            ends_at: Some(ends_at),
            until: Until::All,
        }
    }

    /// Whether another transaction may start after `started` others.
    #[inline]
    pub fn goes_on(&self, started: u64, now: u64) -> bool {
        let by_count = self.transactions.map(|limit| started < limit);
        let by_time = self.ends_at.map(|end| now < end);
        match self.until {
            Until::Any => by_count.unwrap_or(true) && by_time.unwrap_or(true),
            Until::All => by_count.unwrap_or(false) || by_time.unwrap_or(false),
        }
    }

    /// The same rule, but ending at `now` at the latest.
    pub fn at_latest(self, now: u64) -> Self {
        let ends_at = self.ends_at.map_or(now, |end| end.min(now));
        Self {
            ends_at: Some(ends_at),
            ..self
        }
    }

    /// The time at which the rule may end the phase without a further transaction.
    pub fn ends_at(&self) -> Option<u64> {
        self.ends_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_condition_ends_the_window() {
        let stop = Stop::at_first(Some(10), Some(1000));
        assert!(stop.goes_on(9, 999));
        assert!(!stop.goes_on(10, 0));
        assert!(!stop.goes_on(0, 1000));
        assert!(Stop::at_first(None, None).goes_on(u64::MAX, u64::MAX));
        assert!(!stop.at_latest(500).goes_on(9, 500));
        assert!(!stop.at_latest(2_000).goes_on(9, 1_000));
    }

    #[test]
    fn the_last_condition_ends_the_warm_up() {
        let stop = Stop::at_last(10, 1000);
        assert!(stop.goes_on(100, 999));
        assert!(stop.goes_on(9, 2000));
        assert!(!stop.goes_on(10, 1000));
        assert!(!Stop::at_last(0, 0).goes_on(0, 0));
    }
}
