//! The pacer of a target: when its transactions are due.

use std::sync::Arc;

use super::section::{RATES_PER_S, Section, YEAR_S};

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
    pub fn has_shape(&self) -> bool {
        matches!(self, Self::Stages { .. } | Self::Replay { .. })
    }

    /// The rate of an open load, if it is constant.
    pub fn offered_rate_per_s(&self) -> Option<f64> {
        match *self {
            Self::Constant { rate_per_s } | Self::Poisson { rate_per_s, .. } => Some(rate_per_s),
            _ => None,
        }
    }
}

#[derive(Clone, Copy)]
enum PacerWord {
    Closed,
    Constant,
    Poisson,
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
