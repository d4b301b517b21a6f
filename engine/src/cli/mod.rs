//! The command line.

mod blueprints;
mod build;
mod content;
mod csv;
mod duration;
mod har;
mod limits;
mod live;
#[cfg(test)]
mod manual;
mod options;
mod prepare;
mod streams;
mod table;
mod targets;
mod template;
mod turns;
mod url;
mod values;

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::{Shell, generate};

use crate::compare;
use crate::events::emit;
use crate::job;
use crate::null;
use crate::result::{Measured, RunResult};
use crate::run::{RunError, run as run_job};

use limits::{Limit, Metric, limit};
use live::LiveLine;
use options::Options;
use targets::Targets;
use turns::TurnOptions;

const FAILED: u8 = 1;
const BAD_INPUT: u8 = 2;
/// The same that `wirelab compare` has for it.
const BEYOND_LIMIT: u8 = 12;
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
  wirelab-load http://127.0.0.1:8080/games -n 1000 --data '{\"title\": \"Chess\"}' --user me:secret
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
  wirelab-load 'http://127.0.0.1:8080/games/{id}' --csv games.csv -d 10s --fail-if 'p99>20ms'
      each request with the next row of the table; exit code 12 if the limit is not kept
  wirelab-load --targets targets.txt --stages 10s:100,30s:100..500
      the requests of a file of vegeta's, or of a HAR file, at 100 a second and then more and more
  wirelab-load null http --port 8080
      a server that answers at once, to find out what this machine can do at most

With a job file, events go to standard output, one JSON object a line, and the result into the
job's output folder.

Exit codes: 0 done; 1 transactions failed (with a job file they are only counted), or the machine
did; 2 wrong input; 3 the server cannot be reached; 12 a figure is beyond a limit of --fail-if;
130 interrupted."
)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,

    /// http(s)://, h2c:// or h2:// (HTTP/2 without and with TLS), h3:// (HTTP/3), grpc(s):// or
    /// ws(s):// address, or several, which then take turns; or a job file in JSON
    #[arg(value_name = "URL or JOB.json", required_unless_present = "requests")]
    targets: Vec<String>,

    #[command(flatten)]
    options: Options,

    #[command(flatten)]
    turns: TurnOptions,

    /// How to print the result; csv has a line for each operation, or for each of several servers
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,

    /// The same as --output json
    #[arg(long, conflicts_with = "output")]
    json: bool,

    /// End with exit code 12 if a figure is beyond a limit: typical, mean, max, p50 to p999 with a
    /// unit (p99>20ms), rate<1000, and of several servers ratio>1.1 or B.p99>20ms; may be repeated
    #[arg(long, value_parser = limit, value_name = "METRIC>VALUE")]
    fail_if: Vec<Limit>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    #[default]
    Summary,
    Json,
    Csv,
}

#[derive(Subcommand)]
enum Command {
    /// Answers every request at once with the same body, for ceilings and qualification
    Null(null::Options),
    /// Prints what a shell needs to complete the options, such as
    /// wirelab-load completion bash > ~/.local/share/bash-completion/completions/wirelab-load
    Completion { shell: Shell },
}

/// Runs the program.
pub fn run() -> ExitCode {
    let mut arguments = Arguments::parse();
    match &arguments.command {
        Some(Command::Null(options)) => return end(null::run(options), FAILED),
        Some(Command::Completion { shell }) => {
            let mut script = Vec::new();
            generate(
                *shell,
                &mut Arguments::command(),
                "wirelab-load",
                &mut script,
            );
            return print(String::from_utf8_lossy(&script).trim_end(), false, 0, &[]);
        }
        None => {}
    }
    if let (true, Some(path)) = (
        arguments.targets.is_empty(),
        &arguments.options.content.requests,
    ) {
        let named = |problem| vec![format!("--targets {}: {problem}", path.display())];
        let server = Targets::read(path).and_then(|targets| targets.server().map_err(named));
        match server {
            Ok(server) => arguments.targets.push(server),
            Err(problems) => return refuse(problems),
        }
    }
    let Some(first) = arguments.targets.first() else {
        return ExitCode::from(BAD_INPUT);
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
        let is_printed = arguments.format() != Format::Summary || !arguments.fail_if.is_empty();
        let has_options = arguments.options != Options::none() || is_printed;
        if has_options || arguments.turns != TurnOptions::NONE {
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
    from_options(first, &arguments)
}

impl Arguments {
    fn format(&self) -> Format {
        if self.json { Format::Json } else { self.output }
    }

    /// What is wrong with limits for so many servers.
    fn limit_problems(&self, servers: usize) -> Vec<String> {
        let problem = |limit: &Limit| {
            let letters: Vec<String> = (0..servers).map(compare::letter).collect();
            let written = &limit.written;
            match &limit.server {
                _ if limit.metric == Metric::Ratio && servers == 1 => Some(format!(
                    "--fail-if {written}: a ratio of one server; expected another metric, or \
                     several addresses"
                )),
                Some(_) if servers == 1 => Some(format!(
                    "--fail-if {written}: a server of several; expected none, or several addresses"
                )),
                Some(server) if !letters.contains(server) => Some(format!(
                    "--fail-if {written}: there is no server {server}; expected one of {}",
                    letters.join(", ")
                )),
                _ => None,
            }
        };
        self.fail_if.iter().filter_map(problem).collect()
    }

    /// Which limits are not kept, and why.
    fn breaches(&self, measured: &[(&str, &str, Measured)]) -> Vec<String> {
        let mut breaches = Vec::new();
        for limit in &self.fail_if {
            for (label, url, measured) in measured {
                let is_meant = limit.server.as_deref().is_none_or(|it| it == *label);
                // The first server has none.
                let has_ratio = limit.metric != Metric::Ratio || *label != compare::letter(0);
                if let (true, true, Some(breach)) = (is_meant, has_ratio, limit.breach(measured)) {
                    breaches.push(format!("--fail-if {}: {url}: {breach}", limit.written));
                }
            }
        }
        breaches
    }
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

fn from_options(url: &str, arguments: &Arguments) -> ExitCode {
    let options = &arguments.options;
    let mut problems = arguments.limit_problems(1);
    let job = build::window(options, url).map_err(|found| problems.extend(found));
    let (Ok(job), true) = (job, problems.is_empty()) else {
        return refuse(problems);
    };
    let heading = format!("{url}: {}\n", options.describe(&job.targets[0]));
    let mut live = LiveLine::new();
    let result = run_job(job, &mut |event| live.show(event));
    live.clear();
    let result = match settle(result) {
        Ok(result) => result,
        Err(code) => return code,
    };
    let text = match arguments.format() {
        Format::Summary => format!("{heading}\n{}", result.summary()),
        Format::Json => result.to_json(),
        Format::Csv => csv::result(&result),
    };
    let breaches = arguments.breaches(&[("", url, result.figures(0).into())]);
    print(&text, result.interrupted(), result.failed(), &breaches)
}

/// Lets servers take turns and says which is faster.
fn compare(arguments: &Arguments) -> ExitCode {
    let asked = arguments
        .turns
        .question(&arguments.targets, &arguments.options);
    let mut problems = arguments.limit_problems(arguments.targets.len());
    let asked = asked.map_err(|found| problems.extend(found));
    let (Ok((job, question)), true) = (asked, problems.is_empty()) else {
        return refuse(problems);
    };
    let mut live = LiveLine::new();
    let compared = compare::run(job, question, &mut live);
    live.clear();
    match compared {
        Ok(Some(comparison)) => {
            let text = match arguments.format() {
                Format::Summary => comparison.to_string(),
                Format::Json => comparison.to_json(),
                Format::Csv => csv::comparison(&comparison),
            };
            let breaches = arguments.breaches(&comparison.measured());
            print(
                &text,
                comparison.interrupted(),
                comparison.failed(),
                &breaches,
            )
        }
        Ok(None) => interrupted(),
        Err(error) => {
            let code = error.exit_code();
            end(Err(error), code)
        }
    }
}

/// Prints what has come of it, and says how the program has to end.
fn print(text: &str, is_interrupted: bool, failed: u64, breaches: &[String]) -> ExitCode {
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
    for breach in breaches {
        eprintln!("error: {breach}");
    }
    match (is_interrupted, failed, breaches) {
        (true, ..) => ExitCode::from(INTERRUPTED),
        (false, 0, []) => ExitCode::SUCCESS,
        (false, 0, _) => ExitCode::from(BEYOND_LIMIT),
        (false, ..) => ExitCode::from(FAILED),
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
