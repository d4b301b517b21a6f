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
    let signals = Arc::new(Signals::new()?);
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
    let clock = Clock::new();
    let mut job = Arc::new(job);
    let mut other_addresses = job.target.other_addresses.clone().into_iter();
    let measured = loop {
        let crew = Crew::start(&job, clock, Arc::clone(&signals))?;
        let measured = crew.measure(&job, listen);
        drop(crew);
        let is_unreachable = matches!(measured, Err(RunError::Unreachable { .. }));
        match other_addresses.next() {
            Some(address) if is_unreachable => Arc::make_mut(&mut job).target.address = address,
            _ => break measured?,
        }
    };
    let Some(measured) = measured else {
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

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::*;
    use crate::job::from_command_line;

    #[test]
    fn a_name_may_lead_to_several_addresses() {
        let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr();
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let somebody = server.local_addr().unwrap();
        let answering = std::thread::spawn(move || {
            let (mut stream, _) = server.accept().unwrap();
            let mut asked = [0; 1024];
            assert!(stream.read(&mut asked).unwrap() > 0);
            let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
            stream.write_all(answer).unwrap();
        });
        let mut job = from_command_line(&serde_json::json!({
            "format": "wirelab-job/1",
            "target": { "transport": "http1", "address": somebody.to_string() },
            "pacer": { "kind": "closed" },
            "stop": { "transactions": 1 },
            "requests": [{}],
            "transactions": [{ "operation": "x", "rounds": [[0]] }],
        }))
        .unwrap();
        job.target.address = nobody.unwrap();
        let unreachable = run(job.clone(), &mut |_| {});
        assert!(matches!(unreachable, Err(RunError::Unreachable { .. })));
        job.target.other_addresses = vec![somebody];
        let result = run(job, &mut |_| {}).unwrap().unwrap();
        assert_eq!(result.failed(), 0);
        answering.join().unwrap();
    }
}
