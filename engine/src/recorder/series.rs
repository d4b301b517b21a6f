//! The series of seconds: one histogram per second, so that those of several workers can be added.
//! Percentiles of different workers could not be.

use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer, V2Serializer};

use super::distribution::{add, empty_histogram};

const SECOND_NS: i64 = 1_000_000_000;

/// The seconds of one worker.
pub struct Series {
    service: Histogram<u64>,
    response: Histogram<u64>,
    errors: u64,
    second: u32,
    finished: Vec<Packed>,
    serializer: V2Serializer,
}

/// A finished second, with compressed histograms (a few hundred bytes).
struct Packed {
    second: u32,
    errors: u64,
    histograms: Vec<u8>,
}

/// One second of the window.
pub struct Second {
    pub second: u32,
    pub errors: u64,
    pub service: Histogram<u64>,
    pub response: Histogram<u64>,
}

impl Series {
    /// A series without transactions.
    pub fn new() -> Self {
        Self {
            service: empty_histogram(),
            response: empty_histogram(),
            errors: 0,
            second: 0,
            finished: Vec::with_capacity(1 << 12),
            serializer: V2Serializer::new(),
        }
    }

    /// Records a transaction in the second in which it ended. Ends may decrease slightly, as
    /// answers are not read in the order in which they arrived; such a transaction counts in the
    /// current second.
    #[inline]
    pub fn record(&mut self, end_ns: i64, service_ns: i64, response_ns: i64, failed: bool) {
        let second = (end_ns / SECOND_NS) as u32;
        if second > self.second {
            self.finish();
            self.second = second;
        }
        self.service.saturating_record(service_ns.max(0) as u64);
        self.response.saturating_record(response_ns.max(0) as u64);
        self.errors += u64::from(failed);
    }

    /// Compresses the current second.
    pub fn finish(&mut self) {
        if self.service.is_empty() {
            return;
        }
        let mut histograms = Vec::new();
        for histogram in [&mut self.service, &mut self.response] {
            // Serialising into memory fails only for values that these bounds exclude.
            let _ = self.serializer.serialize(histogram, &mut histograms);
            histogram.reset();
        }
        self.finished.push(Packed {
            second: self.second,
            errors: self.errors,
            histograms,
        });
        self.errors = 0;
    }
}

/// Calls a function with each second of all workers together, without gaps, and collects its
/// results.
pub fn merge<T>(workers: &[&Series], mut convert: impl FnMut(&Second) -> T) -> Vec<T> {
    // The remaining seconds of each worker, in order.
    let mut left: Vec<&[Packed]> = workers.iter().map(|it| it.finished.as_slice()).collect();
    let lasts = left.iter().filter_map(|finished| finished.last());
    let Some(last) = lasts.map(|packed| packed.second).max() else {
        return Vec::new();
    };
    let mut deserializer = Deserializer::new();
    let mut second = Second {
        second: 0,
        errors: 0,
        service: empty_histogram(),
        response: empty_histogram(),
    };
    let mut of_second = |number| {
        second.second = number;
        second.errors = 0;
        second.service.reset();
        second.response.reset();
        for finished in &mut left {
            let count = finished.partition_point(|packed| packed.second <= number);
            let (these, later) = finished.split_at(count);
            *finished = later;
            for packed in these {
                let mut bytes = packed.histograms.as_slice();
                for histogram in [&mut second.service, &mut second.response] {
                    if let Ok(part) = deserializer.deserialize::<u64, _>(&mut bytes) {
                        add(histogram, &part);
                    }
                }
                second.errors += packed.errors;
            }
        }
        convert(&second)
    };
    (0..=last).map(&mut of_second).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_of_several_workers_add_up() {
        let mut first = Series::new();
        first.record(100, 1_000, 2_000, false);
        first.record(2 * SECOND_NS, 3_000, 4_000, true);
        let mut other = Series::new();
        other.record(100, 1_000, 2_000, true);
        // A slice ends, and another one begins in the same second.
        other.finish();
        other.record(200, 1_000, 9_000, false);
        first.finish();
        other.finish();

        let seconds = merge(&[&first, &other], |it| {
            (it.second, it.service.len(), it.response.max(), it.errors)
        });
        assert_eq!(
            seconds,
            [
                (0, 3, first_bucket_of(9_000), 1),
                (1, 0, 0, 0),
                (2, 1, first_bucket_of(4_000), 1)
            ]
        );
    }

    fn first_bucket_of(value: u64) -> u64 {
        empty_histogram().highest_equivalent(value)
    }
}
