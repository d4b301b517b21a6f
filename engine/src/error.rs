//! Why a run ends without a result, in the words of the message, and with which exit code.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::failure::Fault;
use crate::flow::Mismatch;
use crate::result::Statuses;

/// A target to which not all connections could be opened.
#[derive(Debug)]
pub struct Unreachable {
    /// Index into the job's targets.
    pub target: usize,
    /// The socket address; with several targets after the target's name.
    pub address: String,
    pub fault: Fault,
}

/// Why a run ended without a result.
#[derive(Debug, Error)]
pub enum RunError {
    #[error("{} cannot be reached: {} ({})", .0.address, .0.fault.detail, .0.fault.failure.name())]
    Unreachable(Unreachable),
    #[error(
        "{address} answers --first incorrectly ({}): {}{}",
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
    #[error("invalid command: {}", .0.join("; "))]
    Command(Vec<String>),
    #[error("cannot use CPUs {cpus:?}: {error}; expected CPUs that this process may run on")]
    Cpus { cpus: Vec<usize>, error: io::Error },
    #[error("{}: {error}", path.display())]
    Output { path: PathBuf, error: io::Error },
    #[error("cannot write the samples to {}: {error}", path.display())]
    Samples {
        path: PathBuf,
        error: parquet::errors::ParquetError,
    },
    #[error("a worker failed: {0}")]
    Worker(io::Error),
    #[error("system call failed: {0}")]
    System(#[from] io::Error),
}

fn difference(statuses_of: Statuses, mismatch: &Mismatch) -> String {
    let (reason, status) = (mismatch.reason, mismatch.status);
    statuses_of.difference(reason, status, &mismatch.expected, &mismatch.got)
}

/// The beginning of the answer, if there is one.
fn begins(mismatch: &Mismatch) -> String {
    match mismatch.excerpt.as_str() {
        "" => String::new(),
        excerpt => format!("; the answer begins with {excerpt:?}"),
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
