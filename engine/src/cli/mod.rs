//! The command line.

mod build;
mod duration;
mod live;
#[cfg(test)]
mod manual;
mod options;
mod streams;
mod turns;
mod url;
mod values;

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::compare;
use crate::events::emit;
use crate::job;
use crate::null;
use crate::result::RunResult;
use crate::run::{RunError, run as run_job};

use live::LiveLine;
use options::Options;
use turns::TurnOptions;

const FAILED: u8 = 1;
const BAD_INPUT: u8 = 2;
const INTERRUPTED: u8 = 130;

/// Puts load on a server and says how fast it answers
///
/// Every answer is checked and every transaction is timed twice: from the moment it was meant to
/// start (response time, what a user feels) and from the moment it did (service time).
#[derive(Parser)]
#[command(
    name = "wirelab-load",
    version,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
Examples:
  wirelab-load http://127.0.0.1:8080/games -c 64 -d 10s
      as fast as 64 connections can, for ten seconds
  wirelab-load http://127.0.0.1:8080/games -c 64 -d 10s -r 5000
      5000 a second, evenly spaced, whether the server keeps up or not
  wirelab-load http://127.0.0.1:8080/games -n 1000 -X POST -H 'content-type: application/json' \\
      --body game.json
  wirelab-load grpc://127.0.0.1:9090/games.v1.Games/Ping -c 4 -m 16 --body request.bin
  echo -n '{\"op\":\"ping\"}' | wirelab-load ws://127.0.0.1:8080/ws --body @-
  wirelab-load https://127.0.0.1:8443/games -c 64 --ca ca.pem --no-reuse
      a fresh connection and a TLS handshake for each request
  wirelab-load grpc://127.0.0.1:9090/games.v1.Games/Watch --body request.bin --until-items 100
      a stream, left after 100 messages: time to the first and the last of them, and their rate
  wirelab-load http://127.0.0.1:8080/feed --items events
  wirelab-load http://127.0.0.1:8001/games http://127.0.0.1:8002/games --twin
      two servers in turns of 50 ms, and the first beside itself: which is faster, by how much,
      and how sure is that? They are not restarted, so it is about this start of them
  wirelab-load null http --port 8080
      a server that answers at once, to find out what this machine can do at most

With a job file, events go to standard output, one JSON object a line, and the result into the
job's output folder.

Exit codes: 0 done; 1 transactions failed (with a job file they are only counted), or the machine
did; 2 wrong input; 3 the server cannot be reached; 130 interrupted."
)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,

    /// http(s)://, h2c:// or h2:// (HTTP/2 without and with TLS), h3:// (HTTP/3), grpc(s):// or
    /// ws(s):// address, or several, which then take turns; or a job file in JSON
    #[arg(value_name = "URL or JOB.json", required = true)]
    targets: Vec<String>,

    #[command(flatten)]
    options: Options,

    #[command(flatten)]
    turns: TurnOptions,

    /// Print the result as JSON instead of the summary
    #[arg(long)]
    json: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Answers every request at once with the same body, for ceilings and qualification
    Null(null::Options),
}

/// Runs the program.
pub fn run() -> ExitCode {
    let arguments = Arguments::parse();
    let Some(first) = arguments.targets.first() else {
        return match arguments.command {
            Some(Command::Null(options)) => end(null::run(&options), FAILED),
            None => ExitCode::from(BAD_INPUT),
        };
    };
    let strange = |target: &&String| !target.contains("://");
    let has_turns = arguments.targets.len() > 1 || arguments.turns.twin;
    if let Some(other) = arguments.targets.iter().find(strange) {
        if has_turns {
            return refuse([format!(
                "{other}: not an address; expected several addresses, or one job file alone"
            )]);
        }
        if !other.ends_with(".json") && !Path::new(other).exists() {
            return refuse([format!(
                "{other}: neither a file nor an address; expected a job file, or one such as \
                 http://{other}"
            )]);
        }
        let has_options = arguments.options != Options::none();
        if arguments.json || has_options || arguments.turns != TurnOptions::NONE {
            return refuse([
                "a job file says everything itself; expected no options beside it".into(),
            ]);
        }
        return from_file(&PathBuf::from(other));
    }
    if has_turns {
        return compare(&arguments);
    }
    if arguments.turns != TurnOptions::NONE {
        return refuse([
            "--margin and --seed are for servers that take turns; expected several \
                        addresses, or --twin"
                .into(),
        ]);
    }
    from_options(first, &arguments.options, arguments.json)
}

fn from_file(path: &Path) -> ExitCode {
    match job::load(path) {
        Ok(job) => match settle(run_job(job, &mut |event| emit(event))) {
            Ok(result) if result.interrupted() => ExitCode::from(INTERRUPTED),
            Ok(_) => ExitCode::SUCCESS,
            Err(code) => code,
        },
        Err(problems) => refuse(problems),
    }
}

fn from_options(url: &str, options: &Options, json: bool) -> ExitCode {
    let job = match build::window(options, url) {
        Ok(job) => job,
        Err(problems) => return refuse(problems),
    };
    let heading = format!("{url}: {}\n", options.describe(&job.targets[0]));
    let mut live = LiveLine::new(std::io::stderr().is_terminal());
    let result = run_job(job, &mut |event| live.show(event));
    live.clear();
    let result = match settle(result) {
        Ok(result) => result,
        Err(code) => return code,
    };
    let text = if json {
        result.to_json()
    } else {
        format!("{heading}\n{}", result.summary())
    };
    print(&text, result.interrupted(), result.failed())
}

/// Lets servers take turns and says which is faster.
fn compare(arguments: &Arguments) -> ExitCode {
    let asked = arguments
        .turns
        .question(&arguments.targets, &arguments.options);
    let (job, question) = match asked {
        Ok(asked) => asked,
        Err(problems) => return refuse(problems),
    };
    let mut live = LiveLine::new(std::io::stderr().is_terminal());
    let compared = compare::run(job, question, &mut live);
    live.clear();
    match compared {
        Ok(Some(comparison)) => {
            let text = match arguments.json {
                true => comparison.to_json(),
                false => comparison.to_string(),
            };
            print(&text, comparison.interrupted(), comparison.failed())
        }
        Ok(None) => interrupted(),
        Err(error) => {
            let code = error.exit_code();
            end(Err(error), code)
        }
    }
}

/// Prints what has come of it, and says how the program has to end.
fn print(text: &str, is_interrupted: bool, failed: u64) -> ExitCode {
    match writeln!(std::io::stdout(), "{text}") {
        // A reader that has gone away has seen enough.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            return end(
                Err(format!("the result cannot be written: {error}")),
                FAILED,
            );
        }
        _ => {}
    }
    match (is_interrupted, failed) {
        (true, _) => ExitCode::from(INTERRUPTED),
        (false, 0) => ExitCode::SUCCESS,
        (false, _) => ExitCode::from(FAILED),
    }
}

fn interrupted() -> ExitCode {
    eprintln!("interrupted before the measurement began");
    ExitCode::from(INTERRUPTED)
}

/// What a run has come to. The error is how the program has to end, everything having been said.
fn settle(outcome: Result<Option<RunResult>, RunError>) -> Result<RunResult, ExitCode> {
    match outcome {
        Ok(Some(result)) => Ok(result),
        Ok(None) => Err(interrupted()),
        Err(error) => {
            let code = error.exit_code();
            Err(end(Err(error), code))
        }
    }
}

fn end<Error: std::fmt::Display>(result: Result<(), Error>, code: u8) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(code)
        }
    }
}

fn refuse(problems: impl IntoIterator<Item = String>) -> ExitCode {
    for problem in problems {
        eprintln!("error: {problem}");
    }
    ExitCode::from(BAD_INPUT)
}
