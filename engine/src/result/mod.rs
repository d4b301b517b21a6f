//! The result file.

mod summary;
pub mod text;
mod total;

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::job::{Job, PacerKind};
use crate::pool::Lifetime;
use crate::precision::Watch;
use crate::recorder::{Distribution, Second, Series, encode, merge};
use crate::tls::Handshakes;
use crate::worker::Outcome;

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

/// How well the figure is known that the run was to find out.
#[derive(Serialize)]
struct PrecisionRow {
    of: &'static str,
    wanted_half_width: f64,
    reached: bool,
    /// None where the window was too short to say.
    estimate: Option<EstimateRow>,
}

#[derive(Serialize)]
struct EstimateRow {
    value_us: f64,
    half_width: f64,
    batches: usize,
    batch_s: f64,
    correlation: f64,
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

/// A distribution in microseconds.
#[derive(Serialize)]
struct Summary {
    count: u64,
    mean: f64,
    sd: f64,
    min: f64,
    p50: f64,
    p90: f64,
    p95: f64,
    p99: f64,
    p999: f64,
    max: f64,
}

#[derive(Serialize)]
struct Histograms {
    response: String,
    service: String,
}

#[derive(Serialize)]
struct SeriesRow {
    second: u32,
    transactions: u64,
    errors: u64,
    service_p50_us: f64,
    service_p99_us: f64,
    response_p99_us: f64,
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
struct LifetimeBytes {
    connections: u64,
    sent: u64,
    received: u64,
    segments_out: u64,
    segments_in: u64,
    retransmitted: u64,
}

/// How the connections were secured, over all there have been.
#[derive(Serialize)]
struct TlsUse {
    /// Whose certificates were accepted: those of `system`, of a `ca`, or any: `insecure`.
    trust: &'static str,
    version: &'static str,
    cipher_suite: &'static str,
    handshakes: u64,
    resumed: u64,
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
    pub interrupted: bool,
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
    let series = merge(&series).iter().map(SeriesRow::new).collect();
    let duration_s = total.last_end_ns as f64 / 1e9;
    let transactions = total.errors.iter().sum::<u64>();
    let succeeded = total.errors[0];
    let per = |amount: f64, count: f64| if count > 0.0 { amount / count } else { 0.0 };
    let busy_time_s = duration_s * outcomes.len() as f64;
    RunResult {
        format: "wirelab-result/1",
        interrupted: frame.interrupted,
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
        },
        window: Window {
            started_unix_ns: frame.started_unix_ns,
            ended_unix_ns: frame.started_unix_ns + total.last_end_ns as u64,
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
        little_closure: little_closure(job, &total),
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
/// end, so that it holds for the shortest window.
fn little_closure(job: &Job, total: &Total) -> f64 {
    let connected = share_of_clients_with_a_connection(job);
    let thinking_ns = total.client_time.thinking_ns as f64;
    // How long a client waits for a connection depends on how long the others think.
    let (busy, connected) = if thinking_ns > 0.0 && connected < 1.0 {
        (&total.response, 1.0)
    } else {
        (&total.service, connected)
    };
    let whole_ns = total.client_time.whole_ns as f64 * connected;
    if whole_ns > 0.0 {
        (busy.total_ns() + thinking_ns) / whole_ns
    } else {
        0.0
    }
}

/// With more clients than connections some always wait: by design, not by the engine's fault.
fn share_of_clients_with_a_connection(job: &Job) -> f64 {
    let PacerKind::Closed { clients, .. } = job.pacer else {
        return 1.0;
    };
    let connections = f64::from(job.connections.count);
    let capacity = connections * f64::from(job.connections.streams_per_connection);
    (capacity / f64::from(clients)).min(1.0)
}

impl PrecisionRow {
    fn new(watch: &Watch) -> Self {
        let wanted = watch.wanted();
        Self {
            of: wanted.of.name(),
            wanted_half_width: wanted.half_width,
            reached: watch.is_satisfied(),
            estimate: watch.estimate().map(|it| EstimateRow {
                value_us: it.value_ns / 1e3,
                half_width: it.half_width_share,
                batches: it.batches,
                batch_s: it.batch_s,
                correlation: it.correlation,
            }),
        }
    }
}

impl Summary {
    /// None where there was nothing to measure.
    fn of_some(distribution: &Distribution) -> Option<Self> {
        (distribution.count() > 0).then(|| Self::new(distribution))
    }

    fn new(distribution: &Distribution) -> Self {
        let quantile = |quantile| distribution.quantile_ns(quantile) as f64 / 1e3;
        Self {
            count: distribution.count(),
            mean: distribution.mean_ns() / 1e3,
            sd: distribution.standard_deviation_ns() / 1e3,
            min: distribution.min_ns() as f64 / 1e3,
            p50: quantile(0.5),
            p90: quantile(0.9),
            p95: quantile(0.95),
            p99: quantile(0.99),
            p999: quantile(0.999),
            max: distribution.max_ns() as f64 / 1e3,
        }
    }
}

impl SeriesRow {
    fn new(second: &Second) -> Self {
        let microseconds = |nanoseconds: u64| nanoseconds as f64 / 1e3;
        Self {
            second: second.second,
            transactions: second.service.len(),
            errors: second.errors,
            service_p50_us: microseconds(second.service.value_at_quantile(0.5)),
            service_p99_us: microseconds(second.service.value_at_quantile(0.99)),
            response_p99_us: microseconds(second.response.value_at_quantile(0.99)),
        }
    }
}

impl TlsUse {
    fn new(job: &Job, handshakes: &Handshakes) -> Option<Self> {
        let tls = job.target.tls.as_ref()?;
        let (version, cipher_suite) = handshakes.parameters.unwrap_or_default();
        Some(Self {
            trust: tls.trust.name(),
            version,
            cipher_suite,
            handshakes: handshakes.count,
            resumed: handshakes.resumed,
        })
    }
}

impl LifetimeBytes {
    fn new(lifetime: &Lifetime) -> Self {
        let counters = lifetime.counters;
        Self {
            connections: lifetime.connections,
            sent: counters.sent,
            received: counters.received,
            segments_out: counters.segments_out,
            segments_in: counters.segments_in,
            retransmitted: counters.retransmitted,
        }
    }
}
