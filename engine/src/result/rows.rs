//! Parts of the result.

use serde::Serialize;

use super::microseconds;

use crate::job::Target;
use crate::pool::Lifetime;
use crate::precision::Watch;
use crate::recorder::{Distribution, Row};
use crate::tls::Handshakes;

/// The precision that the run was to reach, and whether it did.
#[derive(Serialize)]
pub struct PrecisionRow {
    pub of: &'static str,
    pub wanted_half_width: f64,
    pub reached: bool,
    /// None if the window was too short.
    pub estimate: Option<EstimateRow>,
}

impl PrecisionRow {
    /// From the watch of the window.
    pub fn new(watch: &Watch) -> Self {
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

/// An estimate in microseconds.
#[derive(Serialize)]
pub struct EstimateRow {
    pub value_us: f64,
    pub half_width: f64,
    pub batches: usize,
    pub batch_s: f64,
    pub correlation: f64,
}

/// A distribution in microseconds.
#[derive(Clone, Copy, Serialize)]
pub struct Summary {
    pub count: u64,
    pub mean: f64,
    pub sd: f64,
    pub min: f64,
    pub p50: f64,
    pub p90: f64,
    pub p95: f64,
    pub p99: f64,
    pub p999: f64,
    pub max: f64,
}

impl Summary {
    /// None without durations.
    pub fn of_some(distribution: &Distribution) -> Option<Self> {
        (distribution.moments.count() > 0).then(|| Self::new(distribution))
    }

    /// From a distribution in nanoseconds.
    pub fn new(distribution: &Distribution) -> Self {
        let quantile = |quantile| distribution.quantile_ns(quantile) as f64 / 1e3;
        let moments = &distribution.moments;
        Self {
            count: moments.count(),
            mean: moments.mean_ns() / 1e3,
            sd: moments.standard_deviation_ns() / 1e3,
            min: moments.min_ns() as f64 / 1e3,
            p50: quantile(0.5),
            p90: quantile(0.9),
            p95: quantile(0.95),
            p99: quantile(0.99),
            p999: quantile(0.999),
            max: moments.max_ns() as f64 / 1e3,
        }
    }
}

/// One second of the window.
#[derive(Serialize)]
pub struct SeriesRow {
    pub second: u32,
    pub transactions: u64,
    pub errors: u64,
    pub service_p50_us: f64,
    pub service_p99_us: f64,
    pub response_p99_us: f64,
}

impl SeriesRow {
    /// From the figures of a second.
    pub fn new(second: u32, row: &Row) -> Self {
        Self {
            second,
            transactions: row.transactions,
            errors: row.errors,
            service_p50_us: microseconds(row.service_p50_ns),
            service_p99_us: microseconds(row.service_p99_ns),
            response_p99_us: microseconds(row.response_p99_ns),
        }
    }
}

/// The kernel's counters of all connections over their lifetime.
#[derive(Serialize)]
pub struct LifetimeBytes {
    pub connections: u64,
    pub sent: u64,
    pub received: u64,
    pub segments_out: u64,
    pub segments_in: u64,
    pub retransmitted: u64,
}

impl LifetimeBytes {
    /// From the sums over all connections.
    pub fn new(lifetime: &Lifetime) -> Self {
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

/// The TLS of all connections.
#[derive(Serialize)]
pub struct TlsUse {
    /// The accepted certificates: those of the `system`, of a `ca`, or any (`insecure`).
    pub trust: &'static str,
    pub version: &'static str,
    pub cipher_suite: &'static str,
    pub handshakes: u64,
    pub resumed: u64,
}

impl TlsUse {
    /// None in clear text.
    pub fn new(target: &Target, handshakes: &Handshakes) -> Option<Self> {
        let tls = target.endpoint.tls.as_ref()?;
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
