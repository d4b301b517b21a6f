//! The sums of the measurements of all workers of a target.

use std::collections::BTreeMap;

use crate::arrival::Stamped;
use crate::flow::Payload;
use crate::histogram::Gaps;
use crate::pacer::ClientTime;
use crate::pool::{Lifetime, Traffic};
use crate::precision::Watch;
use crate::recorder::{Counts, Distribution, Operation, STATUSES, Seconds};
use crate::system::process::CpuTime;
use crate::tls::Handshakes;
use crate::worker::Outcome;

use super::{Carried, SliceRow};

/// Sums over all workers and all recorded slices; complete with the outcomes of the workers.
pub struct Total {
    pub slices: u32,
    pub counts: Counts,
    /// The start of the first recorded slice.
    pub started: Option<u64>,
    /// The end of the last recorded slice.
    pub ended: u64,
    pub duration_ns: u64,
    /// The time of the workers, from the start of the guards to the end of the drains.
    pub worker_ns: u64,
    pub cpu: CpuTime,
    /// All transactions, including those that do not count.
    pub all: u64,
    pub dropped: u64,
    pub never_sent: u64,
    pub client_time: ClientTime,
    pub stamped: Stamped,
    pub traffic: Traffic,
    pub payload: Payload,
    /// The watch of the last slice, if it was to stop at a precision.
    pub precision: Option<Watch>,
    pub response: Distribution,
    pub service: Distribution,
    pub first_byte: Distribution,
    pub lag: Distribution,
    pub connect: Distribution,
    pub tls: Distribution,
    pub handshakes: Handshakes,
    /// The connections that could not be opened, by class of failure.
    pub absences: BTreeMap<&'static str, u64>,
    /// The connections that broke their protocol when no request was under way, by how.
    pub violations: BTreeMap<&'static str, u64>,
    pub first_item: Distribution,
    pub last_item: Distribution,
    pub gaps: Gaps,
    pub items: u64,
    pub items_sent: u64,
    /// The number of replies with each status.
    pub statuses: Vec<u64>,
    /// In the order of the target's catalogue; empty if there is only one operation.
    pub operations: Vec<Operation>,
    pub lifetime: Lifetime,
}

impl Default for Total {
    fn default() -> Self {
        Self {
            slices: 0,
            counts: Counts::default(),
            started: None,
            ended: 0,
            duration_ns: 0,
            worker_ns: 0,
            cpu: CpuTime::default(),
            all: 0,
            dropped: 0,
            never_sent: 0,
            client_time: ClientTime::default(),
            stamped: Stamped::default(),
            traffic: Traffic::default(),
            payload: Payload::default(),
            precision: None,
            response: Distribution::default(),
            service: Distribution::default(),
            first_byte: Distribution::default(),
            lag: Distribution::default(),
            connect: Distribution::default(),
            tls: Distribution::default(),
            handshakes: Handshakes::default(),
            absences: BTreeMap::new(),
            violations: BTreeMap::new(),
            first_item: Distribution::default(),
            last_item: Distribution::default(),
            gaps: Gaps::default(),
            items: 0,
            items_sent: 0,
            statuses: vec![0; STATUSES],
            operations: Vec::new(),
            lifetime: Lifetime::default(),
        }
    }
}

impl Total {
    /// Adds a recorded slice.
    pub fn add_slice(&mut self, carried: &Carried, row: &SliceRow, precision: Option<Watch>) {
        self.slices += 1;
        self.started.get_or_insert(row.started_ns);
        self.ended = row.ended_ns;
        self.duration_ns += row.ended_ns - row.started_ns;
        self.precision = precision;
        // Bytes on the sockets include those of transactions that do not count.
        let share = carried.share_counted();
        let counted = |bytes: u64| (bytes as f64 * share).round() as u64;
        for worker in carried.workers() {
            self.counts.add(&worker.record.counts);
            self.worker_ns += worker.drained_at.saturating_sub(carried.begin);
            self.cpu = self.cpu.plus(worker.cpu);
            self.all += worker.record.counts.transactions + worker.unrecorded;
            self.dropped += worker.dropped;
            self.never_sent += worker.never_sent;
            self.client_time.add(&worker.client_time);
            self.stamped.usable += worker.stamped.usable;
            self.stamped.readings += worker.stamped.readings;
            self.traffic.sent += counted(worker.traffic.sent);
            self.traffic.received += counted(worker.traffic.received);
            self.payload.sent += worker.payload.sent;
            self.payload.received += worker.payload.received;
            self.payload.decoded += worker.payload.decoded;
            self.payload.redirects += worker.payload.redirects;
            self.payload.reopened += worker.payload.reopened;
        }
    }

    /// Adds the outcome of a worker.
    pub fn add_outcome(&mut self, outcome: &Outcome) {
        let totals = &outcome.totals;
        self.response.moments.add(&totals.response);
        self.service.moments.add(&totals.service);
        self.first_byte.add(&totals.first_byte);
        self.lag.add(&totals.lag);
        self.connect.add(&outcome.connect_times);
        self.tls.add(&outcome.tls_times);
        self.handshakes.merge(&outcome.handshakes);
        add_counts(&mut self.absences, &outcome.absences);
        add_counts(&mut self.violations, &outcome.violations);
        self.first_item.add(&totals.first_item);
        self.last_item.add(&totals.last_item);
        self.gaps.add(&totals.gaps);
        self.items += totals.items;
        self.items_sent += totals.items_sent;
        for (sum, count) in self.statuses.iter_mut().zip(totals.statuses.iter()) {
            *sum += count;
        }
        let operations = &totals.operations.all;
        self.operations
            .resize_with(operations.len(), Operation::default);
        for (sum, operation) in self.operations.iter_mut().zip(operations) {
            sum.add(operation);
        }
        self.lifetime.merge(&outcome.lifetime);
    }

    /// Adds the histograms of all seconds.
    pub fn add_seconds(&mut self, seconds: &Seconds) {
        self.response.histogram.add(&seconds.response);
        self.service.histogram.add(&seconds.service);
    }
}

fn add_counts(sum: &mut BTreeMap<&'static str, u64>, more: &BTreeMap<&'static str, u64>) {
    for (&name, count) in more {
        *sum.entry(name).or_default() += count;
    }
}
