//! A confidence interval from batch means.

use crate::statistics::student_975;

/// A statistic and its precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean of the batches' values, in nanoseconds.
    pub value_ns: f64,
    /// Half the width of the 95 % interval, as a share of the value.
    pub half_width_share: f64,
    pub batches: usize,
    pub batch_s: f64,
    /// The correlation of consecutive batches.
    pub correlation: f64,
}

impl Estimate {
    /// From the values of at least two batches of `batch_s` seconds each.
    pub fn new(values: &[f64], batch_s: f64) -> Self {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let products: f64 = values
            .windows(2)
            .map(|pair| (pair[0] - mean) * (pair[1] - mean))
            .sum();
        let correlation = if squares > 0.0 {
            products / squares
        } else {
            0.0
        };
        let counted = correlation.clamp(0.0, 0.99);
        let independent = count * (1.0 - counted) / (1.0 + counted);
        let error = (squares / (count - 1.0) / independent).sqrt();
        Self {
            value_ns: mean,
            half_width_share: student_975(count - 1.0) * error / mean.max(f64::MIN_POSITIVE),
            batches: values.len(),
            batch_s,
            correlation,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_of_values_without_correlation() {
        // Mean 5, variance 20/19, and as many steps up as down.
        let values: Vec<f64> = (0..20)
            .map(|it| if it % 2 == 0 { 4.0 } else { 6.0 })
            .collect();
        let estimate = Estimate::new(&values, 0.1);
        assert!(estimate.correlation < 0.0, "counts as none");
        let exact = 2.093 * (20.0_f64 / 19.0 / 20.0).sqrt() / 5.0;
        assert!((estimate.half_width_share - exact).abs() < 1e-4);
    }

    #[test]
    fn a_drift_is_not_precision() {
        let values: Vec<f64> = (0..20).map(|it| 100.0 + f64::from(it)).collect();
        let estimate = Estimate::new(&values, 0.1);
        assert!(estimate.correlation > 0.8);
        assert!(estimate.half_width_share > 0.08);
    }
}
