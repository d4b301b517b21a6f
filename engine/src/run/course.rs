//! Carries out a job's task: windows, slices in a given order, or commands.

use crate::capacity::Question;
use crate::capacity_run;
use crate::display::NoDisplay;
use crate::error::RunError;
use crate::events::{Event, Listener};
use crate::job::command::{self, Command, SearchCommand};
use crate::job::{Permutations, Slice, StopRule, Task, WarmUp};
use crate::session::Session;

/// The warm-up of a target before a search for its capacity.
const SEARCH_WARM_UP_S: f64 = 0.5;

/// Carries out the job's task. False if it was interrupted.
pub fn follow(session: &mut Session, listen: Listener) -> Result<bool, RunError> {
    match session.job().task.clone() {
        Task::Windows { warm_up, stop } => {
            warm_up_all(session, warm_up, listen)?;
            windows(session, stop, listen)?;
        }
        Task::Slices {
            warm_up,
            permutations,
        } => {
            warm_up_all(session, warm_up, listen)?;
            take_turns(session, &permutations, listen)?;
        }
        Task::Commands => return obey(session, listen),
    }
    Ok(!session.is_interrupted())
}

/// Warms up each target in turn.
fn warm_up_all(session: &mut Session, warm_up: WarmUp, listen: Listener) -> Result<(), RunError> {
    for target in 0..session.job().targets.len() {
        if session.is_interrupted() {
            break;
        }
        session.warm_up(target, warm_up, listen)?;
    }
    Ok(())
}

/// Carries out one window for each target, in the order of the job.
fn windows(session: &mut Session, stop: StopRule, listen: Listener) -> Result<(), RunError> {
    let windows = (0..session.job().targets.len()).map(|target| Slice {
        target,
        first: None,
        guard_ns: 0,
        begin_monotonic_ns: None,
        stop,
        seed: None,
        pacer: None,
        objective: None,
        recorded: true,
    });
    carry_out(session, windows, listen)
}

/// Carries out the slices of all permutations, in their order.
fn take_turns(
    session: &mut Session,
    list: &Permutations,
    listen: Listener,
) -> Result<(), RunError> {
    let seed = session.job().seed;
    let slices = list
        .orders
        .iter()
        .zip(0..)
        .flat_map(|(order, number)| order.iter().map(move |target| (*target, number)));
    let slices = slices.map(|(target, number)| Slice {
        target,
        first: None,
        guard_ns: list.guard_ns,
        begin_monotonic_ns: None,
        stop: list.stop,
        // The schedules of a permutation are the same for all its targets.
        seed: Some(seed.wrapping_add(number)),
        pacer: None,
        objective: None,
        recorded: true,
    });
    carry_out(session, slices, listen)
}

/// Carries out slices, one after the other.
fn carry_out(
    session: &mut Session,
    slices: impl IntoIterator<Item = Slice>,
    listen: Listener,
) -> Result<(), RunError> {
    for slice in slices {
        if session.is_interrupted() {
            break;
        }
        session.slice(&slice, listen)?;
    }
    Ok(())
}

/// Carries out commands as they arrive. False if standard input ended without `finish`.
fn obey(session: &mut Session, listen: Listener) -> Result<bool, RunError> {
    while let Some(line) = session.next_command()? {
        let command = command::parse(&line, &session.job().targets).map_err(RunError::Command)?;
        match command {
            Command::WarmUp { target, warm_up } => {
                session.warm_up(target, warm_up, listen)?;
            }
            Command::Slices(slices) => {
                carry_out(session, slices, listen)?;
                if !session.is_interrupted() {
                    listen(&Event::Idle);
                }
            }
            Command::Capacity(search) => find_capacity(session, search, listen)?,
            Command::Finish => return Ok(true),
        }
    }
    Ok(false)
}

/// Searches for the capacity of a target, and reports it, or why no rate can be searched around.
fn find_capacity(
    session: &mut Session,
    search: SearchCommand,
    listen: Listener,
) -> Result<(), RunError> {
    let connections = &session.target(search.target).connections;
    let question = Question {
        target: search.target,
        url: session.target(search.target).name.clone(),
        load: String::new(),
        objective: search.objective,
        most_clients: u32::try_from(connections.streams()).unwrap_or(u32::MAX),
        max_rate: search.max_rate_per_s,
        seconds: search.seconds,
        trial_s: search.trial_s,
        warm_up_s: SEARCH_WARM_UP_S,
        seed: search.seed,
    };
    let target = search.target;
    match capacity_run::search(session, &question, &mut NoDisplay, listen) {
        Ok(Some(capacity)) => listen(&Event::Capacity {
            target,
            capacity: &capacity,
        }),
        Ok(None) => {}
        Err(reason @ RunError::NothingSucceeded { .. }) => listen(&Event::NoCapacity {
            target,
            reason: &reason.to_string(),
        }),
        Err(error) => return Err(error),
    }
    Ok(())
}
