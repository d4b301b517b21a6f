//! Counters that other threads may read during a slice.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::histogram::{COARSE, Histogram};

/// The counters of one worker, which only it writes; aligned to cache lines, so that reading them
/// does not slow it down.
#[derive(Default)]
#[repr(align(128))]
pub struct Progress {
    transactions: AtomicU64,
    errors: AtomicU64,
    response_ns: AtomicU64,
    response_times: Histogram<COARSE>,
    pub first_items: Histogram<COARSE>,
    pub gaps: Arc<Histogram<COARSE>>,
}

impl Progress {
    /// Counts a transaction. There is only one writer, so no lock is needed.
    #[inline]
    pub fn count(&self, response_ns: i64, has_failed: bool) {
        let response_ns = response_ns.max(0) as u64;
        add(&self.transactions, 1);
        if has_failed {
            add(&self.errors, 1);
        }
        add(&self.response_ns, response_ns);
        self.response_times.record(response_ns);
    }
}

fn add(counter: &AtomicU64, amount: u64) {
    let sum = counter.load(Ordering::Relaxed).wrapping_add(amount);
    counter.store(sum, Ordering::Relaxed);
}

/// The counts and response times of all workers at a moment, or between two.
#[derive(Clone, Default)]
pub struct Tally {
    pub transactions: u64,
    pub errors: u64,
    total_ns: u64,
    response_times: Histogram<COARSE>,
    /// Those of streams.
    pub first_items: Histogram<COARSE>,
    pub gaps: Histogram<COARSE>,
}

impl Tally {
    /// The sum over all workers at present.
    pub fn of<'a>(workers: impl IntoIterator<Item = &'a Progress>) -> Self {
        let mut tally = Self::default();
        for worker in workers {
            tally.transactions += worker.transactions.load(Ordering::Relaxed);
            tally.errors += worker.errors.load(Ordering::Relaxed);
            let total_ns = worker.response_ns.load(Ordering::Relaxed);
            tally.total_ns = tally.total_ns.wrapping_add(total_ns);
            tally.response_times.add(&worker.response_times);
            tally.first_items.add(&worker.first_items);
            tally.gaps.add(&worker.gaps);
        }
        tally
    }

    /// The difference from an earlier tally.
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            transactions: self.transactions - earlier.transactions,
            errors: self.errors - earlier.errors,
            total_ns: self.total_ns.wrapping_sub(earlier.total_ns),
            response_times: self.response_times.since(&earlier.response_times),
            first_items: self.first_items.since(&earlier.first_items),
            gaps: self.gaps.since(&earlier.gaps),
        }
    }

    /// Adds another tally.
    pub fn add(&mut self, other: &Self) {
        self.transactions += other.transactions;
        self.errors += other.errors;
        self.total_ns = self.total_ns.wrapping_add(other.total_ns);
        self.response_times.add(&other.response_times);
    }

    /// The number of response times.
    pub fn count(&self) -> u64 {
        self.response_times.count()
    }

    /// The mean response time; none without transactions.
    pub fn mean_ns(&self) -> Option<f64> {
        let count = self.count();
        (count > 0).then(|| self.total_ns as f64 / count as f64)
    }

    /// A quantile of the response times, interpolated linearly within its bucket; none without
    /// transactions.
    pub fn quantile_ns(&self, quantile: f64) -> Option<f64> {
        self.response_times.interpolated_ns(quantile)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_exact_within_a_hundredth_and_the_mean_entirely() {
        let workers = [Progress::default(), Progress::default()];
        for number in 1..=10_000 {
            workers[number % 2].count(number as i64 * 1_000, false);
        }
        let tally = Tally::of(&workers);
        for (quantile, exact) in [(0.5, 5e6), (0.99, 9.9e6), (1.0, 1e7)] {
            let measured = tally.quantile_ns(quantile).unwrap();
            assert!((measured / exact - 1.0).abs() < 0.01, "{measured}");
        }
        assert_eq!(tally.mean_ns(), Some(5_000_500.0));
    }

    #[test]
    fn transactions_since_a_moment_can_be_counted() {
        let worker = Progress::default();
        worker.count(1_000, false);
        let before = Tally::of([&worker]);
        worker.count(5_000_000, true);
        let since = Tally::of([&worker]).since(&before);
        assert_eq!((since.count(), since.mean_ns()), (1, Some(5e6)));
        assert_eq!((since.transactions, since.errors), (1, 1));
        let mut sum = Tally::default();
        sum.add(&before);
        sum.add(&since);
        assert_eq!((sum.count(), sum.mean_ns()), (2, Some(2_500_500.0)));
    }
}
