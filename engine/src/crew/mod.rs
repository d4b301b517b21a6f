//! The workers of all targets, and the channels to them.

mod caller;

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::{Builder, JoinHandle};

use crate::answers::Answers;
use crate::clock::Clock;
use crate::error::{RunError, Unreachable};
use crate::failure::Fault;
use crate::job::{Agent, Job, PacerKind, Target};
use crate::pacer::Share;
use crate::plan::Plan;
use crate::recorder::{
    Catalogue, Finished, Progress, Recorder, Second, Seconds, Series, SliceRecord, Tally, collect,
};
use crate::result::Statuses;
use crate::system::mailbox::{Inbox, Outbox, mailbox};
use crate::system::process;
use crate::system::wakeup::Wakeup;
use crate::worker::{self, Assignment, Command, Measured, Order, Outcome, Report, Signed};

pub use caller::Caller;

/// The worker threads of all targets.
pub struct Crew {
    teams: Vec<Team>,
    reports: Inbox<Signed>,
    reported: Arc<Wakeup>,
    threads: Vec<JoinHandle<()>>,
    /// Adds up the seconds of all workers.
    collector: Option<JoinHandle<Vec<Seconds>>>,
}

/// The workers of one target.
struct Team {
    /// The target in messages.
    address: String,
    statuses_of: Statuses,
    members: Vec<Member>,
}

struct Member {
    commands: Sender<Command>,
    wakeup: Arc<Wakeup>,
    progress: Arc<Progress>,
    /// The record for the next slice, while the worker fills the other one.
    spare: Option<Box<SliceRecord>>,
}

impl Member {
    fn tell(&self, command: Command) {
        // A worker that has ended has reported why.
        let _ = self.commands.send(command);
        self.wakeup.wake();
    }
}

impl Crew {
    /// Starts the workers of all targets. The error is that of creating a file or a thread.
    pub fn start(job: &Job, clock: Clock) -> Result<Self, RunError> {
        let (outbox, reports) = mailbox();
        let mut crew = Self {
            teams: Vec::new(),
            reports,
            reported: Arc::new(Wakeup::new()?),
            threads: Vec::new(),
            collector: None,
        };
        let (finished, seconds) = mailbox();
        let mut spares = Vec::new();
        for (number, target) in job.targets.iter().enumerate() {
            let team = crew.add_team(job, clock, number, target, &outbox, &finished)?;
            spares.push(team);
        }
        let collect = move || {
            process::run_normally();
            collect(&seconds, &spares)
        };
        let collector = Builder::new().name("seconds".into()).spawn(collect)?;
        crew.collector = Some(collector);
        Ok(crew)
    }

    fn add_team(
        &mut self,
        job: &Job,
        clock: Clock,
        number: usize,
        target: &Arc<Target>,
        reports: &Outbox<Signed>,
        finished: &Outbox<Finished>,
    ) -> Result<Vec<Outbox<Box<Second>>>, RunError> {
        let plan = Arc::new(Plan::new(target));
        let catalogue = Arc::new(Catalogue::new(target));
        let workers = worker_count(job, target);
        let address = &target.endpoint.address;
        let address = match job.targets.len() {
            1 => address.to_string(),
            _ => format!("{} ({address})", target.name),
        };
        let (mut members, mut spares) = (Vec::new(), Vec::new());
        for worker in 0..workers {
            let spill = job.output.as_ref().filter(|_| job.samples);
            let spill = spill.map(|output| output.join(format!(".samples-{number}-{worker}")));
            let progress = Arc::new(Progress::default());
            let (spare, empty) = mailbox();
            spare.send(Box::default());
            spares.push(spare);
            let series = Series::new(number, worker, finished.clone(), empty);
            let recorder = Recorder::new(
                spill.clone(),
                Arc::clone(&progress),
                Arc::clone(&catalogue),
                Some(series),
            );
            let recorder = recorder.map_err(|error| {
                let path = spill.unwrap_or_default();
                RunError::Output { path, error }
            })?;
            let kept = job.output.as_ref().filter(|_| target.wants_answers());
            let kept = kept.map(|output| output.join(format!(".answers-{number}-{worker}")));
            let seed = job.seed ^ ((number as u64) << 32) ^ worker as u64;
            let answers =
                Answers::new(kept.as_deref(), seed).map_err(|error| RunError::Output {
                    path: kept.unwrap_or_default(),
                    error,
                })?;
            let (commands, receiver) = channel();
            let wakeup = Arc::new(Wakeup::new()?);
            let assignment = Assignment {
                target: Arc::clone(target),
                number,
                member: worker,
                plan: Arc::clone(&plan),
                share: share_of(worker, workers, job.agent),
                clock,
                cpu: job.cpus.get(worker).copied(),
                real_time: job.real_time,
                seed: job.seed,
                recorder,
                answers,
                commands: receiver,
                wakeup: Arc::clone(&wakeup),
                reports: reports.clone(),
                reported: Arc::clone(&self.reported),
            };
            let thread = Builder::new()
                .name(format!("worker-{number}-{worker}"))
                .spawn(move || worker::start(assignment))?;
            self.threads.push(thread);
            members.push(Member {
                commands,
                wakeup,
                progress,
                spare: Some(Box::default()),
            });
        }
        self.teams.push(Team {
            address,
            statuses_of: Statuses::of(&target.endpoint),
            members,
        });
        Ok(spares)
    }

    /// Waits until every worker has opened its connections or failed to; returns the targets that
    /// no worker could reach. None if interrupted before that.
    pub fn await_connections(
        &self,
        caller: &mut Caller,
    ) -> Result<Option<Vec<Unreachable>>, RunError> {
        let mut missing: usize = self.teams.iter().map(|team| team.members.len()).sum();
        let mut faults = BTreeMap::new();
        let mut refused = None;
        while missing > 0 {
            if caller.is_interrupted() {
                return Ok(None);
            }
            caller.wait(&self.reported, None)?;
            self.take_reports(|target, _, report| match report {
                Report::Connected => missing -= 1,
                Report::Unreachable(fault) => {
                    missing -= 1;
                    faults.entry(target).or_insert_with(Vec::new).push(fault);
                }
                Report::Refused(mismatch) => refused = Some((target, mismatch)),
                _ => {}
            })?;
            if let Some((target, mismatch)) = refused.take() {
                let team = &self.teams[target];
                return Err(RunError::Refused {
                    address: team.address.clone(),
                    statuses_of: team.statuses_of,
                    mismatch,
                });
            }
        }
        let unreachable = |(target, faults): (usize, Vec<Fault>)| {
            let is_nowhere = faults.len() == self.workers(target);
            is_nowhere.then(|| Unreachable {
                target,
                address: self.teams[target].address.clone(),
                fault: faults[0],
            })
        };
        Ok(Some(faults.into_iter().filter_map(unreachable).collect()))
    }

    /// Orders a slice from all workers of a target.
    pub fn order(&mut self, target: usize, order: impl Fn(Box<SliceRecord>) -> Order) {
        for member in &mut self.teams[target].members {
            let spare = member.spare.take().unwrap_or_default();
            member.tell(Command::Slice(Box::new(order(spare))));
        }
    }

    /// Sends a command to all workers of a target.
    pub fn tell(&self, target: usize, command: impl Fn() -> Command) {
        let members = &self.teams[target].members;
        members.iter().for_each(|member| member.tell(command()));
    }

    /// The number of workers of a target.
    pub fn workers(&self, target: usize) -> usize {
        self.teams[target].members.len()
    }

    /// Waits for a report or for the caller, at most `timeout_ms`; adds measured slices to
    /// `measured`.
    pub fn wait(
        &self,
        caller: &mut Caller,
        timeout_ms: Option<u32>,
        measured: &mut Vec<(usize, Measured)>,
    ) -> Result<(), RunError> {
        caller.wait(&self.reported, timeout_ms)?;
        self.take_reports(|_, worker, report| {
            if let Report::SliceEnded(slice) = report {
                measured.push((worker, *slice));
            }
        })
    }

    /// Returns a record to its worker for a later slice.
    pub fn give_back(&mut self, target: usize, worker: usize, record: Box<SliceRecord>) {
        self.teams[target].members[worker].spare = Some(record);
    }

    /// The counts of all workers of a target so far.
    pub fn tally(&self, target: usize) -> Tally {
        let members = &self.teams[target].members;
        Tally::of(members.iter().map(|it| &*it.progress))
    }

    /// Passes all pending reports to `take`. The error is that of a worker that failed.
    fn take_reports(&self, mut take: impl FnMut(usize, usize, Report)) -> Result<(), RunError> {
        for (target, worker, report) in self.reports.take_all() {
            match report {
                Report::Broken(error) => return Err(RunError::Worker(error)),
                report => take(target, worker, report),
            }
        }
        Ok(())
    }

    /// Makes all workers close their connections and collects their outcomes, and the seconds, by
    /// target.
    pub fn collect(&mut self) -> Result<(Vec<Vec<Outcome>>, Vec<Seconds>), RunError> {
        let teams = self.teams.iter().map(|team| team.members.len());
        let mut outcomes: Vec<Vec<Option<Outcome>>> = teams
            .map(|workers| (0..workers).map(|_| None).collect())
            .collect();
        (0..self.teams.len()).for_each(|target| self.tell(target, || Command::Close));
        while outcomes.iter().flatten().any(Option::is_none) {
            match self.reports.recv() {
                Some((target, worker, Report::Finished(outcome))) => {
                    outcomes[target][worker] = Some(*outcome);
                }
                Some((_, _, Report::Broken(error))) => return Err(RunError::Worker(error)),
                Some(_) => {}
                None => {
                    return Err(RunError::Worker(io::Error::other(
                        "the thread ended unexpectedly",
                    )));
                }
            }
        }
        let collector = self.collector.take().map(JoinHandle::join);
        let Some(Ok(seconds)) = collector else {
            return Err(RunError::Worker(io::Error::other("the seconds are lost")));
        };
        let outcomes = outcomes.into_iter();
        let outcomes = outcomes
            .map(|team| team.into_iter().flatten().collect())
            .collect();
        Ok((outcomes, seconds))
    }
}

impl Drop for Crew {
    /// Ends the workers, so that they remove their files.
    fn drop(&mut self) {
        (0..self.teams.len()).for_each(|target| self.tell(target, || Command::Leave));
        for thread in self.threads.drain(..) {
            // A worker that panicked has already dropped its files.
            let _ = thread.join();
        }
    }
}

/// One worker per CPU, but none without a connection or a client.
fn worker_count(job: &Job, target: &Target) -> usize {
    let clients = match target.pacer {
        PacerKind::Closed { clients, .. } => clients,
        _ => u32::MAX,
    };
    let most = (target.connections.count as usize).min(clients as usize) / job.agent.of;
    job.cpus.len().max(1).min(most.max(1))
}

/// The share of a worker among those of all agents, which have equally many workers.
fn share_of(worker: usize, workers: usize, agent: Agent) -> Share {
    Share {
        worker: worker * agent.of + agent.number,
        workers: workers * agent.of,
    }
}
