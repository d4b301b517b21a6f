//! The CPU time of a target's roles outside its slices: garbage collection, timers and the like.

use std::collections::BTreeMap;

use crate::counters::{Counters, CpuTimes, since};

/// The least time outside of slices for a share: the CPU time of ended processes has a resolution
/// of 10 ms.
const LEAST_NS: u64 = 50_000_000;

/// Measures from before the first slice of the job to after its last one.
pub struct IdleWatch {
    began: Option<(u64, Vec<CpuTimes>)>,
    ended: Option<(u64, Vec<CpuTimes>)>,
    /// For each target, the CPU time in its own slices and their length in nanoseconds.
    busy: Vec<(CpuTimes, u64)>,
}

impl IdleWatch {
    /// Begins with the first slice.
    pub fn new(counters: &[Counters]) -> Self {
        let none = |counters: &Counters| (counters.names().map(|_| Some(0.0)).collect(), 0);
        Self {
            began: None,
            ended: None,
            busy: counters.iter().map(none).collect(),
        }
    }

    /// Reads the counters before the first slice.
    pub fn begin(&mut self, counters: &[Counters], now: u64) {
        if self.began.is_none() {
            self.began = Some((now, counters.iter().map(Counters::read).collect()));
        }
    }

    /// Adds a slice of a target: the CPU time of its roles and its length.
    pub fn had_turn(&mut self, target: usize, used: &CpuTimes, duration_ns: u64) {
        if self.began.is_none() {
            return;
        }
        let (sums, time) = &mut self.busy[target];
        *time += duration_ns;
        for (sum, used) in sums.iter_mut().zip(used) {
            *sum = sum.zip(*used).map(|(sum, used)| sum + used);
        }
    }

    /// Reads the counters after the last slice.
    pub fn end(&mut self, counters: &[Counters], now: u64) {
        self.ended = Some((now, counters.iter().map(Counters::read).collect()));
    }

    /// The share of one CPU that each role used outside its target's slices, by the role's name.
    pub fn shares(&self, counters: &[Counters]) -> Vec<BTreeMap<String, Option<f64>>> {
        let targets = counters.iter().enumerate();
        targets
            .map(|(target, counters)| {
                let shares = self.shares_of(target);
                let names = counters.names().map(String::from);
                names
                    .zip(shares.into_iter().chain(std::iter::repeat(None)))
                    .collect()
            })
            .collect()
    }

    fn shares_of(&self, target: usize) -> CpuTimes {
        let (Some((began, before)), Some((ended, after))) = (&self.began, &self.ended) else {
            return Vec::new();
        };
        let (busy, busy_ns) = &self.busy[target];
        let idle_ns = (ended - began).saturating_sub(*busy_ns);
        if idle_ns < LEAST_NS {
            return Vec::new();
        }
        let used = since(&before[target], &after[target]);
        let idle_us = used.iter().zip(busy);
        idle_us
            .map(|(used, busy)| Some((*used)? - (*busy)?))
            .map(|idle_us| idle_us.map(|us| us.max(0.0) * 1e3 / idle_ns as f64))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Counted, Role};

    const S: u64 = 1_000_000_000;

    fn watch() -> (IdleWatch, Vec<Counters>) {
        let role = |name: &str| Role {
            name: name.into(),
            counted: Counted::Tree { root: 1 },
        };
        let counters = vec![
            Counters::of(&[role("contender"), role("proxy")]),
            Counters::of(&[]),
        ];
        let mut watch = IdleWatch::new(&counters);
        watch.began = Some((S, vec![vec![Some(1e6), Some(5e6)], vec![]]));
        watch.ended = Some((11 * S, vec![vec![Some(3e6), None], vec![]]));
        (watch, counters)
    }

    #[test]
    fn idle_use_is_that_outside_its_own_slices() {
        let (mut watch, counters) = watch();
        watch.had_turn(0, &vec![Some(1e6), Some(0.0)], S);
        watch.had_turn(0, &vec![Some(0.92e6), Some(0.0)], S);
        watch.had_turn(1, &vec![], 8 * S);
        let shares = watch.shares(&counters);
        let contender = shares[0]["contender"].unwrap();
        // 80 ms of CPU time in 8 s.
        assert!((contender - 0.01).abs() < 1e-9, "{contender}");
        assert_eq!(shares[0]["proxy"], None, "it has gone");
        assert!(shares[1].is_empty());
    }

    #[test]
    fn without_time_outside_of_slices_idle_use_is_unknown() {
        let (mut watch, counters) = watch();
        watch.had_turn(0, &vec![Some(1e6), Some(0.0)], 10 * S);
        assert_eq!(watch.shares(&counters)[0]["contender"], None);
        let never = IdleWatch::new(&counters);
        assert_eq!(never.shares(&counters)[0]["contender"], None);
    }
}
