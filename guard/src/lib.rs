//! Runs a program so that nothing of it outlives its parent.
//!
//! The guard is a child subreaper: every descendant that loses its parent becomes a child of the
//! guard, even in another session or process group. So the guard has no children exactly if no
//! descendant of the program is left, and no process can escape by forking twice.

mod options;
mod program;
mod supervise;
mod tree;
mod watch;

use std::ffi::OsString;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use nix::sched::{CloneFlags, CpuSet, sched_getaffinity, sched_setaffinity, setns};
use nix::sys::prctl;
use nix::unistd::{Pid, setsid};

use options::Options;
use program::{Account, CannotStart};
use supervise::{Terms, supervise};
use watch::Watch;

/// The exit code if an option is invalid; nothing was started.
const BAD_INPUT: u8 = 2;

/// The time limit of the `--on-end` command.
const ON_END_LIMIT: Duration = Duration::from_secs(60);

/// Runs the program `wirelab-guard` with the arguments of the process, and returns its exit code.
pub fn run() -> ExitCode {
    let options = Options::parse();
    let code = match prepare(&options) {
        Ok((mut watch, account)) => {
            let code = guard(&options, &mut watch, account.as_ref());
            end(&options.on_end, &mut watch);
            code
        }
        Err(message) => {
            say(message);
            BAD_INPUT
        }
    };
    ExitCode::from(code)
}

/// Prepares this process before anything is started.
fn prepare(options: &Options) -> Result<(Watch, Option<Account>), String> {
    if !Path::new("/proc/self/stat").exists() {
        return Err("/proc is not mounted; expected it, to find descendants".to_owned());
    }
    let account = options.user.as_deref().map(Account::find).transpose()?;
    let lifeline = options.lifeline.map(watch::take_lifeline).transpose()?;
    let watch = Watch::new(lifeline).map_err(|error| format!("cannot watch signals: {error}"))?;
    // This fails only for the leader of a process group (a job of an interactive shell), which then
    // stays in its session: descendants are found by their parents, not by session.
    let _ = setsid();
    prctl::set_child_subreaper(true)
        .map_err(|error| format!("cannot become a child subreaper: {error}"))?;
    if let Some(cpus) = &options.cpus {
        pin(&cpus.0)?;
    }
    if let Some(namespace) = &options.network {
        enter(namespace)?;
    }
    Ok((watch, account))
}

/// Moves this process, and so all that it starts, into a network namespace.
fn enter(namespace: &Path) -> Result<(), String> {
    let wrong = |error: &dyn Display| format!("--network {}: {error}", namespace.display());
    let file = File::open(namespace).map_err(|error| wrong(&error))?;
    setns(file, CloneFlags::CLONE_NEWNET).map_err(|error| wrong(&error))
}

/// Pins this process, and so all that it starts, to `cpus`.
fn pin(cpus: &[usize]) -> Result<(), String> {
    let this = Pid::from_raw(0);
    let allowed = sched_getaffinity(this).map_err(|error| format!("cannot read CPUs: {error}"))?;
    let mut wanted = CpuSet::new();
    for &cpu in cpus {
        // The kernel ignores missing CPUs as long as one of the others exists.
        if !allowed.is_set(cpu).unwrap_or(false) {
            let known = (0..CpuSet::count()).filter(|&cpu| allowed.is_set(cpu).unwrap_or(false));
            let known: Vec<String> = known.map(|cpu| cpu.to_string()).collect();
            return Err(format!(
                "--cpus: no CPU {cpu}; expected some of {}",
                known.join(",")
            ));
        }
        wanted
            .set(cpu)
            .map_err(|error| format!("--cpus: {cpu}: {error}"))?;
    }
    sched_setaffinity(this, &wanted).map_err(|error| format!("--cpus: {error}"))
}

/// Starts the program and waits until no descendant of it is left; returns the exit code.
fn guard(options: &Options, watch: &mut Watch, account: Option<&Account>) -> u8 {
    let keep_input = options.lifeline == Some(0);
    match program::start(
        &options.program,
        account,
        keep_input,
        options.no_new_privileges,
    ) {
        Ok(pid) => {
            let terms = Terms {
                grace: options.grace,
                interruptible: true,
                limit: None,
            };
            supervise(pid, watch, &terms)
        }
        Err(CannotStart { message, code }) => {
            say(message);
            code
        }
    }
}

/// Runs the `--on-end` command, even after a failure.
fn end(command: &[OsString], watch: &mut Watch) {
    if command.is_empty() {
        return;
    }
    let name = Path::new(&command[0]).display();
    match program::start_on_end(command) {
        Ok(pid) => {
            let limit = Some(ON_END_LIMIT);
            let terms = Terms {
                grace: Duration::ZERO,
                interruptible: false,
                limit,
            };
            let code = supervise(pid, watch, &terms);
            if code != 0 {
                say(format!("--on-end: {name} exited with {code}"));
            }
        }
        Err(CannotStart { message, .. }) => say(format!("--on-end: {message}")),
    }
}

/// Prints a line on standard error. `eprintln!` would panic if its reader has ended, which is when
/// the guard is needed.
fn say(message: impl Display) {
    let _ = writeln!(io::stderr(), "wirelab-guard: {message}");
}
