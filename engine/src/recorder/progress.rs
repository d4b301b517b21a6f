//! Counters that other threads may read during a slice.

use std::sync::atomic::{AtomicU64, Ordering};

/// Buckets per doubling of a duration: quantiles are exact within 1 %.
const STEPS: usize = 64;
const BUCKETS: usize = 64 * STEPS;

/// The counters of one worker, which only it writes; aligned to cache lines, so that reading them
/// does not slow it down.
#[repr(align(128))]
pub struct Progress {
    transactions: AtomicU64,
    errors: AtomicU64,
    response_ns: AtomicU64,
    response_times: [AtomicU64; BUCKETS],
}

impl Default for Progress {
    fn default() -> Self {
        Self {
            transactions: AtomicU64::new(0),
            errors: AtomicU64::new(0),
            response_ns: AtomicU64::new(0),
            response_times: std::array::from_fn(|_| AtomicU64::new(0)),
        }
    }
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
        add(&self.response_times[bucket_of(response_ns)], 1);
    }
}

fn add(counter: &AtomicU64, amount: u64) {
    let sum = counter.load(Ordering::Relaxed).wrapping_add(amount);
    counter.store(sum, Ordering::Relaxed);
}

/// The counts and response times of all workers at a moment, or between two.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub transactions: u64,
    pub errors: u64,
    total_ns: u64,
    /// Empty, or a count for each bucket.
    counts: Vec<u64>,
}

impl Tally {
    /// The sum over all workers at present.
    pub fn of<'a>(workers: impl IntoIterator<Item = &'a Progress>) -> Self {
        let mut tally = Self {
            counts: vec![0; BUCKETS],
            ..Self::default()
        };
        for worker in workers {
            tally.transactions += worker.transactions.load(Ordering::Relaxed);
            tally.errors += worker.errors.load(Ordering::Relaxed);
            let total_ns = worker.response_ns.load(Ordering::Relaxed);
            tally.total_ns = tally.total_ns.wrapping_add(total_ns);
            for (count, bucket) in tally.counts.iter_mut().zip(&worker.response_times) {
                *count += bucket.load(Ordering::Relaxed);
            }
        }
        tally
    }

    /// The difference from an earlier tally.
    pub fn since(&self, earlier: &Self) -> Self {
        let mut difference = self.clone();
        difference.transactions -= earlier.transactions;
        difference.errors -= earlier.errors;
        difference.total_ns = self.total_ns.wrapping_sub(earlier.total_ns);
        for (count, before) in difference.counts.iter_mut().zip(&earlier.counts) {
            *count -= before;
        }
        difference
    }

    /// Adds another tally.
    pub fn add(&mut self, other: &Self) {
        self.transactions += other.transactions;
        self.errors += other.errors;
        self.total_ns = self.total_ns.wrapping_add(other.total_ns);
        if self.counts.is_empty() {
            self.counts.clone_from(&other.counts);
            return;
        }
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
    }

    /// The number of response times.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The mean response time; none without transactions.
    pub fn mean_ns(&self) -> Option<f64> {
        let count = self.count();
        (count > 0).then(|| self.total_ns as f64 / count as f64)
    }

    /// A quantile of the response times, interpolated linearly within its bucket; none without
    /// transactions.
    pub fn quantile_ns(&self, quantile: f64) -> Option<f64> {
        let rank = quantile * self.count() as f64;
        let mut passed = 0.0;
        for (bucket, &count) in self.counts.iter().enumerate() {
            let count = count as f64;
            if count > 0.0 && passed + count >= rank {
                let (start, width) = bounds_of(bucket);
                return Some(start + width * ((rank - passed) / count).max(0.0));
            }
            passed += count;
        }
        None
    }
}

fn bucket_of(duration_ns: u64) -> usize {
    let duration = duration_ns.max(STEPS as u64);
    let doublings = duration.ilog2();
    let step = (duration >> (doublings - STEPS.ilog2())) as usize - STEPS;
    doublings as usize * STEPS + step
}

/// The start of a bucket and its width, in nanoseconds.
fn bounds_of(bucket: usize) -> (f64, f64) {
    let (doublings, step) = ((bucket / STEPS) as i32, (bucket % STEPS) as f64);
    let width = f64::from(doublings - STEPS.ilog2() as i32).exp2();
    ((STEPS as f64 + step) * width, width)
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

    #[test]
    fn extremes_have_a_bucket() {
        assert_eq!(Tally::default().quantile_ns(0.5), None);
        let worker = Progress::default();
        worker.count(-5, false);
        let least = Tally::of([&worker]).quantile_ns(0.5).unwrap();
        assert!(least < 2.0 * STEPS as f64);
        worker.count(i64::MAX, false);
        assert!(Tally::of([&worker]).quantile_ns(1.0).unwrap() > 2e18);
    }
}
