//! The course of a run: connect, warm up, wait for the word, measure, write.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

use crate::clock::Clock;
use crate::crew::{Crew, Measured};
use crate::events::{Event, Listener};
use crate::failure::Fault;
use crate::job::Job;
use crate::recorder::write_parquet;
use crate::result::{RunResult, assemble};
use crate::system::process;
use crate::system::signals::Signals;
use crate::worker::Outcome;

const COORDINATION_PRIORITY: i32 = 2;

#[derive(Debug, Error)]
pub enum RunError {
    #[error("{address} cannot be reached: {} ({})", fault.detail, fault.failure.name())]
    Unreachable { address: String, fault: Fault },
    #[error("cpus {cpus:?} cannot be used: {error}; expected CPUs that this process may run on")]
    Cpus { cpus: Vec<usize>, error: io::Error },
    #[error("{}: {error}", path.display())]
    Output { path: PathBuf, error: io::Error },
    #[error("the samples cannot be written to {}: {error}", path.display())]
    Samples {
        path: PathBuf,
        error: parquet::errors::ParquetError,
    },
    #[error("a worker failed: {0}")]
    Worker(io::Error),
    #[error("the system failed: {0}")]
    System(#[from] io::Error),
}

impl RunError {
    /// The exit code of the program.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Unreachable { .. } => 3,
            Self::Cpus { .. } => 2,
            _ => 1,
        }
    }
}

/// Runs a job from beginning to end. No result if it was interrupted before the window began.
pub fn run(job: Job, listen: Listener) -> Result<Option<RunResult>, RunError> {
    let signals = Signals::new()?;
    process::raise_file_limit();
    if !job.cpus.is_empty() {
        let failed = |error| RunError::Cpus {
            cpus: job.cpus.clone(),
            error,
        };
        process::restrict_to(&job.cpus).map_err(failed)?;
    }
    if let Some(output) = &job.output {
        std::fs::create_dir_all(output).map_err(|error| RunError::Output {
            path: output.clone(),
            error,
        })?;
    }
    // What coordinates the workers is above them: it seldom has anything to do, but then at once.
    if job.real_time {
        process::run_in_real_time(COORDINATION_PRIORITY);
    }
    let job = Arc::new(job);
    let clock = Clock::new();
    let crew = Crew::start(&job, clock, signals)?;
    let Some(measured) = crew.measure(&job, listen)? else {
        return Ok(None);
    };
    if let Some(output) = job.output.as_ref().filter(|_| job.samples) {
        write_samples(&job, &measured, output.join("samples.parquet"))?;
    }
    let result = assemble(&job, &measured.frame, measured.outcomes);
    if let Some(output) = &job.output {
        let path = output.join("result.json");
        result.write(&path).map_err(|error| RunError::Output {
            path: path.clone(),
            error,
        })?;
        listen(&Event::Result { path: &path });
    }
    Ok(Some(result))
}

fn write_samples(job: &Job, measured: &Measured, path: PathBuf) -> Result<(), RunError> {
    let spills: Vec<&Path> = measured.outcomes.iter().filter_map(spill_path).collect();
    write_parquet(&path, &spills, job).map_err(|error| RunError::Samples { path, error })
}

fn spill_path(outcome: &Outcome) -> Option<&Path> {
    outcome.recorder.spill.as_ref().map(|spill| spill.path())
}
