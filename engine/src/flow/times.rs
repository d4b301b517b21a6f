//! The part of a flow that depends on time: due times, time-outs, and the end of a phase.

use super::{Call, Flow};
use crate::deadlines::Deadlines;
use crate::pacer::ClientTime;
use crate::stop::Stop;

/// A call that has reached its time-out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedOut {
    pub call: u32,
    pub connection: u32,
    /// Whether the reply is complete at the time-out (`until_ms`).
    pub is_complete: bool,
}

impl Flow {
    /// A call that has reached its time-out, which the caller must pass to `failed` or `replied`
    /// next.
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

    /// The next time-out of a call.
    pub fn next_timeout(&self) -> Option<u64> {
        self.deadlines.iter().filter_map(Deadlines::next).min()
    }

    /// When the next call is due, if a connection is free.
    pub fn next_due(&self, now: u64) -> Option<u64> {
        if !self.waiting.is_empty() {
            return Some(now);
        }
        let due = self.phase.pacer.next_due()?;
        self.phase.part(due.max(now)).map(|_| due)
    }

    /// When the stop rule may end the phase without a further transaction.
    pub fn stops_at(&self, now: u64) -> Option<u64> {
        self.phase.stop.ends_at().filter(|&end| end > now)
    }

    /// When the stop rule ended the phase, if it has.
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

    /// The number of transactions in flight.
    pub fn in_flight(&self) -> u64 {
        self.flights.len() as u64
    }

    /// The number of transactions that count and have not ended: they are dropped if the phase is
    /// ended early.
    pub fn dropped(&self) -> u64 {
        self.phase.started - self.phase.ended
    }

    /// The number of transactions of an open load that were due in the recorded part and did not
    /// start in time, because no connection was free.
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

    /// Whether a transaction that starts after the last one that counts was due before.
    pub(super) fn was_due_in_time(&self, intended: u64) -> bool {
        let started = self.phase.started + self.phase.missed;
        intended >= self.phase.start && self.phase.stop.goes_on(started, intended)
    }

    /// Starts no transaction that is due later than now; those in flight continue.
    pub fn end_at(&mut self, now: u64) {
        self.phase.stop = self.phase.stop.at_latest(now);
    }

    /// Starts no more transactions that do not count.
    pub fn cease(&mut self) {
        self.phase.trail = None;
    }

    /// Starts no more transactions.
    pub fn halt(&mut self) {
        self.phase.stop = Stop::at_first(Some(0), None);
        self.cease();
        self.waiting.clear();
    }

    /// The sum of the times of transactions by Little's law: the clients' time for a closed load,
    /// the integral of the number in flight for an open one.
    pub fn client_time(&self) -> ClientTime {
        match self.phase.pacer.client_time() {
            Some(time) => ClientTime {
                waiting_ns: self.crowding.waited_ns,
                closing_ns: self.crowding.closing_ns,
                ..time
            },
            None => ClientTime {
                whole_ns: self.occupancy.total_ns(),
                ..ClientTime::default()
            },
        }
    }
}
