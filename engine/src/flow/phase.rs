//! A slice within the flow: load begins with the guard, continues through the recorded part, and
//! goes on until its last transaction has ended, so that no recorded transaction meets an idle
//! server.

use crate::failure::Failure;
use crate::pacer::{Closed, Pacer, Share, Turn};
use crate::plan::Sequence;
use crate::stop::Stop;

use super::trail::Trail;

/// The failures of transactions at a server that has stopped, before or during its reply.
const TOO_LATE: [u8; 2] = [Failure::Timeout as u8, Failure::SlowReply as u8];

/// The load of a slice and what counts of it.
pub struct Phase {
    pub pacer: Box<dyn Pacer>,
    pub stop: Stop,
    /// When load begins.
    pub begin: u64,
    /// From when transactions count.
    pub start: u64,
    /// Whether those that count are also added to the totals.
    pub recorded: bool,
    /// Present if load goes on after the last transaction that counts.
    pub trail: Option<Trail>,
    /// The number of started transactions that count.
    pub started: u64,
    /// The number of those that have ended.
    pub ended: u64,
    /// Whether it ends with the first time-out if nothing was answered before: otherwise a server
    /// that has stopped would cost one time-out per remaining transaction.
    pub gives_up: bool,
    /// Whether a transaction has succeeded.
    pub is_answered: bool,
    /// For an open load, the number of transactions that were due in time but started after the
    /// last one that counts.
    pub missed: u64,
    /// The transactions of guard and drain.
    pub unrecorded: Sequence,
    /// The transactions that count.
    pub sequence: Sequence,
}

/// Whether a transaction that is due counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Counted,
    /// Part of the guard, or after the last one that counts.
    Unrecorded,
}

impl Phase {
    /// A phase without load.
    pub fn idle() -> Self {
        let alone = Share {
            worker: 0,
            workers: 1,
        };
        let turn = Turn {
            start: 0,
            per_client: None,
            seed: None,
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

    /// The part of a transaction that starts now; `None` if no more may start.
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

    /// Notes the end of a transaction, with its failure.
    #[inline]
    pub fn note(&mut self, failure: u8, end: u64) {
        if failure == 0 {
            self.is_answered = true;
        } else if self.gives_up && !self.is_answered && TOO_LATE.contains(&failure) {
            self.stop = Stop::at_first(None, Some(end));
        }
    }

    /// Informs the other workers if no transaction of this one counts any more.
    pub fn leave_if_done(&mut self, now: u64) {
        if let Some(trail) = &mut self.trail
            && self.ended == self.started
            && !self.stop.goes_on(self.started, now)
        {
            trail.leave();
        }
    }
}
