//! What others may watch while it grows.

use std::sync::atomic::{AtomicU64, Ordering};

/// Buckets to each doubling of a duration: quantiles are right within an eighth.
const STEPS: usize = 8;
const BUCKETS: usize = 64 * STEPS;

/// The counters of one worker, which it alone writes; alone on their cache lines, so that
/// watching costs nothing.
#[repr(align(128))]
pub struct Progress {
    pub transactions: AtomicU64,
    pub errors: AtomicU64,
    response_times: [AtomicU64; BUCKETS],
}

impl Default for Progress {
    fn default() -> Self {
        Self {
            transactions: AtomicU64::new(0),
            errors: AtomicU64::new(0),
            response_times: std::array::from_fn(|_| AtomicU64::new(0)),
        }
    }
}

impl Progress {
    /// Counts a response time. There is only one writer, so nothing has to be locked.
    #[inline]
    pub fn count(&self, response_ns: i64) {
        let bucket = &self.response_times[bucket_of(response_ns.max(0) as u64)];
        bucket.store(bucket.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }
}

fn bucket_of(duration_ns: u64) -> usize {
    let duration = duration_ns.max(STEPS as u64);
    let doublings = duration.ilog2();
    let step = (duration >> (doublings - STEPS.ilog2())) as usize - STEPS;
    doublings as usize * STEPS + step
}

/// The middle of a bucket.
fn duration_of(bucket: usize) -> u64 {
    let (doublings, step) = ((bucket / STEPS) as u32, (bucket % STEPS) as u64);
    let width = 1u64 << (doublings - STEPS.ilog2());
    (STEPS as u64 + step) * width + width / 2
}

/// Quantiles over several workers, roughly; all zero before anything has been counted.
pub fn rough_quantiles_ns<'a, const N: usize>(
    workers: impl Iterator<Item = &'a Progress>,
    quantiles: [f64; N],
) -> [u64; N] {
    let mut counts = [0u64; BUCKETS];
    for worker in workers {
        for (count, bucket) in counts.iter_mut().zip(&worker.response_times) {
            *count += bucket.load(Ordering::Relaxed);
        }
    }
    let total: u64 = counts.iter().sum();
    quantiles.map(|quantile| {
        let rank = (quantile * total as f64).ceil() as u64;
        let mut passed = 0;
        let reached = counts.iter().position(|count| {
            passed += count;
            *count > 0 && passed >= rank
        });
        reached.map_or(0, duration_of)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_right_within_an_eighth() {
        let workers = [Progress::default(), Progress::default()];
        for number in 1..=10_000 {
            workers[number % 2].count(number as i64 * 1_000);
        }
        let measured = rough_quantiles_ns(workers.iter(), [0.5, 0.99]);
        for (measured, exact) in measured.into_iter().zip([5e6, 9.9e6]) {
            assert!((measured as f64 / exact - 1.0).abs() < 0.125, "{measured}");
        }
    }

    #[test]
    fn extremes_have_a_bucket() {
        let worker = Progress::default();
        assert_eq!(rough_quantiles_ns([&worker].into_iter(), [0.5]), [0]);
        worker.count(-5);
        assert_eq!(rough_quantiles_ns([&worker].into_iter(), [0.5]), [8]);
        worker.count(i64::MAX);
        assert!(rough_quantiles_ns([&worker].into_iter(), [1.0])[0] > 1 << 62);
    }
}
