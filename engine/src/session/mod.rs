//! A running job: its workers, its measured slices, and the CPU time of its roles.

mod answers;
mod idle;
mod slice;

use std::path::Path;
use std::sync::Arc;

use crate::clock::Clock;
use crate::counters::Counters;
use crate::crew::{Caller, Crew};
use crate::error::{RunError, Unreachable};
use crate::events::{Event, Listener, Warm};
use crate::job::{Agent, Job, Target, WarmUp};
use crate::recorder::{Part, write_parquet};
use crate::result::{Frame, RunResult, SliceRow, Total, assemble};
use crate::system::process;
use crate::worker::Outcome;

use answers::write_answers;
use idle::IdleWatch;

/// The real-time priority of the thread that coordinates the workers, above theirs.
const COORDINATION_PRIORITY: i32 = 2;

/// A job with open connections.
pub struct Session {
    job: Job,
    clock: Clock,
    caller: Caller,
    crew: Crew,
    /// The targets that were unreachable when the connections were opened.
    unreachable: Vec<Unreachable>,
    /// The counters of each target's roles.
    own: Vec<Counters>,
    /// The counters of the job's roles.
    shared: Counters,
    idle: IdleWatch,
    rows: Vec<SliceRow>,
    /// The sums over the recorded slices of each target.
    totals: Vec<Total>,
    /// The position in its list of transactions at which the next slice of each target begins.
    positions: Vec<u64>,
}

impl Session {
    /// Prepares the machine for the job and opens all connections; of several targets some may be
    /// unreachable. None if interrupted before all were tried.
    pub fn open(
        mut job: Job,
        mut caller: Caller,
        listen: Listener,
    ) -> Result<Option<Self>, RunError> {
        prepare(&job)?;
        let clock = Clock::new();
        let (crew, mut unreachable) = loop {
            let crew = Crew::start(&job, clock)?;
            let Some(unreachable) = crew.await_connections(&mut caller)? else {
                return Ok(None);
            };
            let absent = unreachable.iter().filter(|it| it.fault.is_absence());
            let tried = absent.map(|it| try_next(&mut job, it.target));
            if !tried.fold(false, |any, one| any | one) {
                break (crew, unreachable);
            }
        };
        // If all targets are unreachable there is nothing to measure; otherwise those that are fail
        // alone.
        if unreachable.len() == job.targets.len() {
            return Err(RunError::Unreachable(unreachable.swap_remove(0)));
        }
        for one in &unreachable {
            listen(&Event::unreachable(one));
        }
        listen(&Event::Connected);
        let own: Vec<Counters> = job
            .targets
            .iter()
            .map(|target| Counters::of(&target.roles))
            .collect();
        Ok(Some(Self {
            clock,
            caller,
            crew,
            unreachable,
            idle: IdleWatch::new(&own),
            own,
            shared: Counters::of(&job.roles),
            rows: Vec::new(),
            totals: job.targets.iter().map(|_| Total::default()).collect(),
            positions: vec![0; job.targets.len()],
            job,
        }))
    }

    /// Removes and returns an unreachable target, if there is one.
    pub fn take_unreachable(&mut self) -> Option<Unreachable> {
        self.unreachable.pop()
    }

    /// A target by its index.
    pub fn target(&self, target: usize) -> &Target {
        &self.job.targets[target]
    }

    /// The number of workers of a target.
    pub fn workers(&self, target: usize) -> usize {
        self.crew.workers(target)
    }

    /// The job that the session carries out.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// Waits for the next command on standard input. None on an interruption.
    pub fn next_command(&mut self) -> Result<Option<String>, RunError> {
        loop {
            if self.is_interrupted() {
                return Ok(None);
            }
            if let Some(line) = self.caller.next_line() {
                return Ok(Some(line));
            }
            self.crew.wait(&mut self.caller, None, &mut Vec::new())?;
        }
    }

    /// Whether the job must end: because of a signal, or at the end of the commands.
    pub fn is_interrupted(&self) -> bool {
        self.caller.is_interrupted()
    }

    /// Warms up a target, without recording. None if interrupted.
    pub fn warm_up(
        &mut self,
        target: usize,
        warm_up: WarmUp,
        listen: Listener,
    ) -> Result<Option<Warm>, RunError> {
        let warm = self.carry_out_warm_up(target, warm_up, listen)?;
        if let Some(warm) = &warm {
            listen(&Event::Warm(warm));
        }
        Ok(warm)
    }

    /// Ends the job: writes samples and result if the job has an output folder. No result if it was
    /// interrupted before the first slice.
    pub fn finish(
        mut self,
        is_interrupted: bool,
        listen: Listener,
    ) -> Result<Option<RunResult>, RunError> {
        if is_interrupted && self.rows.is_empty() {
            return Ok(None);
        }
        self.idle.end(&self.own, self.clock.now());
        let memory_peak_bytes = process::memory_peak_bytes();
        let real_time = process::runs_in_real_time();
        // What follows takes seconds, and is not urgent.
        process::run_normally();
        let (mut outcomes, seconds) = self.crew.collect()?;
        let output = self.job.output.clone();
        if let Some(output) = output.as_ref().filter(|_| self.job.samples) {
            write_samples(
                &self.job.targets,
                &outcomes,
                &output.join("samples.parquet"),
            )?;
        }
        if let Some(output) = &output
            && self.job.targets.iter().any(|it| it.wants_answers())
        {
            let path = output.join("answers.jsonl");
            write_answers(&mut outcomes, &path)
                .map_err(|error| RunError::Output { path, error })?;
        }
        let frame = Frame {
            is_interrupted,
            real_time,
            memory_peak_bytes,
            clock: self.clock,
            is_agent: self.job.agent != Agent::ALONE,
        };
        let idle_shares = self.idle.shares(&self.own);
        let mut result = assemble(
            &self.job,
            &frame,
            self.totals,
            outcomes,
            &seconds,
            idle_shares,
            self.rows,
        );
        if let Some(output) = output {
            let path = output.join("result.json");
            result.write(&path).map_err(|error| RunError::Output {
                path: path.clone(),
                error,
            })?;
            listen(&Event::Result { path: &path });
        }
        result.is_signalled = self.caller.is_signalled()?;
        Ok(Some(result))
    }
}

/// Raises the limit of open files, restricts this process to the job's CPUs and creates the output
/// folder.
fn prepare(job: &Job) -> Result<(), RunError> {
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
    // The coordinating thread seldom has work, but must do it at once.
    if job.real_time {
        process::run_in_real_time(COORDINATION_PRIORITY);
    }
    Ok(())
}

/// Switches to the next address of a target's name. False if there is none.
fn try_next(job: &mut Job, target: usize) -> bool {
    let endpoint = &mut Arc::make_mut(&mut job.targets[target]).endpoint;
    if endpoint.other_addresses.is_empty() {
        return false;
    }
    endpoint.address = endpoint.other_addresses.remove(0);
    true
}

fn write_samples(
    targets: &[Arc<Target>],
    outcomes: &[Vec<Outcome>],
    path: &Path,
) -> Result<(), RunError> {
    let of_target = |(target, team): (_, &'_ Vec<Outcome>)| {
        let target: &Arc<Target> = target;
        team.iter()
            .filter_map(|outcome| {
                let totals = &outcome.totals;
                Some((
                    Arc::clone(target),
                    totals.spill.as_ref()?.path().to_owned(),
                    totals.slices.clone(),
                ))
            })
            .collect::<Vec<_>>()
    };
    let all: Vec<_> = targets.iter().zip(outcomes).flat_map(of_target).collect();
    let parts: Vec<Part> = all
        .iter()
        .map(|(target, spill, slices)| Part {
            target,
            spill,
            slices,
        })
        .collect();
    write_parquet(path, &parts).map_err(|error| RunError::Samples {
        path: path.to_owned(),
        error,
    })
}
