//! A distribution of durations: a histogram with exact moments and extremes.

use super::{FINE, Histogram};

/// The exact moments and extremes of durations.
#[derive(Clone, Copy, Debug)]
pub struct Moments {
    count: u64,
    sum: f64,
    sum_of_squares: f64,
    min: u64,
    max: u64,
}

impl Default for Moments {
    fn default() -> Self {
        Self {
            count: 0,
            sum: 0.0,
            sum_of_squares: 0.0,
            min: u64::MAX,
            max: 0,
        }
    }
}

impl Moments {
    /// Records a duration; a negative one, from clocks read out of order, counts as zero.
    #[inline]
    pub fn record(&mut self, duration_ns: i64) {
        let duration = duration_ns.max(0) as u64;
        self.count += 1;
        self.sum += duration as f64;
        self.sum_of_squares += (duration as f64).powi(2);
        self.min = self.min.min(duration);
        self.max = self.max.max(duration);
    }

    /// Adds those of another worker or slice.
    pub fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += other.sum;
        self.sum_of_squares += other.sum_of_squares;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// The number of durations.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The sum of the durations.
    pub fn total_ns(&self) -> f64 {
        self.sum
    }

    /// The mean; 0 without durations.
    pub fn mean_ns(&self) -> f64 {
        if self.count == 0 {
            0.0
        } else {
            self.sum / self.count as f64
        }
    }

    /// The standard deviation of the sample (n - 1).
    pub fn standard_deviation_ns(&self) -> f64 {
        let count = self.count as f64;
        if count < 2.0 {
            return 0.0;
        }
        let squares = self.sum_of_squares - self.sum * self.sum / count;
        (squares.max(0.0) / (count - 1.0)).sqrt()
    }

    /// The smallest duration; 0 without durations.
    pub fn min_ns(&self) -> u64 {
        if self.count == 0 { 0 } else { self.min }
    }

    /// The largest duration; 0 without durations.
    pub fn max_ns(&self) -> u64 {
        self.max
    }
}

/// A histogram of durations, with their exact moments.
#[derive(Default)]
pub struct Distribution {
    pub histogram: Histogram<FINE>,
    pub moments: Moments,
}

impl Distribution {
    /// Records a duration; a negative one counts as zero.
    #[inline]
    pub fn record(&mut self, duration_ns: i64) {
        self.histogram.record(duration_ns.max(0) as u64);
        self.moments.record(duration_ns);
    }

    /// Adds the durations of another one.
    pub fn add(&mut self, other: &Self) {
        self.histogram.add(&other.histogram);
        self.moments.add(&other.moments);
    }

    /// Removes all.
    pub fn clear(&mut self) {
        self.histogram.clear();
        self.moments = Moments::default();
    }

    /// A quantile, never outside of the exact extremes.
    pub fn quantile_ns(&self, quantile: f64) -> u64 {
        if self.moments.count == 0 {
            return 0;
        }
        self.histogram
            .quantile_ns(quantile)
            .clamp(self.moments.min, self.moments.max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distribution(durations: &[i64]) -> Distribution {
        let mut distribution = Distribution::default();
        durations
            .iter()
            .for_each(|&duration| distribution.record(duration));
        distribution
    }

    #[test]
    fn moments_and_extremes_are_exact() {
        let distribution = distribution(&[1_000_003, 2_000_005, 3_000_007, 10_000_001]);
        assert_eq!(distribution.moments.mean_ns(), 4_000_004.0);
        assert_eq!(
            (distribution.moments.min_ns(), distribution.moments.max_ns()),
            (1_000_003, 10_000_001)
        );
        assert!((distribution.moments.standard_deviation_ns() - 4_082_481.27).abs() < 0.1);
    }

    #[test]
    fn quantiles_are_within_a_thousandth_and_the_extremes() {
        let durations: Vec<i64> = (1..=10_000).map(|number| number * 1_000).collect();
        let distribution = distribution(&durations);
        for (quantile, exact) in [(0.5, 5e6), (0.9, 9e6), (0.99, 9.9e6), (0.999, 9.99e6)] {
            let measured = distribution.quantile_ns(quantile) as f64;
            assert!(
                (measured / exact - 1.0).abs() < 0.001,
                "{quantile}: {measured}"
            );
        }
        assert_eq!(distribution.quantile_ns(1.0), 10_000_000);
    }

    #[test]
    fn an_empty_distribution_is_all_zero() {
        let empty = Distribution::default();
        assert_eq!(
            (
                empty.moments.count(),
                empty.moments.mean_ns(),
                empty.moments.min_ns()
            ),
            (0, 0.0, 0)
        );
        assert_eq!(
            (
                empty.quantile_ns(0.99),
                empty.moments.standard_deviation_ns()
            ),
            (0, 0.0)
        );
    }

    #[test]
    fn adding_is_like_recording_in_one() {
        let mut sum = distribution(&[5, 6]);
        sum.add(&distribution(&[1, 9]));
        let whole = distribution(&[5, 6, 1, 9]);
        assert_eq!(sum.histogram.count(), whole.histogram.count());
        assert_eq!(
            (
                sum.moments.mean_ns(),
                sum.moments.min_ns(),
                sum.moments.max_ns()
            ),
            (5.25, 1, 9)
        );
    }
}
