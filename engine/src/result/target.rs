//! The result of one target over all its recorded slices.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::arrival::Arrival;
use crate::job::Target;
use crate::recorder::{Catalogue, Operation, Seconds};
use crate::worker::Outcome;

use super::connections::ConnectionsRow;
use super::figures::Figures;
use super::rows::{LifetimeBytes, PrecisionRow, SeriesRow, Summary, TlsUse};
use super::spectrum::Spectrum;
use super::status::Statuses;
use super::to_merge::ToMerge;
use super::total::Total;
use super::{Frame, named};

/// The result of one target.
#[derive(Serialize)]
pub struct TargetResult {
    pub name: String,
    pub window: Window,
    pub engine: TargetUse,
    pub idle_cpu_share: BTreeMap<String, Option<f64>>,
    pub counts: CountsRow,
    /// The number of replies by status; empty if the protocol has no statuses.
    pub statuses: BTreeMap<u16, u64>,
    /// The number of redirections that were followed; absent if none were to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirects: Option<u64>,
    /// The number of sessions that were opened again; absent without sessions that are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reopened_sessions: Option<u64>,
    pub throughput_per_s: f64,
    pub offered_rate_per_s: Option<f64>,
    pub little_closure: f64,
    pub precision: Option<PrecisionRow>,
    pub latency_us: Latencies,
    pub items: Option<ItemsOfStreams>,
    pub histograms: Histograms,
    /// Additional data for merging the results of several engines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_merge: Option<ToMerge>,
    /// The seconds of a single slice; empty with several slices.
    pub series: Vec<SeriesRow>,
    pub bytes: Bytes,
    pub connections: ConnectionsRow,
    /// Absent in clear text.
    pub tls: Option<TlsUse>,
    pub mismatches: Vec<MismatchRow>,
    /// Empty if there is only one operation.
    pub operations: Vec<OperationRow>,
    #[serde(skip)]
    pub statuses_of: Statuses,
    /// Absent if no answers were to be sampled.
    pub answers: Option<AnswersRow>,
    /// For the summary; the result file has the histograms.
    #[serde(skip)]
    pub spectrum: Spectrum,
}

/// The engine's use of resources for the target.
#[derive(Serialize)]
pub struct TargetUse {
    pub cpu_us_per_transaction: f64,
    pub busy_share: f64,
    pub arrival: &'static str,
    /// The share of answers with a usable timestamp of the kernel; absent if the engine's clock is
    /// used.
    pub stamped_share: Option<f64>,
}

/// The time of the recorded slices.
#[derive(Serialize)]
pub struct Window {
    /// The start of the first recorded slice; absent without slices.
    pub started_unix_ns: Option<u64>,
    /// The end of the last one.
    pub ended_unix_ns: Option<u64>,
    /// The length of all of them together.
    pub duration_s: f64,
}

/// The counts of transactions.
#[derive(Serialize)]
pub struct CountsRow {
    pub transactions: u64,
    pub succeeded: u64,
    pub failed: u64,
    pub errors: BTreeMap<&'static str, u64>,
    pub late: u64,
    pub dropped: u64,
    pub never_sent: u64,
}

/// The distributions of times.
#[derive(Serialize)]
pub struct Latencies {
    pub response: Summary,
    pub service: Summary,
    pub first_byte: Summary,
    pub connect: Option<Summary>,
    pub tls: Option<Summary>,
    pub lag: Summary,
}

/// The items of streams; absent in a job without streams.
#[derive(Serialize)]
pub struct ItemsOfStreams {
    pub received: u64,
    pub sent: u64,
    pub received_per_s: f64,
    pub sent_per_s: f64,
    /// From the intended start of a transaction to its first item, and to its last one.
    pub first_us: Summary,
    pub last_us: Summary,
    /// Between consecutive items of a stream.
    pub gap_us: Summary,
    /// The gaps that were longer than the limit of their stream.
    pub stalls: u64,
}

/// Histograms in the compressed V2 format, in base64.
#[derive(Serialize)]
pub struct Histograms {
    pub response: String,
    pub service: String,
    /// Those of streams; absent in a job without streams.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_item: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<String>,
}

/// The bytes of all connections.
#[derive(Serialize)]
pub struct Bytes {
    pub window: WindowBytes,
    pub lifetime: LifetimeBytes,
}

/// The bytes of the recorded slices.
#[derive(Serialize)]
pub struct WindowBytes {
    pub sent: u64,
    pub received: u64,
    pub payload_sent: u64,
    pub payload_received: u64,
    pub payload_decoded: u64,
}

/// An incorrect reply.
#[derive(Serialize)]
pub struct MismatchRow {
    pub operation: String,
    pub parameter_set: u32,
    pub reason: &'static str,
    pub status: u16,
    pub expected: String,
    pub got: String,
    pub excerpt: String,
}

/// The result of one of several operations.
#[derive(Serialize)]
pub struct OperationRow {
    pub name: String,
    pub transactions: u64,
    pub failed: u64,
    pub errors: BTreeMap<&'static str, u64>,
    pub throughput_per_s: f64,
    pub response_us: Summary,
}

impl OperationRow {
    fn new(name: &str, operation: &Operation, duration_s: f64) -> Self {
        let transactions = operation.response.moments.count();
        Self {
            name: name.into(),
            transactions,
            failed: operation.errors[1..].iter().sum(),
            errors: named(&operation.errors),
            throughput_per_s: per(transactions as f64, duration_s),
            response_us: Summary::new(&operation.response),
        }
    }
}

/// The number of answers that could have been sampled, and of those that were.
#[derive(Serialize)]
pub struct AnswersRow {
    pub seen: u64,
    pub kept: u64,
}

impl TargetResult {
    /// The figures of the target.
    pub fn figures(&self) -> Figures {
        Figures::new(
            &self.latency_us.response,
            &self.counts,
            self.throughput_per_s,
        )
    }

    /// Builds the result of a target from its slices and the outcomes of its workers.
    pub fn new(
        target: &Target,
        frame: &Frame,
        mut total: Total,
        outcomes: Vec<Outcome>,
        seconds: &Seconds,
        idle_cpu_share: BTreeMap<String, Option<f64>>,
    ) -> Self {
        outcomes
            .iter()
            .for_each(|outcome| total.add_outcome(outcome));
        total.add_seconds(seconds);
        let rows = match total.slices {
            0 | 1 => seconds.rows.as_slice(),
            _ => &[],
        };
        let series = rows.iter().zip(0..);
        let series = series.map(|(row, second)| SeriesRow::new(second, row));
        let duration_s = total.duration_ns as f64 / 1e9;
        let counts = &total.counts;
        let transactions = counts.transactions;
        let cpu_us = total.cpu.total_us() as f64;
        let statuses_of = Statuses::of(&target.endpoint);
        let has_streams = target.has_streams();
        let catalogue = Catalogue::new(target);
        let operations = catalogue.names.iter().zip(&total.operations);
        let unix_ns = |instant: Option<u64>| instant.map(|it| frame.clock.unix_ns(it));
        Self {
            name: target.name.clone(),
            window: Window {
                started_unix_ns: unix_ns(total.started),
                ended_unix_ns: unix_ns(total.started.map(|_| total.ended)),
                duration_s,
            },
            engine: TargetUse {
                cpu_us_per_transaction: per(cpu_us, total.all as f64),
                busy_share: per(cpu_us * 1e3, total.worker_ns as f64),
                arrival: target.arrival.name(),
                stamped_share: (target.arrival == Arrival::Kernel)
                    .then(|| per(total.stamped.usable as f64, total.stamped.readings as f64)),
            },
            idle_cpu_share,
            counts: CountsRow {
                transactions,
                succeeded: counts.succeeded(),
                failed: counts.failed(),
                errors: named(&counts.errors),
                late: counts.late,
                dropped: total.dropped,
                never_sent: total.never_sent,
            },
            statuses: statuses_of.counted(&total.statuses),
            redirects: (target.captured.as_ref().is_some_and(|it| it.follows))
                .then_some(total.payload.redirects),
            reopened_sessions: (target.captured.as_ref())
                .filter(|it| !it.reopens.is_empty())
                .map(|_| total.payload.reopened),
            throughput_per_s: per(transactions as f64, duration_s),
            offered_rate_per_s: target.pacer.offered_rate_per_s(),
            little_closure: little_closure(&total),
            precision: total.precision.as_ref().map(PrecisionRow::new),
            latency_us: Latencies {
                response: Summary::new(&total.response),
                service: Summary::new(&total.service),
                first_byte: Summary::new(&total.first_byte),
                connect: Summary::of_some(&total.connect),
                tls: Summary::of_some(&total.tls),
                lag: Summary::new(&total.lag),
            },
            items: has_streams.then(|| ItemsOfStreams {
                received: total.items,
                sent: total.items_sent,
                received_per_s: per(total.items as f64, duration_s),
                sent_per_s: per(total.items_sent as f64, duration_s),
                first_us: Summary::new(&total.first_item),
                last_us: Summary::new(&total.last_item),
                gap_us: Summary::new(&total.gaps.times),
                stalls: total.gaps.stalls,
            }),
            histograms: Histograms {
                response: total.response.histogram.encode(),
                service: total.service.histogram.encode(),
                first_item: has_streams.then(|| total.first_item.histogram.encode()),
                gap: has_streams.then(|| total.gaps.times.histogram.encode()),
            },
            to_merge: frame.is_agent.then(|| ToMerge::new(&total)),
            series: series.collect(),
            spectrum: Spectrum::new(&total, transactions),
            bytes: Bytes {
                window: WindowBytes {
                    sent: total.traffic.sent,
                    received: total.traffic.received,
                    payload_sent: total.payload.sent,
                    payload_received: total.payload.received,
                    payload_decoded: total.payload.decoded,
                },
                lifetime: LifetimeBytes::new(&total.lifetime),
            },
            connections: ConnectionsRow::new(&total),
            tls: TlsUse::new(target, &total.handshakes),
            answers: answers(target, &outcomes),
            mismatches: mismatches(target, outcomes),
            operations: operations
                .map(|(name, operation)| OperationRow::new(name, operation, duration_s))
                .collect(),
            statuses_of,
        }
    }
}

fn answers(target: &Target, outcomes: &[Outcome]) -> Option<AnswersRow> {
    let counts = outcomes.iter().map(|outcome| outcome.answers.counts());
    target.wants_answers().then(|| {
        let (seen, kept) = counts.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        AnswersRow { seen, kept }
    })
}

fn mismatches(target: &Target, outcomes: Vec<Outcome>) -> Vec<MismatchRow> {
    let mismatches = outcomes.into_iter().flat_map(|it| it.mismatches);
    mismatches
        .map(|mismatch| {
            let transaction = &target.transactions[mismatch.transaction as usize];
            MismatchRow {
                operation: transaction.operation.clone(),
                parameter_set: transaction.parameter_set,
                reason: mismatch.reason,
                status: mismatch.status,
                expected: mismatch.expected,
                got: mismatch.got,
                excerpt: mismatch.excerpt,
            }
        })
        .collect()
}

/// The share of the clients' time that service, think time and the closing of ended connections
/// account for: 1, unless the engine delayed clients. This is Little's law with each client's time
/// from its first start to its last end, so that it holds even for the shortest slice, and without
/// its waits for others: for a connection or a stream, of which there are fewer than clients.
fn little_closure(total: &Total) -> f64 {
    let time = total.client_time;
    let known_ns = total.service.moments.total_ns() + (time.thinking_ns + time.closing_ns) as f64;
    per(known_ns, time.own_ns() as f64)
}

/// A ratio; 0 if `count` is 0.
fn per(amount: f64, count: f64) -> f64 {
    if count > 0.0 { amount / count } else { 0.0 }
}
