//! The result of one slice: an event, and a row of the result file.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{microseconds, named};
use crate::counters::Reading;
use crate::job::Slice;
use crate::objective::{Due, Judged, Lost, Objective};
use crate::recorder::{Counts, SliceRecord};
use crate::worker::Measured;

/// The measurements of a slice by all workers of its target.
pub struct Carried {
    /// When load began.
    pub begin: u64,
    /// When the recorded part began.
    pub start: u64,
    /// Each worker's number and measurement.
    pub measured: Vec<(usize, Measured)>,
}

impl Carried {
    /// The counts of all workers together.
    pub fn counts(&self) -> Counts {
        let mut sum = Counts::default();
        for worker in self.workers() {
            sum.add(&worker.record.counts);
        }
        sum
    }

    /// Exact quantiles of the response times of successful transactions, in nanoseconds. The
    /// response times are merged into the record of the first worker.
    pub fn quantiles<const N: usize>(&mut self, shares: [f64; N]) -> Option<[u64; N]> {
        let ((_, first), others) = self.measured.split_first_mut()?;
        for (_, other) in others {
            first.record.responses.join(&other.record.responses);
            other.record.responses.clear(false);
        }
        first.record.responses.quantiles(shares)
    }

    /// The figures of streams; none if there were no items.
    fn items(&mut self) -> Option<SliceItems> {
        let ((_, first), others) = self.measured.split_first_mut()?;
        for (_, other) in others {
            let (sum, other) = (&mut first.record, &mut other.record);
            sum.first_items.join(&other.first_items);
            sum.gaps.add(&other.gaps);
        }
        let firsts = first.record.first_items.quantiles([0.5, 0.99]);
        let gaps = &first.record.gaps;
        let has_gaps = gaps.times.moments.count() > 0;
        let gap = |share| has_gaps.then(|| microseconds(gaps.times.quantile_ns(share)));
        (firsts.is_some() || has_gaps).then(|| SliceItems {
            first_median_us: firsts.map(|[median, _]| microseconds(median)),
            first_p99_us: firsts.map(|[_, p99]| microseconds(p99)),
            gap_median_us: gap(0.5),
            gap_p99_us: gap(0.99),
            stalls: gaps.stalls,
        })
    }

    /// The transactions that were due, by their outcome for an objective.
    fn due(&self, objective: &Objective) -> Due {
        let counts = self.counts();
        let all = counts.transactions + self.sum(|it| it.never_sent + it.dropped);
        let sum = |of: &dyn Fn(&SliceRecord) -> u64| self.sum(|it| of(&it.record));
        let met = objective
            .criteria
            .iter()
            .map(|criterion| match criterion.lost {
                Lost::Failed => (counts.succeeded(), all),
                Lost::Late(limit_ns) => (sum(&|it| it.responses.within(limit_ns)), all),
                Lost::LateFirst(limit_ns) => (sum(&|it| it.first_items.within(limit_ns)), all),
                Lost::LongGap(limit_ns) => {
                    let gaps = |it: &SliceRecord| it.gaps.times.moments.count();
                    let short = |it: &SliceRecord| it.gaps.times.histogram.within(limit_ns);
                    (sum(&short), sum(&gaps))
                }
            });
        Due {
            all,
            succeeded: counts.succeeded(),
            met: met.collect(),
        }
    }

    /// When the stop rule ended it.
    pub fn stopped_at(&self) -> u64 {
        let stopped = self.workers().map(|it| it.stopped_at).max();
        stopped.unwrap_or(self.start)
    }

    /// When its last transaction had ended.
    pub fn drained_at(&self) -> u64 {
        let drained = self.workers().map(|it| it.drained_at).max();
        drained.unwrap_or(self.start).max(self.start)
    }

    /// The end of the recorded part: of its last transaction, or by the stop rule.
    pub fn ended_at(&self, last_end_ns: i64) -> u64 {
        let last_end = self.start.saturating_add_signed(last_end_ns);
        last_end.max(self.stopped_at()).max(self.start)
    }

    /// The sum over all workers.
    pub fn sum(&self, of: impl Fn(&Measured) -> u64) -> u64 {
        self.workers().map(of).sum()
    }

    /// The number of positions of the list that have been used. Workers that stop by time use
    /// different numbers of positions, each its own.
    pub fn positions(&self) -> u64 {
        let taken = self
            .workers()
            .map(|it| it.record.counts.transactions + it.dropped);
        taken.max().unwrap_or(0) * self.measured.len() as u64
    }

    /// The transactions that count, as a share of all since load began.
    pub fn share_counted(&self) -> f64 {
        let counted = self.sum(|it| it.record.counts.transactions + it.dropped) as f64;
        let all = counted + self.sum(|it| it.unrecorded) as f64;
        if all > 0.0 { counted / all } else { 0.0 }
    }

    /// The measurements of the workers.
    pub fn workers(&self) -> impl Iterator<Item = &Measured> {
        self.measured.iter().map(|(_, measured)| measured)
    }
}

impl Counts {
    /// The mean response time of successful transactions, in microseconds; none without any.
    pub fn mean_us(&self) -> Option<f64> {
        let count = self.succeeded();
        (count > 0).then(|| self.response_ns as f64 / count as f64 / 1e3)
    }
}

/// The items of the streams of a slice.
#[derive(Clone, Debug, Serialize)]
pub struct SliceItems {
    /// From the intended start to the first item, of streams that succeeded.
    pub first_median_us: Option<f64>,
    pub first_p99_us: Option<f64>,
    /// Between consecutive items.
    pub gap_median_us: Option<f64>,
    pub gap_p99_us: Option<f64>,
    pub stalls: u64,
}

/// The result of one slice.
#[derive(Clone, Debug, Serialize)]
pub struct SliceRow {
    pub number: u32,
    pub target: usize,
    pub recorded: bool,
    pub first: u64,
    pub started_ns: u64,
    pub ended_ns: u64,
    pub guard_ns: u64,
    pub drain_ns: u64,
    pub transactions: u64,
    pub failed: u64,
    pub errors: BTreeMap<&'static str, u64>,
    pub late: u64,
    pub never_sent: u64,
    pub dropped: u64,
    pub mean_us: Option<f64>,
    pub median_us: Option<f64>,
    pub p90_us: Option<f64>,
    pub p99_us: Option<f64>,
    pub min_us: Option<f64>,
    pub max_us: Option<f64>,
    pub first_byte_mean_us: Option<f64>,
    pub bytes_sent: u64,
    pub bytes_received: u64,
    pub engine_cpu_us: f64,
    pub cpu_us: BTreeMap<String, Option<f64>>,
    pub share_recorded: f64,
    pub clock_gap_us: f64,
    pub steal_us: Vec<f64>,
    /// The items of streams, if there were any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<SliceItems>,
    /// The judgement by the objective of the slice, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judged: Option<Judged>,
}

impl SliceRow {
    /// The row of a slice, from its measurements and the counters before and after it.
    pub fn new(
        number: u32,
        slice: &Slice,
        first: u64,
        carried: &mut Carried,
        roles: Vec<(String, Option<f64>)>,
        before: &Reading,
        after: &Reading,
    ) -> Self {
        let counts = carried.counts();
        let judged = slice
            .objective
            .as_ref()
            .map(|it| it.judge(&carried.due(it)));
        let percentiles = carried.quantiles([0.5, 0.9, 0.99]);
        let percentile = |index: usize| percentiles.map(|all| microseconds(all[index]));
        let stolen = before.steal_us.iter().zip(&after.steal_us);
        Self {
            number,
            target: slice.target,
            recorded: slice.recorded,
            first,
            started_ns: carried.start,
            ended_ns: carried.ended_at(counts.last_end_ns),
            guard_ns: carried.start - carried.begin,
            drain_ns: carried.drained_at().saturating_sub(carried.stopped_at()),
            transactions: counts.transactions,
            failed: counts.failed(),
            errors: named(&counts.errors),
            late: counts.late,
            never_sent: carried.sum(|it| it.never_sent),
            dropped: carried.sum(|it| it.dropped),
            mean_us: counts.mean_us(),
            median_us: percentile(0),
            p90_us: percentile(1),
            p99_us: percentile(2),
            min_us: counts.min_ns.map(microseconds),
            max_us: counts.min_ns.map(|_| microseconds(counts.max_ns)),
            first_byte_mean_us: (counts.first_bytes > 0)
                .then(|| counts.first_byte_ns as f64 / counts.first_bytes as f64 / 1e3),
            bytes_sent: counts.bytes_sent,
            bytes_received: counts.bytes_received,
            engine_cpu_us: carried.sum(|it| it.cpu.total_us()) as f64,
            cpu_us: roles.into_iter().collect(),
            share_recorded: carried.share_counted(),
            clock_gap_us: microseconds(carried.sum(|it| it.clock_gap_ns)),
            steal_us: stolen.map(|(before, after)| after - before).collect(),
            items: carried.items(),
            judged,
        }
    }
}
