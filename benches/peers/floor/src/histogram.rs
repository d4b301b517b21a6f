//! Latencies counted in an array, one place for every microsecond.

const PLACES: usize = 1 << 17;

pub struct Histogram {
    counts: Vec<u32>,
    sum_ns: u64,
    count: u64,
}

impl Histogram {
    pub fn new() -> Self {
        Self {
            counts: vec![0; PLACES],
            sum_ns: 0,
            count: 0,
        }
    }

    /// Counts a latency; what lies beyond the last place (131 ms) counts there.
    pub fn record(&mut self, latency_ns: u64) {
        let place = (latency_ns / 1000) as usize;
        self.counts[place.min(PLACES - 1)] += 1;
        self.sum_ns += latency_ns;
        self.count += 1;
    }

    pub fn count(&self) -> u64 {
        self.count
    }

    pub fn mean_us(&self) -> f64 {
        self.sum_ns as f64 / 1000.0 / self.count.max(1) as f64
    }

    /// The latency at or below which this share of the requests fell.
    pub fn quantile_us(&self, share: f64) -> usize {
        let wanted = (share * self.count as f64).ceil() as u64;
        let mut seen = 0;
        let reached = |&count: &u32| {
            seen += u64::from(count);
            seen >= wanted
        };
        self.counts.iter().position(reached).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_sorted_latencies() {
        let mut histogram = Histogram::new();
        for latency_us in 1..=100 {
            histogram.record(latency_us * 1000);
        }
        assert_eq!(histogram.count(), 100);
        assert_eq!(histogram.mean_us(), 50.5);
        assert_eq!(histogram.quantile_us(0.5), 50);
        assert_eq!(histogram.quantile_us(0.99), 99);
        histogram.record(u64::MAX / 2);
        assert_eq!(histogram.quantile_us(1.0), PLACES - 1);
    }
}
