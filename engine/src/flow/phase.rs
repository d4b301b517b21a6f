//! A slice as the flow goes through it: load begins with the guard, flows into what is recorded, and
//! goes on until the last of that has ended, so that nothing recorded meets a server that idles.

use crate::failure::Failure;
use crate::job::Agent;
use crate::pacer::{Closed, Pacer, Share, Turn};
use crate::plan::Sequence;
use crate::stop::Stop;

use super::trail::Trail;

/// How transactions fail at a server that stands still, before or in the midst of its reply.
const TOO_LATE: [u8; 2] = [Failure::Timeout as u8, Failure::SlowReply as u8];

pub struct Phase {
    pub pacer: Box<dyn Pacer>,
    pub stop: Stop,
    /// When load begins.
    pub begin: u64,
    /// What starts from here on counts.
    pub start: u64,
    /// Whether what counts goes into the totals, too.
    pub recorded: bool,
    /// If load goes on behind the last that counts.
    pub trail: Option<Trail>,
    /// How many have started that count.
    pub started: u64,
    /// How many have ended of those.
    pub ended: u64,
    /// Whether it ends with the first timeout if nothing was answered before: a server that stands
    /// still would cost the timeout once more for each transaction that is left.
    pub gives_up: bool,
    /// Whether a transaction has succeeded.
    pub is_answered: bool,
    /// Of an open load, how many were due in time and started behind the last that counts.
    pub missed: u64,
    /// What does not count, and what does.
    pub unrecorded: Sequence,
    pub sequence: Sequence,
}

/// What becomes of a transaction that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Counted,
    /// Of the guard, or behind the last that counts.
    Unrecorded,
}

impl Phase {
    /// Nothing to do.
    pub fn idle() -> Self {
        let alone = Share {
            worker: 0,
            workers: 1,
        };
        let turn = Turn {
            start: 0,
            per_client: None,
            seed: None,
            agent: Agent::ALONE,
        };
        Self {
            pacer: Box::new(Closed::new(0, 0, alone, turn)),
            stop: Stop::at_first(Some(0), None),
            begin: 0,
            start: 0,
            recorded: false,
            trail: None,
            started: 0,
            ended: 0,
            gives_up: false,
            is_answered: false,
            missed: 0,
            unrecorded: Sequence::empty(),
            sequence: Sequence::empty(),
        }
    }

    /// What a transaction would be that started now; `None` if none is to start any more.
    #[inline]
    pub fn part(&self, now: u64) -> Option<Part> {
        let goes_on = self.stop.goes_on(self.started, now);
        match (goes_on, now >= self.start) {
            (true, true) => Some(Part::Counted),
            (true, false) => Some(Part::Unrecorded),
            (false, _) => {
                let is_under_way = self.ended < self.started;
                let trail = self.trail.as_ref();
                trail
                    .is_some_and(|trail| trail.goes_on(is_under_way))
                    .then_some(Part::Unrecorded)
            }
        }
    }

    /// Notes how a transaction ended.
    #[inline]
    pub fn note(&mut self, failure: u8, end: u64) {
        if failure == 0 {
            self.is_answered = true;
        } else if self.gives_up && !self.is_answered && TOO_LATE.contains(&failure) {
            self.stop = Stop::at_first(None, Some(end));
        }
    }

    /// Tells the other workers if nothing counts any more that is under way or may still start.
    pub fn leave_if_done(&mut self, now: u64) {
        if let Some(trail) = &mut self.trail
            && self.ended == self.started
            && !self.stop.goes_on(self.started, now)
        {
            trail.leave();
        }
    }
}
