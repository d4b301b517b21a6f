//! The record of one slice by one worker. It is filled without allocation; statistics are computed
//! when the slice has ended.

use super::responses::Responses;
use super::sample::Sample;
use crate::failure::Failure;
use crate::histogram::Gaps;

/// A transaction that starts more than this after its intended time counts as late.
const LATE_NS: i64 = 1_000_000;

/// The number of transactions by class of failure; the first is that of successful ones.
pub type Errors = [u64; Failure::ALL.len() + 1];

/// The record of one slice by one worker.
#[derive(Default)]
pub struct SliceRecord {
    pub counts: Counts,
    /// The response times of transactions that succeeded.
    pub responses: Responses,
    /// The times from the intended start to the first item of a stream, of those that succeeded.
    pub first_items: Responses,
    pub gaps: Gaps,
}

/// Sums over the transactions of a slice, or of several.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub transactions: u64,
    pub errors: Errors,
    /// The status of the first failed transaction that had one; 0 if none had.
    pub first_failed_status: u16,
    pub late: u64,
    /// Bytes on the socket, without TLS.
    pub bytes_sent: u64,
    pub bytes_received: u64,
    /// The latest end, in nanoseconds from the start of the recorded part.
    pub last_end_ns: i64,
    /// The sum of the response times of those that succeeded.
    pub response_ns: u64,
    pub min_ns: Option<u64>,
    pub max_ns: u64,
    /// The sum of the times from the actual start to the first byte, over successful transactions
    /// that received one.
    pub first_byte_ns: u64,
    /// The number of these.
    pub first_bytes: u64,
}

impl SliceRecord {
    /// Removes all, and keeps the memory; for the only slice, if `is_whole`.
    pub fn clear(&mut self, is_whole: bool) {
        self.counts = Counts::default();
        self.responses.clear(is_whole);
        self.first_items.clear(is_whole);
        self.gaps.clear();
    }

    /// Records a transaction, except for the counts of transactions and errors, which are counted
    /// at once.
    #[inline]
    pub fn record(&mut self, sample: &Sample) {
        let counts = &mut self.counts;
        counts.late += u64::from(sample.start_ns - sample.intended_ns > LATE_NS);
        counts.bytes_sent += u64::from(sample.bytes_sent);
        counts.bytes_received += u64::from(sample.bytes_received);
        counts.last_end_ns = counts.last_end_ns.max(sample.end_ns);
        if sample.failure != 0 {
            if counts.first_failed_status == 0 {
                counts.first_failed_status = sample.status;
            }
            return;
        }
        let response_ns = sample.response_ns().max(0) as u64;
        counts.response_ns += response_ns;
        counts.min_ns = Some(counts.min_ns.map_or(response_ns, |it| it.min(response_ns)));
        counts.max_ns = counts.max_ns.max(response_ns);
        if sample.first_byte_ns >= sample.start_ns {
            counts.first_byte_ns += (sample.first_byte_ns - sample.start_ns) as u64;
            counts.first_bytes += 1;
        }
        self.responses.push(response_ns);
        if sample.items > 0 {
            let first_ns = sample.first_item_ns - sample.intended_ns;
            self.first_items.push(first_ns.max(0) as u64);
        }
    }
}

impl Counts {
    /// Adds the counts of another worker or slice.
    pub fn add(&mut self, other: &Self) {
        self.transactions += other.transactions;
        for (sum, count) in self.errors.iter_mut().zip(other.errors) {
            *sum += count;
        }
        if self.first_failed_status == 0 {
            self.first_failed_status = other.first_failed_status;
        }
        self.late += other.late;
        self.bytes_sent += other.bytes_sent;
        self.bytes_received += other.bytes_received;
        self.last_end_ns = self.last_end_ns.max(other.last_end_ns);
        self.response_ns += other.response_ns;
        self.min_ns = [self.min_ns, other.min_ns].into_iter().flatten().min();
        self.max_ns = self.max_ns.max(other.max_ns);
        self.first_byte_ns += other.first_byte_ns;
        self.first_bytes += other.first_bytes;
    }

    /// The number of successful transactions.
    pub fn succeeded(&self) -> u64 {
        self.errors[0]
    }

    /// The number of failed transactions.
    pub fn failed(&self) -> u64 {
        self.errors[1..].iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(samples: &[Sample]) -> Counts {
        let mut record = SliceRecord::default();
        samples.iter().for_each(|sample| record.record(sample));
        record.counts
    }

    #[test]
    fn the_first_status_of_a_failure_is_kept_over_all_workers() {
        let answer = |status, failure| Sample {
            status,
            failure,
            ..Sample::default()
        };

        let mut sum = counts(&[answer(200, 0), answer(0, 3)]);
        assert_eq!(
            sum.first_failed_status, 0,
            "no reply came, so it has no status"
        );
        sum.add(&counts(&[answer(503, 1), answer(500, 1)]));
        sum.add(&counts(&[answer(404, 1)]));

        assert_eq!(sum.first_failed_status, 503);
    }
}
