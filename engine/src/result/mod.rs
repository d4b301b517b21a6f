//! The result file.

mod connections;
mod figures;
mod rows;
mod slice;
mod spectrum;
mod status;
mod summary;
mod target;
pub mod text;
mod to_merge;
mod total;

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::clock::Clock;
use crate::failure::Failure;
use crate::job::Job;
use crate::recorder::{Errors, Seconds};
use crate::worker::Outcome;

pub use figures::{Figures, Measured};
pub use rows::Summary;
pub use slice::{Carried, SliceRow};
pub use status::Statuses;
use target::CountsRow;
pub use target::{ItemsOfStreams, OperationRow, TargetResult};
pub use total::Total;

/// The result of a run, as it is written.
#[derive(Serialize)]
pub struct RunResult {
    format: &'static str,
    interrupted: bool,
    engine: EngineUse,
    targets: Vec<TargetResult>,
    slices: Vec<SliceRow>,
    /// Whether a signal arrived while the files were written; the measurement is complete.
    #[serde(skip)]
    pub is_signalled: bool,
}

/// The resources that the engine used for the whole job.
#[derive(Serialize)]
struct EngineUse {
    version: &'static str,
    cpus: Vec<usize>,
    real_time: bool,
    clock: &'static str,
    memory_peak_bytes: u64,
    cpu_user_us: u64,
    cpu_system_us: u64,
}

/// Facts about the job as a whole.
pub struct Frame {
    pub is_interrupted: bool,
    /// Whether the engine ran with real-time priority.
    pub real_time: bool,
    pub memory_peak_bytes: u64,
    pub clock: Clock,
    /// Whether this engine is one of several, whose results will be merged.
    pub is_agent: bool,
}

/// Builds the result from the measurements of all targets.
pub fn assemble(
    job: &Job,
    frame: &Frame,
    totals: Vec<Total>,
    outcomes: Vec<Vec<Outcome>>,
    seconds: &[Seconds],
    idle_shares: Vec<BTreeMap<String, Option<f64>>>,
    slices: Vec<SliceRow>,
) -> RunResult {
    let engine = EngineUse {
        version: env!("CARGO_PKG_VERSION"),
        cpus: job.cpus.clone(),
        real_time: frame.real_time,
        clock: frame.clock.name(),
        memory_peak_bytes: frame.memory_peak_bytes,
        cpu_user_us: totals.iter().map(|total| total.cpu.user_us).sum(),
        cpu_system_us: totals.iter().map(|total| total.cpu.system_us).sum(),
    };
    let measured = totals
        .into_iter()
        .zip(outcomes)
        .zip(seconds)
        .zip(idle_shares);
    let targets = job.targets.iter().zip(measured);
    RunResult {
        format: "wirelab-result/2",
        interrupted: frame.is_interrupted,
        engine,
        targets: targets
            .map(|(target, (((total, outcomes), seconds), idle_share))| {
                TargetResult::new(target, frame, total, outcomes, seconds, idle_share)
            })
            .collect(),
        slices,
        is_signalled: false,
    }
}

impl RunResult {
    /// Writes the file completely or not at all. The error is that of writing.
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        let partial = path.with_extension("json.partial");
        std::fs::write(&partial, serde_json::to_vec_pretty(self)?)?;
        std::fs::rename(partial, path)
    }

    /// Whether a signal ended the run or arrived during its end.
    pub fn interrupted(&self) -> bool {
        self.interrupted || self.is_signalled
    }

    /// The number of failed transactions of all targets, and of connections that broke their
    /// protocol beside them.
    pub fn failed(&self) -> u64 {
        let failed = |it: &TargetResult| it.counts.failed + it.connections.broken();
        self.targets.iter().map(failed).sum()
    }

    /// The counts of a target's transactions.
    pub fn counts(&self, target: usize) -> &CountsRow {
        &self.targets[target].counts
    }

    /// The results of all targets.
    pub fn targets(&self) -> &[TargetResult] {
        &self.targets
    }

    /// The figures of a target for limits.
    pub fn figures(&self, target: usize) -> Figures {
        self.targets[target].figures()
    }

    /// The time from the start of the first slice to the end of the last one, in seconds.
    pub fn slices_s(&self) -> f64 {
        let (first, last) = (self.slices.first(), self.slices.last());
        let began = first.map_or(0, |row| row.started_ns - row.guard_ns);
        let ended = last.map_or(0, |row| row.ended_ns + row.drain_ns);
        ended.saturating_sub(began) as f64 / 1e9
    }

    /// Stolen time in the slices, as a share of the time of all CPUs.
    pub fn steal_share(&self) -> f64 {
        let (mut stolen_us, mut all_us) = (0.0, 0.0);
        for row in &self.slices {
            let lasted_ns = row.guard_ns + row.drain_ns + row.ended_ns - row.started_ns;
            stolen_us += row.steal_us.iter().sum::<f64>();
            all_us += lasted_ns as f64 / 1e3 * row.steal_us.len() as f64;
        }
        if all_us > 0.0 {
            stolen_us / all_us
        } else {
            0.0
        }
    }

    /// The CPU time of the engine as a share of its CPUs' time, for the target with the largest.
    pub fn engine_busy_share(&self) -> f64 {
        let shares = self.targets.iter().map(|it| it.engine.busy_share);
        shares.fold(0.0, f64::max)
    }

    /// The result as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

/// The number of transactions by class of failure, without zeros.
pub fn named(errors: &Errors) -> BTreeMap<&'static str, u64> {
    let counted = Failure::ALL
        .iter()
        .map(|it| (it.name(), errors[*it as usize]));
    counted.filter(|(_, count)| *count > 0).collect()
}

/// Nanoseconds in microseconds.
pub fn microseconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e3
}
