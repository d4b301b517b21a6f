//! The course of a run: connect, warm up, wait for the word, measure, write.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

use crate::clock::Clock;
use crate::crew::Crew;
use crate::events::{Event, emit};
use crate::failure::Fault;
use crate::job::Job;
use crate::recorder::write_parquet;
use crate::result::assemble;
use crate::system::process;
use crate::system::signals::Signals;
use crate::worker::Outcome;

/// How a run ended that was not stopped by an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Done,
    Interrupted,
}

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

/// Runs a job from beginning to end.
pub fn run(job: Job) -> Result<Ending, RunError> {
    let signals = Signals::new()?;
    process::raise_file_limit();
    if !job.cpus.is_empty() {
        let failed = |error| RunError::Cpus {
            cpus: job.cpus.clone(),
            error,
        };
        process::restrict_to(&job.cpus).map_err(failed)?;
    }
    let output = job.output.clone();
    std::fs::create_dir_all(&output).map_err(|error| RunError::Output {
        path: output.clone(),
        error,
    })?;
    let job = Arc::new(job);
    let clock = Clock::new();
    let crew = Crew::start(&job, clock, signals)?;
    let Some(measured) = crew.measure(&job)? else {
        return Ok(Ending::Interrupted);
    };

    let samples = output.join("samples.parquet");
    if job.samples {
        let spills: Vec<&Path> = measured.outcomes.iter().filter_map(spill_path).collect();
        write_parquet(&samples, &spills, &job.transactions).map_err(|error| RunError::Samples {
            path: samples,
            error,
        })?;
    }
    let path = output.join("result.json");
    assemble(&job, &measured.frame, measured.outcomes)
        .write(&path)
        .map_err(|error| RunError::Output {
            path: path.clone(),
            error,
        })?;
    emit(&Event::Result { path: &path });
    Ok(if measured.frame.interrupted {
        Ending::Interrupted
    } else {
        Ending::Done
    })
}

fn spill_path(outcome: &Outcome) -> Option<&Path> {
    outcome.recorder.spill.as_ref().map(|spill| spill.path())
}
