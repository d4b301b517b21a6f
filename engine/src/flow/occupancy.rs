//! The time integral of the number of transactions in flight: what they amount to by Little's law.

#[derive(Default)]
pub struct Occupancy {
    area: f64,
    since: u64,
}

impl Occupancy {
    /// Nothing is in flight at the start.
    pub fn since(start: u64) -> Self {
        Self {
            area: 0.0,
            since: start,
        }
    }

    /// Counts the time since the last look for those in flight.
    #[inline]
    pub fn observe(&mut self, now: u64, in_flight: usize) {
        let elapsed = now.saturating_sub(self.since);
        self.area += elapsed as f64 * in_flight as f64;
        self.since = self.since.max(now);
    }

    /// One ended, before the last look where its answer had arrived some time before it was read.
    #[inline]
    pub fn ended_at(&mut self, end: u64) {
        self.area -= self.since.saturating_sub(end) as f64;
    }

    /// One ended that does not count after all, having been in flight for so long.
    pub fn disregard(&mut self, duration: u64) {
        self.area -= duration as f64;
    }

    pub fn total_ns(&self) -> u64 {
        self.area as u64
    }
}
