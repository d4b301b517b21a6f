//! Exact quantiles.

/// The quantiles of `values` for each of `shares`: the smallest value that is not less than that
/// share of all (the inverted distribution function). It reorders the values. None without values.
pub fn quantiles<const N: usize>(values: &mut [u64], shares: [f64; N]) -> Option<[u64; N]> {
    if values.is_empty() {
        return None;
    }
    let count = values.len();
    Some(shares.map(|share| {
        let rank = (share * count as f64).ceil() as usize;
        let (_, value, _) = values.select_nth_unstable(rank.clamp(1, count) - 1);
        *value
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn quantiles_are_values_that_occurred() {
        let mut values: Vec<u64> = (1..=100).collect();
        Random::new(5).shuffle(&mut values);
        let found = quantiles(&mut values, [0.5, 0.9, 0.99, 1.0, 0.0]);
        assert_eq!(found, Some([50, 90, 99, 100, 1]));
        assert_eq!(quantiles(&mut [7, 3], [0.5, 0.51]), Some([3, 7]));
        assert_eq!(quantiles(&mut [], [0.5]), None);
    }
}
