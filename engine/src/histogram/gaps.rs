//! The gaps between the items of streams.

use super::Distribution;

/// The gaps between consecutive items of streams.
#[derive(Default)]
pub struct Gaps {
    pub times: Distribution,
    /// Those that were longer than the limit of their stream.
    pub stalls: u64,
}

impl Gaps {
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
