//! The load of a target: its connections, its pacer, how it waits, which clock dates arrivals, and
//! what ends it.

use std::sync::Arc;

use super::TransportKind;
use super::section::Section;
use crate::arrival::Arrival;
use crate::wait::Wait;

/// The largest count in a job.
pub const MOST: u64 = 1 << 40;
/// The rates that a job may have, in transactions per second.
pub const RATES_PER_S: std::ops::RangeInclusive<f64> = 0.001..=1e8;
const MOST_STREAMS: u64 = 1_000_000;
const MOST_GUARD_US: u64 = 3_600_000_000;
/// The longest time in a job, in seconds.
pub const YEAR_S: f64 = 31_536_000.0;

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

/// When transactions are due.
#[derive(Clone, Debug, PartialEq)]
pub enum PacerKind {
    Closed {
        clients: u32,
        think_time_us: u64,
    },
    Constant {
        rate_per_s: f64,
    },
    Poisson {
        rate_per_s: f64,
        seed: u64,
    },
    /// A rate that changes linearly from one to another within a time, and then stays.
    Ramp {
        from_per_s: f64,
        to_per_s: f64,
        duration_s: f64,
    },
    /// Constant rates from one to another, each for the same time; the last one stays.
    Staircase {
        from_per_s: f64,
        to_per_s: f64,
        steps: u32,
        step_s: f64,
    },
    /// Stages, one after the other; the load ends with the last one.
    Stages {
        stages: Arc<[Stage]>,
    },
    /// A list of due times, ascending from the start.
    Replay {
        times_ns: Arc<[u64]>,
    },
}

/// A time with a rate that is constant or changes linearly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    pub from_per_s: f64,
    pub to_per_s: f64,
    pub seconds: f64,
}

impl PacerKind {
    /// Whether transactions are due at times that do not depend on the server.
    pub fn is_open(&self) -> bool {
        !matches!(self, Self::Closed { .. })
    }

    /// Whether its rate depends on the time since the start of the slice.
    fn has_shape(&self) -> bool {
        matches!(
            self,
            Self::Ramp { .. } | Self::Staircase { .. } | Self::Stages { .. } | Self::Replay { .. }
        )
    }

    /// The rate of an open load, if it is constant.
    pub fn offered_rate_per_s(&self) -> Option<f64> {
        match *self {
            Self::Constant { rate_per_s } | Self::Poisson { rate_per_s, .. } => Some(rate_per_s),
            _ => None,
        }
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

#[derive(Clone, Copy)]
enum PacerWord {
    Closed,
    Constant,
    Poisson,
    Ramp,
    Staircase,
    Stages,
    Replay,
}

/// Reads the pacer; absent, a closed load of one client. `seed` is the default for random arrivals.
pub fn pacer(section: &Section, seed: u64) -> Option<PacerKind> {
    if section.is_absent() {
        return Some(PacerKind::Closed {
            clients: 1,
            think_time_us: 0,
        });
    }
    let words = [
        ("closed", PacerWord::Closed),
        ("constant", PacerWord::Constant),
        ("poisson", PacerWord::Poisson),
        ("ramp", PacerWord::Ramp),
        ("staircase", PacerWord::Staircase),
        ("stages", PacerWord::Stages),
        ("replay", PacerWord::Replay),
    ];
    let word = section.choice("kind", &words);
    let Some(word) = section.require("kind", word, "the kind of load") else {
        section.allow_all_keys();
        return None;
    };
    let rate = |key| {
        let rate = section.number(key, RATES_PER_S);
        section.require(key, rate, "transactions per second")
    };
    let seconds = |key| {
        let seconds = section.number(key, 0.001..=YEAR_S);
        section.require(key, seconds, "a time in seconds")
    };
    Some(match word {
        PacerWord::Closed => PacerKind::Closed {
            clients: section.integer("clients", 1..=1_000_000).unwrap_or(1) as u32,
            think_time_us: section
                .integer("think_time_us", 0..=3_600_000_000)
                .unwrap_or(0),
        },
        PacerWord::Constant => PacerKind::Constant {
            rate_per_s: rate("rate_per_s")?,
        },
        PacerWord::Poisson => {
            let seed = section.integer("seed", 0..=u64::MAX).unwrap_or(seed);
            PacerKind::Poisson {
                rate_per_s: rate("rate_per_s")?,
                seed,
            }
        }
        PacerWord::Ramp => {
            let (from, to) = (rate("from_rate_per_s"), rate("to_rate_per_s"));
            let duration_s = seconds("seconds");
            PacerKind::Ramp {
                from_per_s: from?,
                to_per_s: to?,
                duration_s: duration_s?,
            }
        }
        PacerWord::Staircase => {
            let (from, to) = (rate("from_rate_per_s"), rate("to_rate_per_s"));
            let steps = section.integer("steps", 2..=10_000);
            let steps = section.require("steps", steps, "the number of rates");
            let step_s = seconds("step_seconds");
            PacerKind::Staircase {
                from_per_s: from?,
                to_per_s: to?,
                steps: steps? as u32,
                step_s: step_s?,
            }
        }
        PacerWord::Stages => PacerKind::Stages {
            stages: stages(section),
        },
        PacerWord::Replay => PacerKind::Replay {
            times_ns: times(section),
        },
    })
}

/// The list of stages.
fn stages(section: &Section) -> Arc<[Stage]> {
    let stages = section.sections("stages").into_iter().filter_map(|stage| {
        let rate = |key| {
            let rate = stage.number(key, 0.0..=1e8);
            stage.require(key, rate, "transactions per second, or 0 for a pause")
        };
        let (from, to) = (rate("from_rate_per_s"), rate("to_rate_per_s"));
        let seconds = stage.number("seconds", 0.001..=YEAR_S);
        Some(Stage {
            from_per_s: from?,
            to_per_s: to?,
            seconds: stage.require("seconds", seconds, "a time in seconds")?,
        })
    });
    let stages: Arc<[Stage]> = stages.collect();
    if !stages
        .iter()
        .any(|stage| stage.from_per_s + stage.to_per_s > 0.0)
    {
        section.problem("stages", "none with a rate above 0", "at least one");
    }
    stages
}

/// The list of a replay.
fn times(section: &Section) -> Arc<[u64]> {
    let expected = "microseconds from the start, at most a year";
    let times: Vec<u64> = section.items("times_us", expected, |value| {
        let time_us = value.as_f64();
        let time_us = time_us.filter(|time| (0.0..=YEAR_S * 1e6).contains(time))?;
        Some((time_us * 1e3).round() as u64)
    });
    if times.is_empty() {
        section.problem("times_us", "none", "at least one time");
    }
    if !times.is_sorted() {
        section.problem("times_us", "not in order", "ascending times");
    }
    times.into()
}

/// Reads how the engine waits.
pub fn wait(section: &Section) -> Wait {
    let waits = [
        ("precise", Wait::Precise),
        ("tick", Wait::Tick),
        ("spin", Wait::Spin),
        ("sleep_then_spin", Wait::SleepThenSpin),
    ];
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

/// Reads the connections.
pub fn connections(section: &Section, transport: Option<TransportKind>) -> Connections {
    let connections = Connections {
        count: section.integer("count", 1..=60_000).unwrap_or(1) as u32,
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
        let expected =
            "0 with a ramp, a staircase or a replay, which are recorded from their start";
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
