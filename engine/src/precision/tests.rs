//! Windows of which the truth is known.

use super::*;
use crate::random::Random;
use crate::recorder::Progress;

/// The transactions between two looks have this many levels.
const LEVELS: usize = 4;

/// The figure in a window of exponential response times, some of them following one another.
fn run(of: Statistic, half_width: f64, correlation: f64, seed: u64) -> (Watch, u32) {
    let mut watch = Watch::new(Precision { of, half_width });
    let mut random = Random::new(seed);
    let progress = Progress::default();
    let mut level = 1.0;
    for look in 1..50_000 {
        for _ in 0..LEVELS {
            if random.unit() > correlation {
                level = 0.5 + random.unit();
            }
            for _ in 0..50 {
                let exponential = -random.unit().ln();
                progress.count((level * exponential * 1e6) as i64, false);
            }
        }
        if watch.look(Tally::of([&progress])) && watch.is_satisfied() {
            return (watch, look);
        }
    }
    panic!("never satisfied");
}

#[test]
fn the_truth_lies_in_the_interval_as_often_as_it_should() {
    for (of, truth) in [(Statistic::Mean, 1e6), (Statistic::Quantile(0.5), 0.6540e6)] {
        for correlation in [0.0, 0.9] {
            let hits = (0..200).filter(|seed| {
                let (watch, _) = run(of, 0.05, correlation, *seed);
                let estimate = watch.estimate().unwrap();
                let error = (estimate.value_ns / truth - 1.0).abs();
                error <= estimate.half_width_share
            });
            let hits = hits.count();
            assert!(
                hits >= 176,
                "{of:?} with correlation {correlation}: {hits} of 200"
            );
        }
    }
}

#[test]
fn correlated_values_take_longer() {
    let looks = |correlation| -> u32 {
        let runs = (0..10).map(|seed| run(Statistic::Mean, 0.03, correlation, seed).1);
        runs.sum()
    };
    assert!(looks(0.9) > 3 * looks(0.0), "{} {}", looks(0.9), looks(0.0));
}

#[test]
fn a_high_percentile_waits_for_enough_beyond_it() {
    let (watch, _) = run(Statistic::Quantile(0.99), 0.05, 0.0, 1);
    let estimate = watch.estimate().unwrap();
    assert!(
        estimate.batch_s >= 0.25,
        "1,000 transactions a batch, 200 a look"
    );
    assert!((LEAST_BATCHES..2 * LEAST_BATCHES).contains(&estimate.batches));
}

#[test]
fn a_window_without_transactions_has_no_estimate() {
    let mut watch = Watch::new(Precision {
        of: Statistic::Mean,
        half_width: 0.5,
    });
    (0..100).for_each(|_| {
        watch.look(Tally::default());
    });
    assert_eq!(watch.estimate(), None);
    assert!(!watch.is_satisfied());
}
