//! What of a flow depends on the time alone: when something is due, what is over, and how a phase
//! ends.

use super::{Call, Flow};
use crate::deadlines::Deadlines;
use crate::pacer::ClientTime;
use crate::stop::Stop;

/// A call whose time is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedOut {
    pub call: u32,
    pub connection: u32,
    /// The time was the measure of the reply: what has come of it is all there is to it.
    pub is_complete: bool,
}

impl Flow {
    /// A call whose time is over; it has to be `failed` or `replied` next.
    pub fn timed_out(&mut self, now: u64) -> Option<TimedOut> {
        let call = self.deadlines.iter_mut().find_map(|it| it.expired(now))?;
        let &Call {
            request,
            connection,
            ..
        } = self.calls.get(call)?;
        Some(TimedOut {
            call,
            connection,
            is_complete: self.plan.is_timed[request as usize],
        })
    }

    pub fn next_timeout(&self) -> Option<u64> {
        self.deadlines.iter().filter_map(Deadlines::next).min()
    }

    /// When the next call is due, provided that a connection is free.
    pub fn next_due(&self, now: u64) -> Option<u64> {
        if !self.waiting.is_empty() {
            return Some(now);
        }
        let due = self.phase.pacer.next_due()?;
        self.phase.part(due.max(now)).map(|_| due)
    }

    /// When the stop rule may end the phase by itself.
    pub fn stops_at(&self, now: u64) -> Option<u64> {
        self.phase.stop.ends_at().filter(|&end| end > now)
    }

    /// When the stop rule ended the phase, if it has by now.
    pub fn stopped_at(&mut self, now: u64) -> Option<u64> {
        self.phase.leave_if_done(now);
        let stop = &self.phase.stop;
        let goes_on = stop.goes_on(self.phase.started, now);
        (!goes_on).then(|| stop.ends_at().map_or(now, |end| end.min(now)))
    }

    /// Whether nothing is in flight and nothing more will start.
    pub fn is_finished(&self, now: u64) -> bool {
        self.flights.is_empty()
            && (self.phase.pacer.next_due().is_none()
                || !self.phase.stop.goes_on(self.phase.started, now))
    }

    /// Transactions in flight.
    pub fn in_flight(&self) -> u64 {
        self.flights.len() as u64
    }

    /// Transactions that count and have not ended: they are lost when the phase is broken off.
    pub fn dropped(&self) -> u64 {
        self.phase.started - self.phase.ended
    }

    /// Transactions of an open load that were due while it was recorded and did not start in time,
    /// because no connection was free.
    pub fn never_sent(&mut self) -> u64 {
        if self.phase.pacer.client_time().is_some() {
            return 0;
        }
        while let Some(due) = self.phase.pacer.next_due() {
            let started = self.phase.started + self.phase.missed;
            if !self.phase.stop.goes_on(started, due) {
                break;
            }
            self.phase.pacer.take(due, false);
            self.phase.missed += u64::from(due >= self.phase.start);
        }
        self.phase.missed
    }

    /// Whether a transaction that starts behind the last that counts should have been one of those.
    pub(super) fn was_due_in_time(&self, intended: u64) -> bool {
        let started = self.phase.started + self.phase.missed;
        intended >= self.phase.start && self.phase.stop.goes_on(started, intended)
    }

    /// Lets nothing start that is due later than now; what has begun goes on to its end.
    pub fn end_at(&mut self, now: u64) {
        self.phase.stop = self.phase.stop.at_latest(now);
    }

    /// Starts nothing more that does not count: what counts is about to be given up.
    pub fn cease(&mut self) {
        self.phase.trail = None;
    }

    /// Starts nothing more, whatever the schedule says.
    pub fn halt(&mut self) {
        self.phase.stop = Stop::at_first(Some(0), None);
        self.cease();
        self.waiting.clear();
    }

    /// What the transactions should amount to by Little's law: the clients' time for a closed
    /// load, the integral of the number in flight for an open one.
    pub fn client_time(&self) -> ClientTime {
        match self.phase.pacer.client_time() {
            Some(time) => ClientTime {
                waiting_ns: self.crowding.waited_ns,
                ..time
            },
            None => ClientTime {
                whole_ns: self.occupancy.total_ns(),
                ..ClientTime::default()
            },
        }
    }
}
