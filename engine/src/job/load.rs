//! The load of a job: its pacer, how it waits, and who says when an answer came.

use std::sync::Arc;

use super::PacerKind;
use super::read::YEAR_S;
use super::section::Section;
use crate::arrival::Arrival;
use crate::wait::Wait;

#[derive(Clone, Copy)]
enum PacerWord {
    Closed,
    Constant,
    Poisson,
    Ramp,
    Staircase,
    Replay,
}

pub fn pacer(section: &Section, per_client: Option<u64>, seed: u64) -> Option<PacerKind> {
    let words = [
        ("closed", PacerWord::Closed),
        ("constant", PacerWord::Constant),
        ("poisson", PacerWord::Poisson),
        ("ramp", PacerWord::Ramp),
        ("staircase", PacerWord::Staircase),
        ("replay", PacerWord::Replay),
    ];
    let word = section.choice("kind", &words);
    let Some(word) = section.require("kind", word, "the kind of load") else {
        section.allow_all_keys();
        return None;
    };
    let rate = |key| {
        let rate = section.number(key, 0.001..=1e8);
        section.require(key, rate, "transactions a second")
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
            transactions_per_client: per_client,
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
            let steps = section.require("steps", steps, "how many rates there are");
            let step_s = seconds("step_seconds");
            PacerKind::Staircase {
                from_per_s: from?,
                to_per_s: to?,
                steps: steps? as u32,
                step_s: step_s?,
            }
        }
        PacerWord::Replay => PacerKind::Replay {
            times_ns: times(section),
        },
    })
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
        section.problem("times_us", "not in order", "times that do not go back");
    }
    times.into()
}

pub fn wait(root: &Section) -> Wait {
    let waits = [
        ("precise", Wait::Precise),
        ("tick", Wait::Tick),
        ("spin", Wait::Spin),
        ("sleep_then_spin", Wait::SleepThenSpin),
    ];
    root.choice("wait", &waits).unwrap_or_default()
}

/// Absent, the kernel's for a load with a schedule. A closed load has the engine's: there, waking
/// up is a part of the client's cycle, because its next request comes after it.
pub fn arrival(root: &Section, pacer: Option<&PacerKind>) -> Arrival {
    let is_open = pacer.is_none_or(PacerKind::is_open);
    match root.choice("arrival", &Arrival::NAMES) {
        Some(Arrival::Kernel) if !is_open => {
            let expected = "\"engine\", or a pacer with a schedule";
            root.problem("arrival", "\"kernel\" with a closed load", expected);
            Arrival::Kernel
        }
        Some(arrival) => arrival,
        None if is_open => Arrival::Kernel,
        None => Arrival::Engine,
    }
}
