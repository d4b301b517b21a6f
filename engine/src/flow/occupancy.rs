//! The time integral of the number of transactions in flight, which Little's law compares with
//! their times.

/// The integral so far.
#[derive(Default)]
pub struct Occupancy {
    area: f64,
    since: u64,
}

impl Occupancy {
    /// Begins at `start`, with nothing in flight.
    pub fn since(start: u64) -> Self {
        Self {
            area: 0.0,
            since: start,
        }
    }

    /// Adds the time since the last call, times `in_flight`.
    #[inline]
    pub fn observe(&mut self, now: u64, in_flight: usize) {
        let elapsed = now.saturating_sub(self.since);
        self.area += elapsed as f64 * in_flight as f64;
        self.since = self.since.max(now);
    }

    /// Ends a transaction; its answer may have arrived before the last call of `observe`.
    #[inline]
    pub fn ended_at(&mut self, end: u64) {
        self.area -= self.since.saturating_sub(end) as f64;
    }

    /// Removes a transaction that does not count, in flight for `duration`.
    pub fn disregard(&mut self, duration: u64) {
        self.area -= duration as f64;
    }

    /// The integral, in nanoseconds.
    pub fn total_ns(&self) -> u64 {
        self.area as u64
    }
}
