//! What happened second by second: one histogram a second, so that the seconds of several
//! workers can be added up. Percentiles of different workers could not be.

use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer, V2Serializer};

use super::distribution::empty_histogram;

const SECOND_NS: i64 = 1_000_000_000;

pub struct Series {
    service: Histogram<u64>,
    response: Histogram<u64>,
    errors: u64,
    second: u32,
    finished: Vec<Packed>,
    serializer: V2Serializer,
}

/// A finished second, its histograms in their compact form (a few hundred bytes).
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

    /// Records a transaction in the second in which it ended. Ends may go back a little in time,
    /// as answers are not read in the order in which they arrived: then it is a second later.
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

    /// Puts the current second away.
    pub fn finish(&mut self) {
        if self.service.is_empty() {
            return;
        }
        let mut histograms = Vec::new();
        for histogram in [&mut self.service, &mut self.response] {
            // Writing into memory fails only for values that these bounds exclude.
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

/// The seconds of all workers together, without gaps.
pub fn merge(workers: &[&Series]) -> Vec<Second> {
    let finished = || workers.iter().flat_map(|series| &series.finished);
    let Some(last) = finished().map(|packed| packed.second).max() else {
        return Vec::new();
    };
    let empty = |second| Second {
        second,
        errors: 0,
        service: empty_histogram(),
        response: empty_histogram(),
    };
    let mut seconds: Vec<Second> = Vec::new();
    let mut deserializer = Deserializer::new();
    for number in 0..=last {
        let mut second = empty(number);
        for packed in finished().filter(|packed| packed.second == number) {
            let mut bytes = packed.histograms.as_slice();
            for histogram in [&mut second.service, &mut second.response] {
                if let Ok(part) = deserializer.deserialize::<u64, _>(&mut bytes) {
                    // Both have the same bounds, for which adding cannot fail.
                    let _ = histogram.add(&part);
                }
            }
            second.errors += packed.errors;
        }
        seconds.push(second);
    }
    seconds
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
        other.record(200, 1_000, 9_000, false);
        first.finish();
        other.finish();

        let seconds = merge(&[&first, &other]);
        let counts: Vec<_> = seconds
            .iter()
            .map(|it| (it.second, it.service.len()))
            .collect();
        assert_eq!(counts, [(0, 2), (1, 0), (2, 1)]);
        assert_eq!(seconds[0].response.max(), first_bucket_of(9_000));
        assert_eq!(seconds[2].errors, 1);
    }

    fn first_bucket_of(value: u64) -> u64 {
        empty_histogram().highest_equivalent(value)
    }
}
