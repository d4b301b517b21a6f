//! Poisson arrivals: independent users. Interarrival times are exponential, -ln(u) / rate.

use crate::random::Random;

/// Due times in nanoseconds from the start, the same for the same seed.
pub fn arrivals(rate_per_s: f64, seed: u64) -> impl Iterator<Item = u64> + Send {
    let mut random = Random::new(seed);
    let mut time_ns = 0.0;
    std::iter::repeat_with(move || {
        time_ns -= random.unit().ln() * 1e9 / rate_per_s;
        time_ns as u64
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_spread_of_the_gaps_are_exponential() {
        let times: Vec<u64> = arrivals(1_000.0, 42).take(200_000).collect();
        let gaps: Vec<f64> = times
            .windows(2)
            .map(|pair| (pair[1] - pair[0]) as f64)
            .collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        let above_mean = gaps.iter().filter(|&&gap| gap > mean).count() as f64;
        assert!((mean / 1e6 - 1.0).abs() < 0.01, "{mean}");
        assert!((variance.sqrt() / mean - 1.0).abs() < 0.01);
        assert!((above_mean / gaps.len() as f64 - (-1.0f64).exp()).abs() < 0.005);
    }

    #[test]
    fn the_seed_fixes_the_schedule() {
        let first: Vec<u64> = arrivals(50.0, 1).take(10).collect();
        assert_eq!(first, arrivals(50.0, 1).take(10).collect::<Vec<_>>());
        assert_ne!(first, arrivals(50.0, 2).take(10).collect::<Vec<_>>());
    }
}
