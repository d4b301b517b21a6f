//! The counters of one direction.

use serde::Serialize;

/// The buckets per doubling: lateness is exact within 12.5 %.
const STEPS: usize = 8;

/// The packets of one direction, by their outcome.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Counters {
    /// Packets that were offered to the link.
    pub packets: u64,
    pub bytes: u64,
    pub delivered_packets: u64,
    pub delivered_bytes: u64,
    pub dropped_by_queue: u64,
    pub lost: u64,
    /// Packets dropped because the emulator held the most packets that it may, which is not an
    /// effect of the link.
    pub overrun: u64,
    /// Packets dropped by the kernel, because the emulator did not read the device in time.
    pub dropped_by_device: u64,
    /// Packets that the kernel at the other end did not accept.
    pub refused: u64,
    pub queue_high_water_bytes: u64,
    pub held_high_water_packets: usize,
    /// How much later than due packets were delivered.
    pub lateness_us: Lateness,
    #[serde(skip)]
    pub late: Histogram,
}

/// The lateness of packets, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Lateness {
    pub p50: f64,
    pub p99: f64,
    pub max: f64,
}

/// A histogram of times in nanoseconds, with buckets whose width grows with the time.
#[derive(Clone, Debug)]
pub struct Histogram {
    counts: Vec<u64>,
    most: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self {
            counts: vec![0; 64 * STEPS],
            most: 0,
        }
    }
}

impl Histogram {
    /// Adds a time.
    pub fn record(&mut self, ns: u64) {
        self.counts[bucket(ns)] += 1;
        self.most = self.most.max(ns);
    }

    /// The percentiles and the maximum.
    pub fn lateness(&self) -> Lateness {
        Lateness {
            p50: self.percentile_us(0.5),
            p99: self.percentile_us(0.99),
            max: self.most as f64 / 1e3,
        }
    }

    /// The upper bound of the bucket with the percentile.
    fn percentile_us(&self, share: f64) -> f64 {
        let total: u64 = self.counts.iter().sum();
        let wanted = (share * total as f64).ceil() as u64;
        let mut seen = 0;
        for (index, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= wanted && seen > 0 {
                return upper_edge(index).min(self.most) as f64 / 1e3;
            }
        }
        0.0
    }
}

fn bucket(ns: u64) -> usize {
    if ns < STEPS as u64 {
        return ns as usize;
    }
    let doublings = ns.ilog2() as usize;
    let within = (ns >> (doublings - 3)) as usize - STEPS;
    (doublings - 2) * STEPS + within
}

fn upper_edge(index: usize) -> u64 {
    if index < STEPS {
        return index as u64;
    }
    let doublings = index / STEPS + 2;
    let next = (index % STEPS + STEPS + 1) as u128;
    u64::try_from((next << (doublings - 3)) - 1).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_is_in_a_bucket_at_most_an_eighth_of_it_wide() {
        for ns in (0..5000).chain([123_456, 1 << 40, u64::MAX]) {
            let edge = upper_edge(bucket(ns));
            assert!(
                edge >= ns && edge as f64 <= ns as f64 * 1.125,
                "{ns} {edge}"
            );
        }
    }

    #[test]
    fn percentiles_are_those_of_recorded_values() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.lateness(), Lateness::default());
        for ns in 1..=1000 {
            histogram.record(ns * 1000);
        }
        let found = histogram.lateness();

        assert!((500.0..=562.5).contains(&found.p50), "{found:?}");
        assert!((990.0..=1000.0).contains(&found.p99), "{found:?}");
        assert!((found.max - 1000.0).abs() < f64::EPSILON);
    }
}
