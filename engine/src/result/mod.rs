//! The result file.

mod rows;
mod spectrum;
mod summary;
pub mod text;
mod total;

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::arrival::Arrival;
use crate::job::Job;
use crate::precision::Watch;
use crate::recorder::{Series, encode, merge};
use crate::worker::Outcome;

use rows::{LifetimeBytes, PrecisionRow, SeriesRow, Summary, TlsUse};
use spectrum::Spectrum;
use total::Total;

#[derive(Serialize)]
pub struct RunResult {
    format: &'static str,
    interrupted: bool,
    engine: EngineUse,
    window: Window,
    counts: Counts,
    throughput_per_s: f64,
    offered_rate_per_s: Option<f64>,
    little_closure: f64,
    precision: Option<PrecisionRow>,
    latency_us: Latencies,
    items: Option<ItemsOfStreams>,
    histograms: Histograms,
    series: Vec<SeriesRow>,
    bytes: Bytes,
    /// Absent in clear text.
    tls: Option<TlsUse>,
    mismatches: Vec<MismatchRow>,
    /// For the summary; the file has the histograms.
    #[serde(skip)]
    spectrum: Spectrum,
}

#[derive(Serialize)]
struct EngineUse {
    version: &'static str,
    cpus: Vec<usize>,
    real_time: bool,
    cpu_user_us: u64,
    cpu_system_us: u64,
    busy_share: f64,
    cpu_us_per_transaction: f64,
    memory_peak_bytes: u64,
    clock: &'static str,
    arrival: &'static str,
    /// Of the readings of answers; absent where the engine's clock was asked for.
    stamped_share: Option<f64>,
}

#[derive(Serialize)]
struct Window {
    started_unix_ns: u64,
    ended_unix_ns: u64,
    duration_s: f64,
}

#[derive(Serialize)]
struct Counts {
    transactions: u64,
    succeeded: u64,
    failed: u64,
    errors: BTreeMap<&'static str, u64>,
    late: u64,
    dropped: u64,
    never_sent: u64,
}

#[derive(Serialize)]
struct Latencies {
    response: Summary,
    service: Summary,
    first_byte: Summary,
    connect: Option<Summary>,
    tls: Option<Summary>,
    lag: Summary,
}

/// What streams have brought; absent in a job without any.
#[derive(Serialize)]
struct ItemsOfStreams {
    received: u64,
    sent: u64,
    received_per_s: f64,
    sent_per_s: f64,
    first_us: Summary,
    last_us: Summary,
}

#[derive(Serialize)]
struct Histograms {
    response: String,
    service: String,
}

#[derive(Serialize)]
struct Bytes {
    window: WindowBytes,
    lifetime: LifetimeBytes,
}

#[derive(Serialize)]
struct WindowBytes {
    sent: u64,
    received: u64,
    payload_sent: u64,
    payload_received: u64,
    payload_decoded: u64,
}

#[derive(Serialize)]
struct MismatchRow {
    operation: String,
    parameter_set: u32,
    reason: &'static str,
    status: u16,
    expected: String,
    got: String,
    excerpt: String,
}

/// What the coordinator knows about the run as a whole.
pub struct Frame {
    /// When the window was broken off, from its start; none: it ended by itself.
    pub interrupted_after_ns: Option<u64>,
    /// Whether the engine ran before other programs.
    pub real_time: bool,
    pub started_unix_ns: u64,
    pub memory_peak_bytes: u64,
    pub clock: &'static str,
    pub precision: Option<Watch>,
}

/// Puts together what the workers have measured.
pub fn assemble(job: &Job, frame: &Frame, outcomes: Vec<Outcome>) -> RunResult {
    let mut total = Total::default();
    outcomes.iter().for_each(|outcome| total.add(outcome));
    let series: Vec<&Series> = outcomes
        .iter()
        .map(|outcome| &outcome.recorder.series)
        .collect();
    let series = merge(&series, |second| {
        total.add_second(second);
        SeriesRow::new(second)
    });
    // Until it was broken off a server may have been silent: that belongs to the window, too.
    let end_ns = (total.last_end_ns as u64).max(frame.interrupted_after_ns.unwrap_or(0));
    let duration_s = end_ns as f64 / 1e9;
    let transactions = total.errors.iter().sum::<u64>();
    let succeeded = total.errors[0];
    let per = |amount: f64, count: f64| if count > 0.0 { amount / count } else { 0.0 };
    let busy_time_s = duration_s * outcomes.len() as f64;
    RunResult {
        format: "wirelab-result/1",
        interrupted: frame.interrupted_after_ns.is_some(),
        engine: EngineUse {
            version: env!("CARGO_PKG_VERSION"),
            cpus: job.cpus.clone(),
            real_time: frame.real_time,
            cpu_user_us: total.cpu.user_us,
            cpu_system_us: total.cpu.system_us,
            busy_share: per(total.cpu.total_us() as f64 / 1e6, busy_time_s),
            cpu_us_per_transaction: per(total.cpu.total_us() as f64, transactions as f64),
            memory_peak_bytes: frame.memory_peak_bytes,
            clock: frame.clock,
            arrival: job.arrival.name(),
            stamped_share: (job.arrival == Arrival::Kernel)
                .then(|| per(total.stamped.usable as f64, total.stamped.readings as f64)),
        },
        window: Window {
            started_unix_ns: frame.started_unix_ns,
            ended_unix_ns: frame.started_unix_ns + end_ns,
            duration_s,
        },
        counts: Counts {
            transactions,
            succeeded,
            failed: transactions - succeeded,
            errors: total.errors(),
            late: total.late,
            dropped: total.dropped,
            never_sent: total.never_sent,
        },
        throughput_per_s: per(transactions as f64, duration_s),
        offered_rate_per_s: job.pacer.offered_rate_per_s(),
        little_closure: little_closure(&total),
        precision: frame.precision.as_ref().map(PrecisionRow::new),
        latency_us: Latencies {
            response: Summary::new(&total.response),
            service: Summary::new(&total.service),
            first_byte: Summary::new(&total.first_byte),
            connect: Summary::of_some(&total.connect),
            tls: Summary::of_some(&total.tls),
            lag: Summary::new(&total.lag),
        },
        items: job.has_streams().then(|| ItemsOfStreams {
            received: total.items,
            sent: total.items_sent,
            received_per_s: per(total.items as f64, duration_s),
            sent_per_s: per(total.items_sent as f64, duration_s),
            first_us: Summary::new(&total.first_item),
            last_us: Summary::new(&total.last_item),
        }),
        histograms: Histograms {
            response: encode(&total.response.histogram),
            service: encode(&total.service.histogram),
        },
        series,
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
        tls: TlsUse::new(job, &total.handshakes),
        mismatches: outcomes
            .into_iter()
            .flat_map(|outcome| outcome.mismatches)
            .map(|mismatch| {
                let transaction = &job.transactions[mismatch.transaction as usize];
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
            .collect(),
    }
}

impl RunResult {
    /// Writes the file whole or not at all.
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        let partial = path.with_extension("json.partial");
        std::fs::write(&partial, serde_json::to_vec_pretty(self)?)?;
        std::fs::rename(partial, path)
    }
}

/// The share of the clients' time that service and thinking account for: 1, unless the engine kept
/// clients waiting. Little's law, each client's own time taken from its first start to its last
/// end, so that it holds for the shortest window, and without what it waited for others: for a
/// connection, where there are fewer of them, or for a stream, where the server allows fewer.
fn little_closure(total: &Total) -> f64 {
    let time = total.client_time;
    let whole_ns = time.whole_ns.saturating_sub(time.waiting_ns) as f64;
    if whole_ns > 0.0 {
        (total.service.moments.total_ns() + time.thinking_ns as f64) / whole_ns
    } else {
        0.0
    }
}
