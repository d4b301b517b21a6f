//! A constant rate: t_k = k / rate.

/// When the transaction of a number is due, in nanoseconds from the start. Computed from its number,
/// so that rounding errors do not accumulate.
pub fn due(rate_per_s: f64, number: u64) -> u64 {
    (number as f64 * 1e9 / rate_per_s).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_exact_after_ten_million_requests() {
        let times = [0, 3_000_000, 6_000_000, 9_000_000].map(|number| due(30_000.0, number));
        assert_eq!(
            times,
            [0, 100_000_000_000, 200_000_000_000, 300_000_000_000]
        );
    }

    #[test]
    fn gaps_differ_by_rounding_alone() {
        let times: Vec<u64> = (0..1_000).map(|number| due(7_000.0, number)).collect();
        assert!(
            times
                .windows(2)
                .all(|pair| (142_857..=142_858).contains(&(pair[1] - pair[0])))
        );
    }
}
