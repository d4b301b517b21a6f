//! Computes a ratio, an interval and a verdict from the times of slices.
//!
//! Each permutation gives the logarithm of a ratio. Within one start of a server, neighbouring
//! values are correlated, so they are divided into ten consecutive groups; each gives its mean
//! trimmed by a fifth on either side, and the interval comes from these ten means.

use serde::{Serialize, Serializer};

use crate::statistics::{Interval, trimmed_mean};

const GROUPS: usize = 10;
/// The least number of permutations for an interval.
pub const LEAST_PERMUTATIONS: usize = GROUPS;
/// The share that is trimmed on either side.
const TRIMMED: f64 = 0.2;

/// The verdict on a server compared with the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Faster,
    Slower,
    Same,
    CannotTell,
}

impl Verdict {
    /// The verdict in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Same => "practically the same",
            Self::CannotTell => "cannot tell",
        }
    }

    /// From the interval of a logarithm: within the margin they are the same; if it excludes
    /// equality they differ.
    fn new(interval: &Interval, margin: f64) -> Self {
        let limit = margin.ln_1p();
        if -limit <= interval.low && interval.high <= limit {
            Self::Same
        } else if interval.low > 0.0 {
            Self::Slower
        } else if interval.high < 0.0 {
            Self::Faster
        } else {
            Self::CannotTell
        }
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.words())
    }
}

/// The time of one server over that of another, with its 95 % interval and the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ratio {
    pub ratio: f64,
    pub low: f64,
    pub high: f64,
    pub verdict: Verdict,
}

impl Ratio {
    /// Half the width of the interval, as a share of the ratio.
    pub fn resolution(&self) -> f64 {
        ((self.high / self.low).ln() / 2.0).exp_m1()
    }
}

/// The ratio of the second times to the first ones, by permutation. None if fewer permutations than
/// groups have both times.
pub fn ratio(
    pairs: impl Iterator<Item = (Option<f64>, Option<f64>)>,
    margin: f64,
) -> Option<Ratio> {
    let logarithms = logarithms(pairs);
    if logarithms.len() < LEAST_PERMUTATIONS {
        return None;
    }
    let interval = Interval::of(&groups(&logarithms))?;
    let verdict = Verdict::new(&interval, margin);
    let Interval { mean, low, high } = interval.exp();
    Some(Ratio {
        ratio: mean,
        low,
        high,
        verdict,
    })
}

/// The same ratio without an interval, from any number of permutations.
pub fn center(pairs: impl Iterator<Item = (Option<f64>, Option<f64>)>) -> Option<f64> {
    let logarithms = logarithms(pairs);
    let groups = groups(&logarithms);
    (!groups.is_empty()).then(|| (groups.iter().sum::<f64>() / groups.len() as f64).exp())
}

fn logarithms(pairs: impl Iterator<Item = (Option<f64>, Option<f64>)>) -> Vec<f64> {
    pairs
        .filter_map(|(first, second)| Some((second? / first?).ln()))
        .filter(|logarithm| logarithm.is_finite())
        .collect()
}

/// The trimmed means of consecutive groups of nearly equal size.
fn groups(values: &[f64]) -> Vec<f64> {
    let edge = |group: usize| group * values.len() / GROUPS;
    (0..GROUPS)
        .filter_map(|group| trimmed_mean(&values[edge(group)..edge(group + 1)], TRIMMED))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// The second server takes `factor` times as long, and now and then something disturbs one.
    fn pairs(factor: f64, spread: f64, count: usize) -> Vec<(Option<f64>, Option<f64>)> {
        let mut random = Random::new(7);
        let mut time = |factor: f64| {
            let disturbance = if random.unit() < 0.03 { 3.0 } else { 1.0 };
            Some(factor * disturbance * (1.0 + spread * (random.unit() - 0.5)))
        };
        (0..count).map(|_| (time(1.0), time(factor))).collect()
    }

    fn verdict(factor: f64, spread: f64) -> Verdict {
        let ratio = ratio(pairs(factor, spread, 200).into_iter(), 0.05).unwrap();
        assert!(ratio.low < factor && factor < ratio.high, "{ratio:?}");
        ratio.verdict
    }

    #[test]
    fn a_verdict_is_what_the_interval_allows() {
        assert_eq!(verdict(1.3, 0.1), Verdict::Slower);
        assert_eq!(verdict(0.8, 0.1), Verdict::Faster);
        assert_eq!(verdict(1.0, 0.05), Verdict::Same);
        assert_eq!(verdict(1.04, 1.0), Verdict::CannotTell);
    }

    #[test]
    fn a_difference_inside_the_margin_is_practically_the_same() {
        let exact = (0..40).map(|_| (Some(100.0), Some(102.0)));
        let ratio = ratio(exact, 0.05).unwrap();
        assert!((ratio.ratio - 1.02).abs() < 1e-12);
        assert_eq!(ratio.verdict, Verdict::Same);
        assert!(ratio.resolution() < 1e-9);
    }

    #[test]
    fn groups_are_consecutive_and_trimmed() {
        let mut values: Vec<f64> = (0..50).map(|it| f64::from(it / 5)).collect();
        values[3] = 1e9;
        assert_eq!(groups(&values), (0..10).map(f64::from).collect::<Vec<_>>());
        assert_eq!(groups(&[1.0, 2.0, 3.0]), [1.0, 2.0, 3.0]);
    }

    #[test]
    fn permutations_without_a_time_are_left_out() {
        let mut some = pairs(1.0, 0.1, 12);
        some[0].1 = None;
        some[5].0 = None;
        assert!(ratio(some.clone().into_iter(), 0.05).is_some());
        some[7].1 = None;
        assert_eq!(ratio(some.clone().into_iter(), 0.05), None);
        assert!(center(some.into_iter()).is_some());
        assert_eq!(center([(None, None)].into_iter()), None);
    }
}
