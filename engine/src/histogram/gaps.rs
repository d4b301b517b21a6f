//! The gaps between the items of streams.

use std::sync::Arc;

use super::{COARSE, Distribution, Histogram};

/// The gaps between consecutive items of streams.
#[derive(Default)]
pub struct Gaps {
    pub times: Distribution,
    /// Those that were longer than the limit of their stream.
    pub stalls: u64,
    /// Counts them for other threads, too.
    pub live: Option<Arc<Histogram<COARSE>>>,
}

impl Gaps {
    /// Counts a gap of a stream with this limit.
    #[inline]
    pub fn record(&mut self, gap_ns: u64, stall_ns: u64) {
        self.times.record(gap_ns as i64);
        self.stalls += u64::from(gap_ns > stall_ns);
        if let Some(live) = &self.live {
            live.record(gap_ns);
        }
    }

    /// Adds the gaps of another worker or slice.
    pub fn add(&mut self, other: &Self) {
        self.times.add(&other.times);
        self.stalls += other.stalls;
    }

    /// Removes all.
    pub fn clear(&mut self) {
        self.times.clear();
        self.stalls = 0;
    }
}
