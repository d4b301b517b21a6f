//! Runs a slice, from the reading of the counters before its guard to the one after its drain.

use crate::counters::{Reading, read_boundary, since};
use crate::error::RunError;
use crate::events::{Event, Listener, Warm};
use crate::flow::Counting;
use crate::job::{PacerKind, Slice, Task, WarmUp};
use crate::precision::{LOOK_NS, Watch};
use crate::recorder::{SliceRecord, Tally};
use crate::result::{Carried, SliceRow};
use crate::worker::{Command, Measured, Order, Until};

use super::Session;

const PROGRESS_NS: u64 = 500_000_000;
/// The time between the order to start and the start, so that all workers receive it.
const LEAD_NS: u64 = 500_000;

/// The load that is ordered from a target's workers.
struct Turn {
    target: usize,
    number: Option<u32>,
    first: u64,
    guard_ns: u64,
    begin_monotonic_ns: Option<u64>,
    until: Until,
    seed: Option<u64>,
    pacer: Option<PacerKind>,
    is_whole: bool,
}

impl Session {
    /// Runs a slice and reports it.
    pub fn slice(&mut self, slice: &Slice, listen: Listener) -> Result<&SliceRow, RunError> {
        let target = slice.target;
        let number = self.rows.len() as u32;
        let first = slice.first.unwrap_or(self.positions[target]);
        let turn = Turn {
            target,
            number: slice.recorded.then_some(number),
            first,
            guard_ns: slice.guard_ns,
            begin_monotonic_ns: slice.begin_monotonic_ns,
            until: Until::Stop(slice.stop),
            seed: slice.seed,
            pacer: slice.pacer.clone(),
            is_whole: slice.objective.is_none() && matches!(self.job.task, Task::Windows { .. }),
        };
        let mut watch = slice.stop.precision.map(Watch::new);
        self.idle.begin(&self.own, self.clock.now());
        let (before, mut carried, after) = self.carry_out(&turn, watch.as_mut(), listen)?;
        let roles = self.used_by_roles(target, &before, &after);
        let row = SliceRow::new(number, slice, first, &mut carried, roles, &before, &after);
        self.advance(target, first, &carried);
        if slice.recorded {
            self.totals[target].add_slice(&carried, &row, watch);
        }
        self.take_back(target, carried);
        listen(&Event::Slice(&row));
        self.rows.push(row);
        Ok(&self.rows[number as usize])
    }

    /// The first position in the lists of transactions that no target has reached yet.
    pub fn untouched(&self) -> u64 {
        self.positions.iter().copied().max().unwrap_or(0)
    }

    fn advance(&mut self, target: usize, first: u64, carried: &Carried) {
        self.positions[target] = first + carried.positions() * self.job.agent.of as u64;
    }

    /// Runs a warm-up. None if interrupted.
    pub(super) fn carry_out_warm_up(
        &mut self,
        target: usize,
        warm_up: WarmUp,
        listen: Listener,
    ) -> Result<Option<Warm>, RunError> {
        let turn = Turn {
            target,
            number: None,
            first: self.positions[target],
            guard_ns: 0,
            begin_monotonic_ns: None,
            until: Until::Warm(warm_up),
            seed: None,
            pacer: None,
            is_whole: true,
        };
        let (_, mut carried, _) = self.carry_out(&turn, None, listen)?;
        // The measurement must not repeat the requests of the warm-up.
        self.advance(target, turn.first, &carried);
        let warm = Warm::new(target, &mut carried);
        self.take_back(target, carried);
        Ok((!self.is_interrupted()).then_some(warm))
    }

    /// Makes the workers of a target run the load, and reads the counters before and after it.
    fn carry_out(
        &mut self,
        turn: &Turn,
        watch: Option<&mut Watch>,
        listen: Listener,
    ) -> Result<(Reading, Carried, Reading), RunError> {
        let target = turn.target;
        let before = read_boundary(&self.own[target], &self.shared);
        let began = self.clock.now();
        let begin = match turn.begin_monotonic_ns {
            Some(time) => self.appointed(time)?,
            None => began + LEAD_NS,
        };
        let start = begin + turn.guard_ns;
        let baseline = self.crew.tally(target);
        // With a guard, load also goes on after the slice.
        let counting = (turn.guard_ns > 0).then(|| Counting::new(self.crew.workers(target)));
        let gives_up = match turn.until {
            Until::Warm(_) => true,
            // A job with a single window runs it to its end, whatever the server does.
            Until::Stop(rule) => {
                rule.seconds.is_none() && !matches!(self.job.task, Task::Windows { .. })
            }
        };
        self.crew.order(target, |spare| Order {
            number: turn.number,
            begin,
            start,
            until: turn.until,
            first: turn.first,
            counting: counting.clone(),
            gives_up,
            seed: turn.seed,
            pacer: turn.pacer.clone(),
            is_whole: turn.is_whole,
            spare,
        });
        let measured = self.await_slice(target, begin, &baseline, watch, listen)?;
        let ended = self.clock.now();
        let after = read_boundary(&self.own[target], &self.shared);
        let used = since(&before.own_us, &after.own_us);
        self.idle.had_turn(target, &used, ended - began);
        let carried = Carried {
            begin,
            start,
            measured,
        };
        Ok((before, carried, after))
    }

    /// Converts a time of the kernel's monotonic clock to the engine's. The error is that it has
    /// passed.
    fn appointed(&self, monotonic_ns: u64) -> Result<u64, RunError> {
        let time = self.clock.at_monotonic(monotonic_ns);
        time.map_err(|ago_ns| {
            let ago_ms = ago_ns as f64 / 1e6;
            let problem = format!("begin_monotonic_ns: {ago_ms:.1} ms ago; expected a future time");
            RunError::Command(vec![problem])
        })
    }

    /// Reports progress until all workers are done; ends the slice early on an interruption.
    fn await_slice(
        &mut self,
        target: usize,
        begin: u64,
        baseline: &Tally,
        mut watch: Option<&mut Watch>,
        listen: Listener,
    ) -> Result<Vec<(usize, Measured)>, RunError> {
        let workers = self.crew.workers(target);
        let mut measured = Vec::with_capacity(workers);
        let mut is_aborted = false;
        let mut next_progress = begin + PROGRESS_NS;
        let mut next_look = begin + LOOK_NS;
        while measured.len() < workers {
            let next = match watch {
                Some(_) => next_progress.min(next_look),
                None => next_progress,
            };
            let left = next.saturating_sub(self.clock.now()).div_ceil(1_000_000);
            self.crew
                .wait(&mut self.caller, Some(left as u32), &mut measured)?;
            if self.caller.is_interrupted() && !is_aborted {
                is_aborted = true;
                self.crew.tell(target, || Command::Abort);
            }
            let now = self.clock.now();
            if now >= next_progress {
                next_progress += PROGRESS_NS;
                let so_far = self.crew.tally(target).since(baseline);
                listen(&Event::progress(target, &so_far, now.saturating_sub(begin)));
            }
            if let Some(asked) = &mut watch
                && now >= next_look
            {
                next_look += LOOK_NS;
                let so_far = self.crew.tally(target).since(baseline);
                if asked.look(so_far) && asked.is_satisfied() {
                    self.crew.tell(target, || Command::Finish);
                    watch = None;
                }
            }
        }
        Ok(measured)
    }

    /// The CPU time of each role between two readings, by its name.
    fn used_by_roles(
        &self,
        target: usize,
        before: &Reading,
        after: &Reading,
    ) -> Vec<(String, Option<f64>)> {
        let own = self.own[target].names();
        let own = own.zip(since(&before.own_us, &after.own_us));
        let shared = self.shared.names();
        let shared = shared.zip(since(&before.shared_us, &after.shared_us));
        own.chain(shared)
            .map(|(name, used)| (name.to_owned(), used))
            .collect()
    }

    fn take_back(&mut self, target: usize, carried: Carried) {
        for (worker, measured) in carried.measured {
            let record: Box<SliceRecord> = measured.record;
            self.crew.give_back(target, worker, record);
        }
    }
}
