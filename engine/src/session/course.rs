//! The course of a job: what its task says, or the commands.

use crate::capacity::{self, Question, Unwatched};
use crate::events::{Event, Listener};
use crate::job::command::{self, Ask, Command};
use crate::job::{Permutations, Slice, StopRule, Task, WarmUp};
use crate::run::RunError;

use super::Session;

/// Before a search, on its target.
const SEARCH_WARM_UP_S: f64 = 0.5;

impl Session {
    /// Does all that the job says. False if it was interrupted.
    pub fn follow(&mut self, listen: Listener) -> Result<bool, RunError> {
        match self.job.task.clone() {
            Task::Windows { warm_up, stop } => {
                self.warm_up_all(warm_up, listen)?;
                self.windows(stop, listen)?;
            }
            Task::Slices {
                warm_up,
                permutations,
            } => {
                self.warm_up_all(warm_up, listen)?;
                self.permutations(&permutations, listen)?;
            }
            Task::Commands => return self.obey(listen),
        }
        Ok(!self.is_interrupted())
    }

    fn warm_up_all(&mut self, warm_up: WarmUp, listen: Listener) -> Result<(), RunError> {
        for target in 0..self.job.targets.len() {
            if self.is_interrupted() {
                break;
            }
            self.warm_up(target, warm_up, listen)?;
        }
        Ok(())
    }

    fn windows(&mut self, stop: StopRule, listen: Listener) -> Result<(), RunError> {
        let windows = (0..self.job.targets.len()).map(|target| Slice {
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
        self.slices(windows, listen)
    }

    fn permutations(&mut self, list: &Permutations, listen: Listener) -> Result<(), RunError> {
        let seed = self.job.seed;
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
        self.slices(slices, listen)
    }

    /// Carries out slices, one after the other.
    fn slices(
        &mut self,
        slices: impl IntoIterator<Item = Slice>,
        listen: Listener,
    ) -> Result<(), RunError> {
        for slice in slices {
            if self.is_interrupted() {
                break;
            }
            self.slice(&slice, listen)?;
        }
        Ok(())
    }

    /// Obeys the commands as they come. False if they ended before they said so.
    fn obey(&mut self, listen: Listener) -> Result<bool, RunError> {
        while let Some(line) = self.next_line()? {
            let command = command::parse(&line, &self.job.targets).map_err(RunError::Command)?;
            match command {
                Command::WarmUp { target, warm_up } => {
                    self.warm_up(target, warm_up, listen)?;
                }
                Command::Slices(slices) => {
                    self.slices(slices, listen)?;
                    if !self.is_interrupted() {
                        listen(&Event::Idle);
                    }
                }
                Command::Capacity(ask) => self.find_capacity(ask, listen)?,
                Command::Finish => return Ok(true),
            }
        }
        Ok(false)
    }

    /// Searches for the capacity of a target; tells why there is none to be found.
    fn find_capacity(&mut self, ask: Ask, listen: Listener) -> Result<(), RunError> {
        let connections = &self.target(ask.target).connections;
        let question = Question {
            target: ask.target,
            url: self.target(ask.target).name.clone(),
            load: String::new(),
            objective: ask.objective,
            most_clients: u32::try_from(connections.streams()).unwrap_or(u32::MAX),
            max_rate: ask.max_rate_per_s,
            seconds: ask.seconds,
            trial_s: ask.trial_s,
            warm_up_s: SEARCH_WARM_UP_S,
            seed: ask.seed,
        };
        let target = ask.target;
        match capacity::search(self, &question, &mut Unwatched, listen) {
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

    /// Waits for the next command. None on an interruption.
    fn next_line(&mut self) -> Result<Option<String>, RunError> {
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
}
