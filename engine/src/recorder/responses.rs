//! The response times of one slice: exact up to a limit, if it is one of several.

use crate::histogram::{FINE, Histogram};
use crate::statistics;

/// The number of exact response times; further ones have three significant digits.
const MOST: usize = 1 << 20;

/// Response times in nanoseconds.
pub struct Responses {
    /// Whether there is only one slice, for which three digits are enough.
    is_whole: bool,
    first: Vec<u64>,
    beyond: Histogram<FINE>,
}

impl Default for Responses {
    /// With memory for all exact ones; pages that are never used take none.
    fn default() -> Self {
        Self {
            is_whole: false,
            first: Vec::with_capacity(MOST),
            beyond: Histogram::new(),
        }
    }
}

impl Responses {
    /// Adds a response time.
    #[inline]
    pub fn push(&mut self, response_ns: u64) {
        if self.first.len() < MOST && !self.is_whole {
            self.first.push(response_ns);
        } else {
            self.beyond.record(response_ns);
        }
    }

    /// Adds those of another worker.
    pub fn join(&mut self, other: &Self) {
        self.first.extend_from_slice(&other.first);
        self.beyond.add(&other.beyond);
    }

    /// Quantiles as in `statistics::quantiles`, in nanoseconds.
    pub fn quantiles<const N: usize>(&mut self, shares: [f64; N]) -> Option<[u64; N]> {
        if self.beyond.is_empty() {
            return statistics::quantiles(&mut self.first, shares);
        }
        for response_ns in self.first.drain(..) {
            self.beyond.record(response_ns);
        }
        Some(shares.map(|share| self.beyond.quantile_ns(share)))
    }

    /// The number of response times up to a limit; inexact ones are compared by their three digits.
    pub fn within(&self, limit_ns: u64) -> u64 {
        let first = self.first.iter().filter(|&&it| it <= limit_ns).count() as u64;
        first + self.beyond.within(limit_ns)
    }

    /// Removes all, and keeps the memory; for the only slice, if `is_whole`.
    pub fn clear(&mut self, is_whole: bool) {
        self.is_whole = is_whole;
        self.first.clear();
        self.beyond.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(count: u64, step: u64) -> Responses {
        let mut responses = Responses::default();
        (1..=count).for_each(|number| responses.push(number * step));
        responses
    }

    #[test]
    fn responses_of_several_workers_are_merged_exactly() {
        let (mut odd, even) = (Responses::default(), filled(50, 2));
        (0..50).for_each(|number| odd.push(2 * number + 1));
        odd.join(&even);
        assert_eq!(odd.quantiles([0.5, 0.9, 0.99]), Some([50, 90, 99]));
        assert_eq!(
            [0, 1, 50, 100].map(|limit| odd.within(limit)),
            [0, 1, 50, 100]
        );
        odd.clear(false);
        assert_eq!(odd.quantiles([0.5]), None);
    }

    #[test]
    fn many_responses_are_exact_within_a_thousandth() {
        let count = 3 * MOST as u64;
        let mut responses = filled(count, 10);
        let [median, last] = responses.quantiles([0.5, 0.99]).unwrap();
        for (found, share) in [(median, 0.5), (last, 0.99)] {
            let exact = share * (10 * count) as f64;
            assert!((found as f64 / exact - 1.0).abs() < 0.001, "{found}");
        }
        let within = responses.within(5 * count) as f64;
        assert!(
            (within / (0.5 * count as f64) - 1.0).abs() < 0.002,
            "{within}"
        );
        responses.clear(true);
        assert_eq!(responses.quantiles([0.5]), None);
        responses.push(1_234_567);
        assert!(responses.first.is_empty() && responses.within(1_300_000) == 1);
    }
}
