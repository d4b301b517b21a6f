//! The load of a target: its connections, how it waits, which clock dates arrivals, and what ends it.

use super::TransportKind;
use super::pacer::PacerKind;
use super::section::{MOST, Section, YEAR_S};
use crate::arrival::Arrival;

const MOST_STREAMS: u64 = 1_000_000;
/// The most connections from one address to one server.
const MOST_PORTS: u64 = 60_000;
const MOST_GUARD_US: u64 = 3_600_000_000;

/// The connections to a target.
#[derive(Clone, Copy, Debug)]
pub struct Connections {
    pub count: u32,
    pub streams_per_connection: u32,
    /// Whether connections are reused; otherwise each request opens a new one.
    pub reuse: bool,
    pub connect_timeout_ms: u64,
    pub request_timeout_ms: u64,
    /// The longest reply that is kept whole, in bytes: its share of the memory of all replies.
    pub kept_bytes: usize,
}

impl Connections {
    /// The number of concurrent requests.
    pub fn streams(&self) -> u64 {
        u64::from(self.count) * u64::from(self.streams_per_connection)
    }
}

/// Load before the measurement, which is not recorded; both conditions must be reached.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WarmUp {
    pub transactions: u64,
    pub seconds: f64,
}

/// What ends a slice: the first condition reached. Only a replay and stages need none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StopRule {
    pub transactions: Option<u64>,
    pub seconds: Option<f64>,
    /// The number of transactions of each client of a closed load.
    pub transactions_per_client: Option<u64>,
    /// Ends the slice earlier, when a statistic is precise enough.
    pub precision: Option<Precision>,
}

/// The precision of a statistic at which a slice ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    pub of: Statistic,
    /// Half the width of the 95 % interval, as a share of the statistic.
    pub half_width: f64,
}

/// A statistic of response times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Statistic {
    Mean,
    Quantile(f64),
}

impl Statistic {
    /// The names in a job.
    pub const NAMES: [(&'static str, Self); 6] = [
        ("mean", Self::Mean),
        ("p50", Self::Quantile(0.5)),
        ("p90", Self::Quantile(0.9)),
        ("p95", Self::Quantile(0.95)),
        ("p99", Self::Quantile(0.99)),
        ("p999", Self::Quantile(0.999)),
    ];

    /// The name in a job.
    pub fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(_, it)| *it == self);
        found.map_or("mean", |(name, _)| name)
    }
}

/// Reads how the engine waits until a transaction is due: polling is more precise than sleeping,
/// and occupies a whole CPU.
pub fn spins(section: &Section) -> bool {
    let waits = [("precise", false), ("spin", true)];
    section.choice("wait", &waits).unwrap_or_default()
}

/// Reads which clock dates arrivals; absent, the kernel's for a load with a schedule. A closed load
/// uses the engine's: there, waking up is a part of the client's cycle, because its next request
/// comes after it.
pub fn arrival(section: &Section, pacer: Option<&PacerKind>) -> Arrival {
    let is_open = pacer.is_none_or(PacerKind::is_open);
    match section.choice("arrival", &Arrival::NAMES) {
        Some(Arrival::Kernel) if !is_open => {
            let expected = "\"engine\", or a pacer with a schedule";
            section.problem("arrival", "\"kernel\" with a closed load", expected);
            Arrival::Kernel
        }
        Some(arrival) => arrival,
        None if is_open => Arrival::Kernel,
        None => Arrival::Engine,
    }
}

/// Reads the connections, each of which takes a port of one of `sources` local addresses.
pub fn connections(
    section: &Section,
    transport: Option<TransportKind>,
    sources: usize,
) -> Connections {
    let most = (MOST_PORTS * sources.max(1) as u64).min(MOST_STREAMS);
    let connections = Connections {
        count: section.integer("count", 1..=most).unwrap_or(1) as u32,
        streams_per_connection: section
            .integer("streams_per_connection", 1..=100_000)
            .unwrap_or(1) as u32,
        reuse: section.flag("reuse", true),
        connect_timeout_ms: section
            .integer("connect_timeout_ms", 1..=3_600_000)
            .unwrap_or(5_000),
        request_timeout_ms: section
            .integer("request_timeout_ms", 1..=3_600_000)
            .unwrap_or(10_000),
        kept_bytes: 0, // It is computed when all targets are known.
    };
    let one_at_a_time = transport == Some(TransportKind::Http1);
    if connections.streams_per_connection > 1 && (one_at_a_time || !connections.reuse) {
        let expected = "1 with http1, and with a new connection for each request (reuse = false)";
        section.problem(
            "streams_per_connection",
            connections.streams_per_connection,
            expected,
        );
    }
    let together = connections.streams();
    if together > MOST_STREAMS {
        let expected = format!("at most {MOST_STREAMS} over all connections");
        section.problem(
            "streams_per_connection",
            format!("{together} in all"),
            expected,
        );
    }
    connections
}

/// Reads a stop rule for targets with these pacers; unknown ones are none.
pub fn stop(section: &Section, pacers: &[Option<&PacerKind>]) -> StopRule {
    let stop = StopRule {
        transactions: section.integer("transactions", 1..=MOST),
        seconds: section.number("seconds", 0.001..=YEAR_S),
        transactions_per_client: section.integer("transactions_per_client", 1..=MOST),
        precision: precision(&section.section("precision")),
    };
    if stop.precision.is_some() && !section.gives("seconds") {
        let expected = "the longest time of the slice";
        section.problem("seconds", "missing", expected);
    }
    let conditions = ["transactions", "seconds", "transactions_per_client"];
    let has_condition = conditions.iter().any(|key| section.gives(key));
    let ends_by_itself = |pacer: &Option<&PacerKind>| {
        matches!(
            pacer,
            Some(PacerKind::Replay { .. } | PacerKind::Stages { .. })
        )
    };
    if !has_condition && !pacers.iter().all(ends_by_itself) {
        let expected = "transactions, seconds or transactions_per_client";
        section.wrong("has no condition", expected);
    }
    let is_open = pacers.iter().flatten().any(|pacer| pacer.is_open());
    if stop.transactions_per_client.is_some() && is_open {
        let found = "given for a pacer without clients";
        section.problem("transactions_per_client", found, "a pacer of kind closed");
    }
    stop
}

/// Reads the length of the guard (load before the recorded part), in nanoseconds.
pub fn guard_ns(section: &Section, pacers: &[Option<&PacerKind>]) -> u64 {
    let guard_us = section.integer("guard_us", 0..=MOST_GUARD_US).unwrap_or(0);
    let has_shape = pacers.iter().flatten().any(|pacer| pacer.has_shape());
    if guard_us > 0 && has_shape {
        let expected = "0 with stages or a replay, which are recorded from their start";
        section.problem("guard_us", guard_us, expected);
    }
    guard_us * 1_000
}

fn precision(section: &Section) -> Option<Precision> {
    if section.is_absent() {
        return None;
    }
    let of = section.choice("of", &Statistic::NAMES);
    let half_width = section.number("half_width", 0.0001..=0.5);
    let expected = "half the width of the interval as a share, such as 0.02";
    Some(Precision {
        of: of.unwrap_or(Statistic::Mean),
        half_width: section.require("half_width", half_width, expected)?,
    })
}

/// Reads the warm-up.
pub fn warm_up(section: &Section) -> WarmUp {
    WarmUp {
        transactions: section.integer("transactions", 0..=MOST).unwrap_or(0),
        seconds: section.number("seconds", 0.0..=YEAR_S).unwrap_or(0.0),
    }
}
