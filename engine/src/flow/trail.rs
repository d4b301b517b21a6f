//! Load after the last transaction that counts: it goes on until those of all workers have ended,
//! so that none of them meets a server whose load declines.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The number of workers of a target with transactions that count, in flight or still to start.
#[derive(Clone, Debug)]
pub struct Counting(Arc<AtomicU32>);

impl Counting {
    /// All workers have transactions that count.
    pub fn new(workers: usize) -> Self {
        Self(Arc::new(AtomicU32::new(workers as u32)))
    }
}

/// The part of one worker.
pub struct Trail {
    counting: Counting,
    has_left: bool,
}

impl Trail {
    /// For one of the workers of `counting`.
    pub fn new(counting: Counting) -> Self {
        Self {
            counting,
            has_left: false,
        }
    }

    /// Whether load goes on; `own` says whether this worker has transactions in flight that count.
    pub fn goes_on(&self, own: bool) -> bool {
        let this_one = u32::from(!self.has_left);
        own || self.counting.0.load(Ordering::Relaxed) > this_one
    }

    /// No transaction of this worker counts any more.
    pub fn leave(&mut self) {
        if !self.has_left {
            self.has_left = true;
            self.counting.0.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_worker_ends_it_for_all() {
        let counting = Counting::new(2);
        let mut trails = [Trail::new(counting.clone()), Trail::new(counting)];
        trails[0].leave();
        trails[0].leave();
        assert!(trails[0].goes_on(false), "the other one counts");
        assert!(trails[1].goes_on(true) && !trails[1].goes_on(false));
        trails[1].leave();
        assert!(!trails[0].goes_on(false) && !trails[1].goes_on(false));
    }
}
