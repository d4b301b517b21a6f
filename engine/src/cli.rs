//! The command line.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use crate::job;
use crate::run::{self, Ending};

/// Drives load as a job file says and records every transaction.
///
/// Events go to standard output, one JSON object a line; the result into the job's output folder.
#[derive(Parser)]
#[command(
    name = "wirelab-load",
    version,
    after_help = "Exit codes: 0 done, 1 the machine failed \
    (disk, descriptors), 2 the job is wrong, 3 the server cannot be reached, 130 interrupted."
)]
struct Arguments {
    /// The job, a JSON file in the format wirelab-job/1
    job: PathBuf,
}

/// Runs the program.
pub fn run() -> ExitCode {
    let arguments = Arguments::parse();
    let job = match job::load(&arguments.job) {
        Ok(job) => job,
        Err(problems) => {
            problems
                .iter()
                .for_each(|problem| eprintln!("error: {problem}"));
            return ExitCode::from(2);
        }
    };
    match run::run(job) {
        Ok(Ending::Done) => ExitCode::SUCCESS,
        Ok(Ending::Interrupted) => ExitCode::from(130),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}
