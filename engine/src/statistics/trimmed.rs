//! The trimmed mean, which a few outliers do not affect.

/// The mean without the smallest and the largest values: on each side `share` of all, rounded down.
/// None without values.
pub fn trimmed_mean(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let dropped = (share * sorted.len() as f64) as usize;
    let kept = sorted.get(dropped..sorted.len().checked_sub(dropped)?)?;
    (!kept.is_empty()).then(|| kept.iter().sum::<f64>() / kept.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: [f64; 12] = [
        1.02, 1.10, 0.98, 1.05, 2.90, 1.01, 1.04, 0.99, 1.07, 1.03, 1.00, 1.06,
    ];
    const B: [f64; 12] = [
        0.95, 1.00, 0.93, 0.97, 1.02, 0.94, 1.30, 0.92, 1.01, 0.96, 0.95, 0.97,
    ];

    fn log_ratios() -> Vec<f64> {
        A.iter().zip(B).map(|(a, b)| (a / b).ln()).collect()
    }

    /// Vector TV1 of the method.
    #[test]
    fn the_reference_has_the_same_means() {
        let all = log_ratios();
        let stolen = [2, 5, 7];
        let kept: Vec<f64> = (1..)
            .zip(&all)
            .filter(|(permutation, _)| !stolen.contains(permutation))
            .map(|(_, value)| *value)
            .collect();
        for (values, share, exact) in [
            (&all, 0.0, 0.127_754_63),
            (&all, 0.2, 0.070_585_94),
            (&kept, 0.0, 0.068_442_31),
            (&kept, 0.2, 0.067_994_20),
        ] {
            let mean = trimmed_mean(values, share).unwrap();
            assert!((mean - exact).abs() < 5e-9, "{mean} for {exact}");
        }
    }

    #[test]
    fn few_values_are_not_trimmed_and_none_have_no_mean() {
        assert_eq!(trimmed_mean(&[1.0, 2.0, 9.0, 4.0], 0.2), Some(4.0));
        assert_eq!(trimmed_mean(&[1.0, 2.0, 99.0, 3.0, 4.0], 0.2), Some(3.0));
        assert_eq!(trimmed_mean(&[], 0.2), None);
    }
}
