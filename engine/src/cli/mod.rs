//! The command line.

mod arguments;
mod blueprints;
mod build;
mod capacity;
mod captures;
mod connect;
mod content;
mod course;
mod csv;
mod expect;
mod file;
mod instant;
mod json_body;
mod limits;
mod live;
mod load;
mod load_view;
#[cfg(test)]
mod manual;
mod options;
mod prepare;
mod prepared;
mod readiness;
mod replay;
mod streams;
mod table;
mod target;
mod targets;
mod template;
mod turns;
mod url;
mod values;

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use clap_complete::generate;

use crate::capacity_run;
use crate::compare;
use crate::error::RunError;
use crate::events::emit;
use crate::job::{self, Job};
use crate::null;
use crate::result::RunResult;
use crate::result::text::{BAD, readable, styled};
use crate::run::run as run_job;

use arguments::{Arguments, Command, Format};
use capacity::CapacityOptions;
use live::LiveLine;
use load_view::LoadView;
use options::Options;
use turns::TurnOptions;

const FAILED: u8 = 1;
const BAD_INPUT: u8 = 2;
/// The same exit code as that of `wirelab compare`.
const BEYOND_LIMIT: u8 = 12;
/// The exit code of a search whose time ended, or whose server changed.
const UNSETTLED: u8 = 13;
const INTERRUPTED: u8 = 130;

/// Runs the program `wirelab-load` with the arguments of the process, and returns its exit code.
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
    if arguments.targets.is_empty() {
        match blueprints::server(&arguments.options.content) {
            Some(Ok(server)) => arguments.targets.push(server),
            Some(Err(problems)) => return refuse(problems),
            None => {}
        }
    }
    let Some(first) = arguments.targets.first() else {
        return ExitCode::from(BAD_INPUT);
    };
    let is_no_address = |target: &&String| !target.contains("://");
    let has_turns = arguments.targets.len() > 1 || arguments.turns.twin;
    if let Some(other) = arguments.targets.iter().find(is_no_address) {
        if has_turns {
            return refuse([format!(
                "{other}: not an address; expected several addresses, or a single job file"
            )]);
        }
        if !other.ends_with(".json") && !Path::new(other).exists() {
            return refuse([format!(
                "{other}: neither a file nor an address; expected a job file, or one such as \
                 http://{other}"
            )]);
        }
        let has_options = arguments.options != Options::none() || arguments.is_about_printing();
        let has_others =
            arguments.turns != TurnOptions::NONE || arguments.capacity != CapacityOptions::NONE;
        if has_options || has_others {
            return refuse([
                "options do not apply to a job file; expected only the job file".into(),
            ]);
        }
        return from_file(&PathBuf::from(other));
    }
    let is_one_load = !has_turns && arguments.capacity == CapacityOptions::NONE;
    if arguments.print_job && !is_one_load {
        return refuse([
            "--print-job requires one load on one server; expected one address".into(),
        ]);
    }
    if arguments.print_job && arguments.options.content.takes_values() {
        return refuse([
            "a job file cannot use values of answers, so --print-job and `wirelab load` do not \
             support --first, --capture and --follow; expected a load without them"
                .into(),
        ]);
    }
    if has_turns && arguments.capacity != CapacityOptions::NONE {
        return refuse(["--find-capacity requires one server; expected one address".into()]);
    }
    if has_turns {
        return compare(&arguments);
    }
    if arguments.turns != TurnOptions::NONE {
        return refuse([
            "--margin requires servers that take turns; expected several addresses, or --twin"
                .into(),
        ]);
    }
    if arguments.capacity.objective.is_some() {
        return find_capacity(first, &arguments);
    }
    if arguments.capacity != CapacityOptions::NONE {
        return refuse(["--max-rate and --trial require --find-capacity".into()]);
    }
    if arguments.print_job {
        return match build::written(&arguments.options, first, arguments.with_credentials) {
            Ok(job) => print(&format!("{job:#}"), false, 0, &[]),
            Err(problems) => refuse(problems),
        };
    }
    from_options(first, &arguments)
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
    if let Err(code) = await_servers(&job, arguments) {
        return code;
    }
    let heading = format!("{url}\n  {}\n", options.describe(&job.targets[0]));
    let mut view = LoadView::of(&job);
    view.begin();
    let result = run_job(job, &mut |event| view.show(event));
    view.clear();
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
    let failed = arguments.failures(result.failed());
    print(&text, result.interrupted(), failed, &breaches)
}

/// Searches for the highest rate at which an objective is kept.
fn find_capacity(url: &str, arguments: &Arguments) -> ExitCode {
    let (job, question) = match arguments.search(url) {
        Ok(asked) => asked,
        Err(problems) => return refuse(problems),
    };
    if let Err(code) = await_servers(&job, arguments) {
        return code;
    }
    let mut live = LiveLine::new();
    let found = capacity_run::run(job, &question, &mut live);
    live.clear();
    match found {
        Ok(Some(capacity)) => {
            let text = match arguments.format() {
                Format::Json => capacity.to_json(),
                _ => capacity.to_string(),
            };
            let printed = print(&text, capacity.interrupted, 0, &[]);
            match (capacity.interrupted, capacity.is_settled()) {
                (true, _) => printed,
                (_, false) => ExitCode::from(UNSETTLED),
                _ if capacity.is_hopeless() => ExitCode::from(BEYOND_LIMIT),
                _ => printed,
            }
        }
        Ok(None) => interrupted(),
        Err(error) => {
            let code = error.exit_code();
            end(Err(error), code)
        }
    }
}

/// Compares servers that take turns.
fn compare(arguments: &Arguments) -> ExitCode {
    let asked = arguments
        .turns
        .question(&arguments.targets, &arguments.options);
    let mut problems = arguments.limit_problems(arguments.targets.len());
    let asked = asked.map_err(|found| problems.extend(found));
    let (Ok((job, question)), true) = (asked, problems.is_empty()) else {
        return refuse(problems);
    };
    if let Err(code) = await_servers(&job, arguments) {
        return code;
    }
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
                arguments.failures(comparison.failed()),
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

/// Waits until the servers of a job answer, if this was requested. The error is the exit code.
fn await_servers(job: &Job, arguments: &Arguments) -> Result<(), ExitCode> {
    let Some(seconds) = arguments.options.connect.wait else {
        return Ok(());
    };
    let mut live = LiveLine::new();
    let waited = readiness::wait(job, seconds, &mut live);
    live.clear();
    match waited {
        Ok(true) => Ok(()),
        Ok(false) => Err(interrupted()),
        Err(error) => {
            let code = error.exit_code();
            Err(end(Err(error), code))
        }
    }
}

/// Prints the result and the exceeded limits; returns the exit code.
fn print(text: &str, is_interrupted: bool, failed: u64, breaches: &[String]) -> ExitCode {
    match writeln!(anstream::stdout(), "{text}") {
        // A reader that has closed the pipe has seen enough.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            return end(Err(format!("cannot write the result: {error}")), FAILED);
        }
        _ => {}
    }
    complain(breaches);
    match (is_interrupted, failed, breaches) {
        (true, ..) => ExitCode::from(INTERRUPTED),
        (false, 0, []) => ExitCode::SUCCESS,
        (false, 0, _) => ExitCode::from(BEYOND_LIMIT),
        (false, ..) => ExitCode::from(FAILED),
    }
}

fn interrupted() -> ExitCode {
    let _ = writeln!(
        anstream::stderr(),
        "interrupted before the measurement began"
    );
    ExitCode::from(INTERRUPTED)
}

/// The result of a run. The error is the exit code, after the message has been printed.
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
            complain([error]);
            ExitCode::from(code)
        }
    }
}

fn refuse(problems: impl IntoIterator<Item = String>) -> ExitCode {
    complain(problems);
    ExitCode::from(BAD_INPUT)
}

fn complain(problems: impl IntoIterator<Item = impl std::fmt::Display>) {
    for problem in problems {
        // It fails only if nobody can read it.
        let problem = readable(&problem.to_string());
        let _ = writeln!(anstream::stderr(), "{} {problem}", styled(BAD, "error:"));
    }
}
