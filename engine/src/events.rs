//! The events of a job, as the engine reports them.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use serde::Serialize;

use crate::capacity::Capacity;
use crate::error::Unreachable;
use crate::recorder::Tally;
use crate::result::{Carried, SliceRow, microseconds, named};

/// An event; printed as one line of JSON when the engine runs a job file.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event<'a> {
    /// Not all connections to one of several targets could be opened. Its transactions fail until
    /// it can be reached.
    Unreachable {
        target: usize,
        error: &'static str,
        detail: &'static str,
    },
    /// All connections to the other targets are open.
    Connected,
    Warm(&'a Warm),
    /// Twice a second while a target is under load.
    Progress {
        target: usize,
        transactions: u64,
        errors: u64,
        seconds: f64,
        /// Approximate response times since the load began, for the terminal.
        #[serde(skip)]
        p50_ns: u64,
        #[serde(skip)]
        p90_ns: u64,
        #[serde(skip)]
        p99_ns: u64,
        /// The median time to the first item of a stream, and the 99th percentile of gaps.
        #[serde(skip)]
        first_item_ns: Option<f64>,
        #[serde(skip)]
        gap_ns: Option<f64>,
    },
    Slice(&'a SliceRow),
    /// All slices of a command have ended.
    Idle,
    /// The result of a search for capacity.
    Capacity {
        target: usize,
        #[serde(flatten)]
        capacity: &'a Capacity,
    },
    /// Why no capacity can be searched for.
    NoCapacity {
        target: usize,
        reason: &'a str,
    },
    Result {
        path: &'a Path,
    },
}

impl Event<'_> {
    /// The event of an unreachable target.
    pub fn unreachable(of: &Unreachable) -> Self {
        Self::Unreachable {
            target: of.target,
            error: of.fault.failure.name(),
            detail: of.fault.detail,
        }
    }

    /// The event of a target under load, with its counts so far.
    pub fn progress(target: usize, so_far: &Tally, elapsed_ns: u64) -> Self {
        let roughly = |quantile| so_far.quantile_ns(quantile).unwrap_or(0.0) as u64;
        Self::Progress {
            target,
            transactions: so_far.transactions,
            errors: so_far.errors,
            seconds: elapsed_ns as f64 / 1e9,
            p50_ns: roughly(0.5),
            p90_ns: roughly(0.9),
            p99_ns: roughly(0.99),
            first_item_ns: so_far.first_items.interpolated_ns(0.5),
            gap_ns: so_far.gaps.interpolated_ns(0.99),
        }
    }
}

/// The result of a warm-up; times are those of the transactions that succeeded.
#[derive(Serialize)]
pub struct Warm {
    target: usize,
    pub seconds: f64,
    pub transactions: u64,
    pub failed: u64,
    pub errors: BTreeMap<&'static str, u64>,
    /// The HTTP or gRPC status of the first failed transaction that had one.
    pub status: Option<u16>,
    pub mean_us: Option<f64>,
    pub median_us: Option<f64>,
    pub p99_us: Option<f64>,
}

impl Warm {
    /// From the slice of the warm-up.
    pub fn new(target: usize, carried: &mut Carried) -> Self {
        let counts = carried.counts();
        let percentiles = carried.quantiles([0.5, 0.99]);
        Self {
            target,
            seconds: (carried.drained_at() - carried.start) as f64 / 1e9,
            transactions: counts.transactions,
            failed: counts.failed(),
            errors: named(&counts.errors),
            status: Some(counts.first_failed_status).filter(|status| *status > 0),
            mean_us: counts.mean_us(),
            median_us: percentiles.map(|[median, _]| microseconds(median)),
            p99_us: percentiles.map(|[_, p99]| microseconds(p99)),
        }
    }
}

#[cfg(test)]
impl Warm {
    /// A server that answers `per_s` requests per second.
    pub fn example(per_s: f64, p99_us: f64) -> Self {
        Self {
            target: 0,
            seconds: 1.0,
            transactions: per_s as u64,
            failed: 0,
            errors: BTreeMap::new(),
            status: None,
            mean_us: Some(p99_us / 2.0),
            median_us: Some(p99_us / 2.0),
            p99_us: Some(p99_us),
        }
    }
}

/// Receives the events.
pub type Listener<'a> = &'a mut dyn FnMut(&Event);

/// Prints an event at once as one line of JSON. Errors are ignored: a reader that has closed the
/// pipe must not end the measurement.
pub fn emit(event: &Event) {
    let Ok(mut line) = serde_json::to_vec(event) else {
        return;
    };
    line.push(b'\n');
    let mut output = std::io::stdout().lock();
    let _ = output.write_all(&line).and_then(|()| output.flush());
}
