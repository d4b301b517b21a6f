//! The confidence interval of a mean.

use super::student_975;

/// A mean with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    pub mean: f64,
    pub low: f64,
    pub high: f64,
}

impl Interval {
    /// By Student's t, from independent values. None of fewer than two.
    pub fn of(values: &[f64]) -> Option<Self> {
        let count = values.len() as f64;
        if count < 2.0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let error = (squares / (count - 1.0) / count).sqrt();
        let half_width = student_975(count - 1.0) * error;
        Some(Self {
            mean,
            low: mean - half_width,
            high: mean + half_width,
        })
    }

    /// The interval of the exponentials: from logarithms back to ratios.
    pub fn exp(&self) -> Self {
        Self {
            mean: self.mean.exp(),
            low: self.low.exp(),
            high: self.high.exp(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vector TV2 of the method: block values, and the ratio with its interval.
    #[test]
    fn the_reference_has_the_same_intervals() {
        for (values, ratio, low, high) in [
            (
                [0.081, 0.102, 0.064, 0.095, 0.110, 0.073],
                1.091_442_3,
                1.071_285_8,
                1.111_978_0,
            ),
            (
                [0.012, -0.008, 0.021, 0.004, -0.015, 0.010],
                1.004_008_0,
                0.990_017_5,
                1.018_196_2,
            ),
            (
                [0.09, -0.02, 0.14, 0.03, 0.11, 0.05],
                1.068_939_1,
                1.005_610_4,
                1.136_256_0,
            ),
        ] {
            let found = Interval::of(&values).unwrap().exp();
            for (found, exact) in [(found.mean, ratio), (found.low, low), (found.high, high)] {
                assert!((found / exact - 1.0).abs() < 1e-5, "{found} for {exact}");
            }
        }
    }

    #[test]
    fn one_value_has_no_interval() {
        assert_eq!(Interval::of(&[1.0]), None);
        let exact = Interval::of(&[2.0, 2.0]).unwrap();
        assert_eq!((exact.low, exact.high), (2.0, 2.0));
    }
}
