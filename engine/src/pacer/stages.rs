//! Stages, one after the other, each with a rate that is constant or changes linearly.

use std::sync::Arc;

use crate::job::Stage;

/// Due times of ascending numbers, in nanoseconds from the start. The k-th arrival is when the
/// integral of the rate over all stages reaches k, so that rounding errors do not accumulate. They
/// end with the last stage.
pub fn arrivals<Numbers: Iterator<Item = u64> + Send>(
    stages: &Arc<[Stage]>,
    numbers: Numbers,
) -> impl Iterator<Item = u64> + Send + use<Numbers> {
    let stages = Arc::clone(stages);
    let (mut index, mut begin_s, mut before) = (0, 0.0, 0.0);
    numbers.map_while(move |number| {
        loop {
            let stage = stages.get(index)?;
            let inside = number as f64 - before;
            let whole = (stage.from_per_s + stage.to_per_s) / 2.0 * stage.seconds;
            if inside < whole {
                return Some(((begin_s + time_s(stage, inside)) * 1e9).round() as u64);
            }
            (index, begin_s, before) = (index + 1, begin_s + stage.seconds, before + whole);
        }
    })
}

/// When the integral of a stage's rate reaches `reached`, in seconds, in the form that is stable
/// for any slope.
fn time_s(stage: &Stage, reached: f64) -> f64 {
    let slope = (stage.to_per_s - stage.from_per_s) / stage.seconds;
    let squared = stage.from_per_s * stage.from_per_s + 2.0 * slope * reached;
    let rates = stage.from_per_s + squared.max(0.0).sqrt();
    if rates > 0.0 {
        2.0 * reached / rates
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(stages: &[(f64, f64, f64)]) -> Vec<u64> {
        let stage = |&(from_per_s, to_per_s, seconds): &(f64, f64, f64)| Stage {
            from_per_s,
            to_per_s,
            seconds,
        };
        let stages: Arc<[Stage]> = stages.iter().map(stage).collect();
        arrivals(&stages, 0..).collect()
    }

    fn within(times: &[u64], from_s: f64, to_s: f64) -> usize {
        let range = (from_s * 1e9) as u64..(to_s * 1e9) as u64;
        times.iter().filter(|time| range.contains(time)).count()
    }

    #[test]
    fn each_stage_has_its_rate_and_the_last_one_ends() {
        let times = times(&[
            (0.0, 200.0, 2.0),
            (200.0, 200.0, 1.0),
            (0.0, 0.0, 1.0),
            (50.0, 50.0, 2.0),
        ]);
        for (from, to, expected) in [
            (0.0, 1.0, 50),
            (1.0, 2.0, 150),
            (2.0, 3.0, 200),
            (3.0, 4.0, 0),
            (4.0, 6.0, 100),
        ] {
            assert_eq!(within(&times, from, to), expected, "{from} to {to} s");
        }
        assert_eq!(times.len(), 500);
        assert!(times.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn the_rest_of_one_stage_is_due_in_the_next() {
        // Half a transaction, and another half: together one, after the first at the beginning.
        let times = times(&[(1.0, 1.0, 0.5), (1.0, 1.0, 1.0)]);
        assert_eq!(times, [0, 1_000_000_000]);
        assert!(self::times(&[(0.0, 0.0, 5.0)]).is_empty());
    }
}
