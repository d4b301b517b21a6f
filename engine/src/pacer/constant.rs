//! A constant rate: t_k = k / rate.

/// Due times in nanoseconds from the start. Each is computed from its number, so that rounding
/// errors do not accumulate.
pub fn arrivals(rate_per_s: f64) -> impl Iterator<Item = u64> + Send {
    (0u64..).map(move |number| (number as f64 * 1e9 / rate_per_s).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_exact_after_ten_million_requests() {
        let times: Vec<u64> = arrivals(30_000.0).step_by(3_000_000).take(4).collect();
        assert_eq!(
            times,
            [0, 100_000_000_000, 200_000_000_000, 300_000_000_000]
        );
    }

    #[test]
    fn gaps_differ_by_rounding_alone() {
        let times: Vec<u64> = arrivals(7_000.0).take(1_000).collect();
        assert!(
            times
                .windows(2)
                .all(|pair| (142_857..=142_858).contains(&(pair[1] - pair[0])))
        );
    }
}
