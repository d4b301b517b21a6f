//! The workers, and the conversation with them and with whoever started us.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};

use crate::clock::Clock;
use crate::events::{Event, Listener};
use crate::job::{Job, PacerKind};
use crate::pacer::Share;
use crate::plan::Plan;
use crate::precision::{LOOK_NS, Watch};
use crate::recorder::{Progress, Recorder, Tally};
use crate::result::Frame;
use crate::run::RunError;
use crate::system::process;
use crate::system::signals::{Signals, poll};
use crate::system::wakeup::Wakeup;
use crate::worker::{self, Assignment, Command, Outcome, Report};

const PROGRESS_MS: u32 = 500;
/// Between the decision to start a phase and its start: time for all workers to hear of it.
const LEAD_NS: u64 = 500_000;

/// The workers and the lines to them.
pub struct Crew {
    clock: Clock,
    signals: Arc<Signals>,
    members: Vec<Member>,
    reports: Receiver<Report>,
    reported: Arc<Wakeup>,
    threads: Vec<JoinHandle<()>>,
    address: String,
}

struct Member {
    commands: Sender<Command>,
    wakeup: Arc<Wakeup>,
    progress: Arc<Progress>,
}

/// A window that has been measured.
pub struct Measured {
    pub frame: Frame,
    pub outcomes: Vec<Outcome>,
}

/// Why waiting for the workers ended.
enum Awaited {
    All,
    Interrupted,
}

impl Crew {
    pub fn start(job: &Arc<Job>, clock: Clock, signals: Arc<Signals>) -> Result<Self, RunError> {
        let plan = Arc::new(Plan::new(job));
        let (sender, reports) = channel();
        let reported = Arc::new(Wakeup::new()?);
        let workers = worker_count(job);
        let (mut members, mut threads) = (Vec::new(), Vec::new());
        for worker in 0..workers {
            let spill = job.output.as_ref().filter(|_| job.samples);
            let spill = spill.map(|output| output.join(format!(".samples-{worker}")));
            let progress = Arc::new(Progress::default());
            let recorder =
                Recorder::new(spill.clone(), Arc::clone(&progress)).map_err(|error| {
                    let path = spill.unwrap_or_default();
                    RunError::Output { path, error }
                })?;
            let (commands, receiver) = channel();
            let wakeup = Arc::new(Wakeup::new()?);
            let assignment = Assignment {
                job: Arc::clone(job),
                plan: Arc::clone(&plan),
                share: Share { worker, workers },
                clock,
                cpu: job.cpus.get(worker).copied(),
                recorder,
                commands: receiver,
                wakeup: Arc::clone(&wakeup),
                reports: sender.clone(),
                reported: Arc::clone(&reported),
            };
            let name = format!("worker-{worker}");
            let thread = Builder::new()
                .name(name)
                .spawn(move || worker::start(assignment))?;
            threads.push(thread);
            members.push(Member {
                commands,
                wakeup,
                progress,
            });
        }
        let address = job.target.address.to_string();
        Ok(Self {
            clock,
            signals,
            members,
            reports,
            reported,
            threads,
            address,
        })
    }

    /// All phases up to the end of the window; nothing if it was broken off before.
    pub fn measure(&self, job: &Job, listen: Listener) -> Result<Option<Measured>, RunError> {
        if let Awaited::Interrupted = self.wait_for_all(|it| matches!(it, Report::Connected))? {
            return Ok(None);
        }
        listen(&Event::Connected);
        self.tell(Command::WarmUp {
            start: self.clock.now(),
        });
        if let Awaited::Interrupted = self.wait_for_all(|it| matches!(it, Report::Warm))? {
            return Ok(None);
        }
        listen(&Event::Warm);
        if job.handshake && !self.wait_for_go()? {
            return Ok(None);
        }
        let start = self.clock.now() + LEAD_NS;
        let started_unix_ns = self.clock.unix_ns(start);
        listen(&Event::WindowStart {
            unix_ns: started_unix_ns,
        });
        self.tell(Command::Window { start });
        let mut precision = job.stop.precision.map(Watch::new);
        let interrupted_after_ns = self.watch_window(start, precision.as_mut(), listen)?;
        let memory_peak_bytes = process::memory_peak_bytes();
        listen(&Event::WindowEnd {
            unix_ns: self.clock.unix_ns(self.clock.now()),
        });
        let outcomes = self.collect()?;
        let clock = self.clock.name();
        let frame = Frame {
            interrupted_after_ns,
            real_time: process::runs_in_real_time(),
            started_unix_ns,
            memory_peak_bytes,
            clock,
            precision,
        };
        Ok(Some(Measured { frame, outcomes }))
    }

    fn tell(&self, command: Command) {
        for member in &self.members {
            // A worker that has gone has said why.
            let _ = member.commands.send(command);
            member.wakeup.wake();
        }
    }

    /// Waits until each worker has sent the report wanted.
    fn wait_for_all(&self, wanted: impl Fn(&Report) -> bool) -> Result<Awaited, RunError> {
        let mut missing = self.members.len();
        while missing > 0 {
            let sources = [Some(self.signals.as_fd()), Some(self.reported.as_fd())];
            let [interrupted, _] = poll(sources, None)?;
            if interrupted {
                return Ok(Awaited::Interrupted);
            }
            missing -= self.take_reports(&wanted)?;
        }
        Ok(Awaited::All)
    }

    /// Takes what the workers have reported; counts the reports wanted.
    fn take_reports(&self, wanted: impl Fn(&Report) -> bool) -> Result<usize, RunError> {
        self.reported.clear();
        let mut count = 0;
        for report in self.reports.try_iter() {
            match report {
                Report::Broken(error) => return Err(RunError::Worker(error)),
                Report::Unreachable(fault) => {
                    return Err(RunError::Unreachable {
                        address: self.address.clone(),
                        fault,
                    });
                }
                report => count += usize::from(wanted(&report)),
            }
        }
        Ok(count)
    }

    /// Waits for the line "go" on standard input. False on its end or an interrupt.
    fn wait_for_go(&self) -> Result<bool, RunError> {
        // Read without a buffer, which would hide from `poll` what it holds.
        let mut stdin = File::from(io::stdin().as_fd().try_clone_to_owned()?);
        let mut line = Vec::new();
        loop {
            let sources = [
                Some(self.signals.as_fd()),
                Some(stdin.as_fd()),
                Some(self.reported.as_fd()),
            ];
            let [interrupted, readable, reported] = poll(sources, None)?;
            if interrupted {
                return Ok(false);
            }
            if reported {
                self.take_reports(|_| false)?;
            }
            if readable {
                let mut byte = [0];
                match stdin.read(&mut byte)? {
                    0 => return Ok(false),
                    _ if byte[0] == b'\n' && line.trim_ascii() == b"go" => return Ok(true),
                    _ if byte[0] == b'\n' => line.clear(),
                    _ => line.push(byte[0]),
                }
            }
        }
    }

    /// Tells about the progress until all workers are done. Gives the time after which it was broken
    /// off, if it was.
    fn watch_window(
        &self,
        start: u64,
        mut precision: Option<&mut Watch>,
        listen: Listener,
    ) -> Result<Option<u64>, RunError> {
        let mut missing = self.members.len();
        let mut interrupted = None;
        let mut next_progress = start + u64::from(PROGRESS_MS) * 1_000_000;
        let mut next_look = start + LOOK_NS;
        while missing > 0 {
            let signals = interrupted.is_none().then(|| self.signals.as_fd());
            let next = match precision {
                Some(_) => next_progress.min(next_look),
                None => next_progress,
            };
            let left = next.saturating_sub(self.clock.now()).div_ceil(1_000_000);
            let sources = [signals, Some(self.reported.as_fd())];
            let [signalled, _] = poll(sources, Some(left as u32))?;
            if signalled {
                interrupted = Some(self.clock.now().saturating_sub(start));
                self.tell(Command::Abort);
            }
            let now = self.clock.now();
            if now >= next_progress {
                self.show_progress(now.saturating_sub(start), listen);
                next_progress += u64::from(PROGRESS_MS) * 1_000_000;
            }
            if let Some(watch) = &mut precision
                && now >= next_look
            {
                next_look += LOOK_NS;
                if watch.look(self.tally()) && watch.is_satisfied() {
                    self.tell(Command::Finish);
                    precision = None;
                }
            }
            missing -= self.take_reports(|it| matches!(it, Report::WindowEnded))?;
        }
        Ok(interrupted)
    }

    fn show_progress(&self, elapsed_ns: u64, listen: Listener) {
        let sum =
            |read: fn(&Progress) -> u64| self.members.iter().map(|it| read(&it.progress)).sum();
        let tally = self.tally();
        let roughly = |quantile| tally.quantile_ns(quantile).unwrap_or(0.0) as u64;
        listen(&Event::Progress {
            transactions: sum(|progress| progress.transactions.load(Ordering::Relaxed)),
            errors: sum(|progress| progress.errors.load(Ordering::Relaxed)),
            seconds: elapsed_ns as f64 / 1e9,
            p50_ns: roughly(0.5),
            p99_ns: roughly(0.99),
        });
    }

    fn tally(&self) -> Tally {
        Tally::of(self.members.iter().map(|it| &*it.progress))
    }

    /// Has the connections closed and takes what was measured.
    fn collect(&self) -> Result<Vec<Outcome>, RunError> {
        self.tell(Command::Close);
        let mut outcomes = Vec::new();
        while outcomes.len() < self.members.len() {
            match self.reports.recv() {
                Ok(Report::Finished(outcome)) => outcomes.push(*outcome),
                Ok(Report::Broken(error)) => return Err(RunError::Worker(error)),
                Ok(_) => {}
                Err(_) => return Err(RunError::Worker(io::Error::other("it ended early"))),
            }
        }
        Ok(outcomes)
    }
}

impl Drop for Crew {
    /// Has the workers end, so that they clean up behind themselves.
    fn drop(&mut self) {
        self.tell(Command::Abort);
        self.tell(Command::Close);
        for thread in self.threads.drain(..) {
            // A worker that panicked has nothing to clean up any more.
            let _ = thread.join();
        }
    }
}

/// One worker on each CPU, but none without a connection or a client.
fn worker_count(job: &Job) -> usize {
    let clients = match job.pacer {
        PacerKind::Closed { clients, .. } => clients,
        _ => u32::MAX,
    };
    job.cpus
        .len()
        .max(1)
        .min(job.connections.count as usize)
        .min(clients as usize)
}
