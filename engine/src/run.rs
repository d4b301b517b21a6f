//! The course of a run: connect, warm up, wait for the word, measure, write.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::crew::{Caller, Unreachable};
use crate::events::Listener;
use crate::flow::Mismatch;
use crate::job::{Job, Task};
use crate::result::{RunResult, Statuses};
use crate::session::Session;
use crate::system::process;

const COORDINATION_PRIORITY: i32 = 2;

#[derive(Debug, Error)]
pub enum RunError {
    #[error("{} cannot be reached: {} ({})", .0.address, .0.fault.detail, .0.fault.failure.name())]
    Unreachable(Unreachable),
    #[error(
        "{address} does not answer --first as it has to ({}): {}{}",
        .mismatch.failure.name(), difference(*.statuses_of, .mismatch), begins(.mismatch)
    )]
    Refused {
        address: String,
        statuses_of: Statuses,
        mismatch: Box<Mismatch>,
    },
    #[error("{url}: none of {transactions} transactions {when} succeeded ({errors}), so {so}")]
    NothingSucceeded {
        url: String,
        when: &'static str,
        transactions: u64,
        errors: String,
        so: &'static str,
    },
    #[error("a command is refused: {}", .0.join("; "))]
    Command(Vec<String>),
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

fn difference(statuses_of: Statuses, mismatch: &Mismatch) -> String {
    let (reason, status) = (mismatch.reason, mismatch.status);
    statuses_of.difference(reason, status, &mismatch.expected, &mismatch.got)
}

/// The beginning of an answer, if there is any.
fn begins(mismatch: &Mismatch) -> String {
    match mismatch.excerpt.as_str() {
        "" => String::new(),
        excerpt => format!("; the answer begins {excerpt:?}"),
    }
}

impl RunError {
    /// The exit code of the program.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Unreachable(_) | Self::Refused { .. } => 3,
            Self::Cpus { .. } | Self::Command(_) => 2,
            _ => 1,
        }
    }
}

/// Carries out a job. No result if it was interrupted before the first slice.
pub fn run(job: Job, listen: Listener) -> Result<Option<RunResult>, RunError> {
    prepare(&job)?;
    let caller = Caller::new(matches!(job.task, Task::Commands))?;
    let Some(mut session) = Session::open(job, caller, listen)? else {
        return Ok(None);
    };
    match session.follow(listen) {
        Ok(is_whole) => session.finish(!is_whole, listen),
        // What has been measured before is kept.
        Err(refused @ RunError::Command(_)) => {
            session.finish(true, listen)?;
            Err(refused)
        }
        Err(error) => Err(error),
    }
}

/// Makes ready what all jobs need of the machine.
pub fn prepare(job: &Job) -> Result<(), RunError> {
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
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpListener};
    use std::sync::Arc;

    use super::*;
    use crate::failure::Failure;
    use crate::job::from_command_line;

    fn job(address: SocketAddr, others: &[SocketAddr], transport: &str) -> Job {
        let mut job = from_command_line(&serde_json::json!({
            "format": "wirelab-job/2",
            "targets": [{
                "name": "x",
                "transport": transport,
                "address": address.to_string(),
                "pacer": { "kind": "closed" },
                "requests": [{}],
                "transactions": [{ "operation": "x", "rounds": [[0]] }],
            }],
            "stop": { "transactions": 1 },
        }))
        .unwrap();
        let endpoint = &mut Arc::make_mut(&mut job.targets[0]).endpoint;
        endpoint.other_addresses = others.to_vec();
        job
    }

    #[test]
    fn a_server_that_refuses_the_handshake_is_not_absent() {
        let refusing = TcpListener::bind("127.0.0.1:0").unwrap();
        let first = refusing.local_addr().unwrap();
        let refused = std::thread::spawn(move || {
            let (mut stream, _) = refusing.accept().unwrap();
            let mut asked = [0; 1024];
            assert!(stream.read(&mut asked).unwrap() > 0);
            let answer = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
            stream.write_all(answer).unwrap();
        });
        let other = TcpListener::bind("127.0.0.1:0").unwrap();
        other.set_nonblocking(true).unwrap();
        let others = [other.local_addr().unwrap()];
        let Err(RunError::Unreachable(unreachable)) =
            run(job(first, &others, "websocket"), &mut |_| {})
        else {
            panic!("the handshake was refused");
        };
        assert_eq!(unreachable.fault.failure, Failure::HandshakeFailed);
        assert!(other.accept().is_err(), "nothing but the first was tried");
        refused.join().unwrap();
    }

    #[test]
    fn a_name_may_lead_to_several_addresses() {
        let nobody = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap();
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let somebody = server.local_addr().unwrap();
        let answering = std::thread::spawn(move || {
            let (mut stream, _) = server.accept().unwrap();
            let mut asked = [0; 1024];
            assert!(stream.read(&mut asked).unwrap() > 0);
            let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
            stream.write_all(answer).unwrap();
        });
        let unreachable = run(job(nobody, &[], "http1"), &mut |_| {});
        assert!(matches!(unreachable, Err(RunError::Unreachable(_))));
        let result = run(job(nobody, &[somebody], "http1"), &mut |_| {});
        let result = result.unwrap().unwrap();
        assert_eq!(result.failed(), 0);
        answering.join().unwrap();
    }
}
