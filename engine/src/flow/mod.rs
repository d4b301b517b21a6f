//! Transactions in flight: which call is next, and what its reply means.
//!
//! It does not use sockets. A backlog needs no memory: while no connection is free, no transaction
//! is taken from the pacer, which keeps its intended time.

mod clients;
mod crowding;
mod flight;
mod mismatch;
mod occupancy;
mod phase;
mod redirect;
mod times;
mod trail;

use std::collections::VecDeque;
use std::sync::Arc;

use crate::answers::Answers;
use crate::deadlines::Deadlines;
use crate::decoding::Decoder;
use crate::encoding::Encoding;
use crate::expect::KnownBodies;
use crate::failure::{Failure, Fault};
use crate::job::Request;
use crate::plan::Plan;
use crate::pool::Opening;
use crate::recorder::Recorder;
use crate::secrets::Secrets;
use crate::slots::Slots;
use crate::transport::{Reply, Start};

use clients::Clients;
use crowding::Crowding;
pub use flight::Call;
use flight::Flight;
pub use mismatch::{Mismatch, Mismatches};
use occupancy::Occupancy;
use phase::Part;
pub use phase::Phase;
use redirect::Redirect;
pub use times::TimedOut;
pub use trail::{Counting, Trail};

/// The status by which a server tells that a session has ended (MCP 2025-11-25).
const NOT_FOUND: u16 = 404;

/// The transactions of one worker.
pub struct Flow {
    plan: Arc<Plan>,
    phase: Phase,
    flights: Slots<Flight>,
    calls: Slots<Call>,
    /// One list per time-out of requests, in the order of their deadlines.
    deadlines: Vec<Deadlines>,
    /// Calls of transactions in flight that wait for a connection: (flight, request).
    waiting: VecDeque<(u32, u32)>,
    pub recorder: Recorder,
    pub mismatches: Mismatches,
    pub answers: Answers,
    pub payload: Payload,
    /// The number of ended transactions of guard and drain, which do not count.
    pub unrecorded: u64,
    decoder: Decoder,
    known_bodies: KnownBodies,
    occupancy: Occupancy,
    crowding: Crowding,
    /// Present if clients capture values.
    clients: Option<Box<Clients>>,
}

/// The bytes of bodies without their protocol's framing, over all calls that count.
#[derive(Clone, Copy, Debug, Default)]
pub struct Payload {
    pub sent: u64,
    pub received: u64,
    /// The received bytes after decoding; the same if they were not compressed.
    pub decoded: u64,
    /// The number of replies that were redirections, and followed.
    pub redirects: u64,
    /// The number of sessions that the server ended, and that were opened again.
    pub reopened: u64,
}

impl Flow {
    /// No transaction in flight; with memory for `capacity` calls.
    pub fn new(plan: Arc<Plan>, recorder: Recorder, answers: Answers, capacity: usize) -> Self {
        let deadlines = plan.timeouts_ns.iter();
        Self {
            deadlines: deadlines
                .map(|&time| Deadlines::new(time, capacity))
                .collect(),
            known_bodies: KnownBodies::new(plan.checks.len()),
            clients: plan.captured.clone().map(|captured| {
                let transactions = plan.rounds.len();
                Box::new(Clients::new(captured, transactions))
            }),
            plan,
            phase: Phase::idle(),
            flights: Slots::with_capacity(capacity),
            calls: Slots::with_capacity(capacity),
            waiting: VecDeque::with_capacity(capacity),
            recorder,
            mismatches: Mismatches::default(),
            answers,
            payload: Payload::default(),
            unrecorded: 0,
            decoder: Decoder::default(),
            occupancy: Occupancy::default(),
            crowding: Crowding::default(),
        }
    }

    /// Begins a phase; nothing is in flight.
    pub fn begin(&mut self, phase: Phase) {
        self.payload = Payload::default();
        self.unrecorded = 0;
        self.occupancy = Occupancy::since(phase.begin);
        self.crowding = Crowding::default();
        self.phase = phase;
    }

    /// The call to start now on `connection`, if one is due: its number and its request.
    /// `label` is the number of the connection among those of all workers.
    #[inline]
    pub fn next_call(&mut self, connection: u32, label: u32, now: u64) -> Option<(u32, u32)> {
        let (flight, request) = match self.waiting.pop_front() {
            Some(waiting) => waiting,
            None => self.next_transaction(label, now)?,
        };
        let call = self.calls.insert(Call {
            flight,
            request,
            connection,
        });
        let list = self.plan.timeout_of[request as usize];
        self.deadlines[list as usize].start(call, now);
        Some((call, request))
    }

    fn next_transaction(&mut self, label: u32, now: u64) -> Option<(u32, u32)> {
        if self.phase.pacer.next_due()? > now {
            return None;
        }
        let counts = self.phase.part(now)? == Part::Counted;
        self.observe(now);
        let due = self.phase.pacer.take(now, counts)?;
        let sequence = if counts {
            self.crowding.taken(due.intended);
            self.phase.started += 1;
            &mut self.phase.sequence
        } else {
            self.phase.missed += u64::from(self.was_due_in_time(due.intended));
            &mut self.phase.unrecorded
        };
        let transaction = match &mut self.clients {
            None => sequence.next(),
            Some(clients) => clients.next(due.client.unwrap_or(label), sequence),
        };
        let flight = Flight::new(transaction, due, label, now, counts);
        let flight = self.flights.insert(flight);
        self.begin_round(flight);
        self.waiting.pop_front()
    }

    fn begin_round(&mut self, flight: u32) {
        let Some(state) = self.flights.get_mut(flight) else {
            return;
        };
        let round = &self.plan.rounds[state.transaction as usize][state.round as usize];
        state.outstanding = round.len() as u32;
        state.redirect = None;
        for &request in round {
            self.waiting.push_back((flight, request));
        }
    }

    /// Takes the reply to a call, complete at `end`.
    #[inline]
    pub fn replied(&mut self, call: u32, reply: &Reply, end: u64, wrong_status: Failure) {
        let Some(Call {
            flight, request, ..
        }) = self.end_call(call, end)
        else {
            return;
        };
        let Some(state) = self.flights.get_mut(flight) else {
            return;
        };
        state.add(reply);
        let counts = state.counts;
        if counts {
            self.payload.sent += u64::from(reply.payload_sent);
            self.payload.received += reply.length();
        }
        if self.plan.captured.as_ref().is_some_and(|it| it.follows)
            && let Some(redirect) = Redirect::of(
                reply,
                &self.plan.target.requests[request as usize],
                &self.plan.target.endpoint,
                state.redirect.as_deref(),
            )
        {
            self.payload.decoded += if counts { reply.length() } else { 0 };
            self.payload.redirects += u64::from(counts);
            state.redirect = Some(Box::new(redirect));
            state.call_ended(end);
            self.waiting.push_back((flight, request));
            return;
        }
        if let (Some(captured), Some(clients), NOT_FOUND) =
            (&self.plan.captured, &mut self.clients, reply.status)
            && !captured.reopens.is_empty()
            && !captured.reopens.contains(&request)
            && !clients.values(state.label)[0].is_empty()
            && state.reopen(request, captured.reopens.start)
        {
            self.payload.decoded += if counts { reply.length() } else { 0 };
            self.payload.reopened += u64::from(counts);
            state.call_ended(end);
            self.waiting.push_back((flight, captured.reopens.start));
            return;
        }
        let decoded;
        let reply = match reply.encoding {
            Encoding::Identity => reply,
            encoding => {
                match self
                    .decoder
                    .decode(encoding, reply.body, &self.plan.looks[request as usize])
                {
                    Ok((body, long)) => {
                        decoded = Reply {
                            body,
                            long,
                            ..reply.clone()
                        };
                        &decoded
                    }
                    Err(fault) => {
                        state.fail(fault.failure, reply.status);
                        if counts && self.phase.recorded {
                            self.mismatches.add_fault(state.transaction, fault);
                        }
                        return self.end_request(flight, end);
                    }
                }
            }
        };
        if counts {
            self.payload.decoded += reply.length();
        }
        let check = &self.plan.checks[request as usize];
        let is_recorded = counts && self.phase.recorded;
        match check.judge(request, reply, wrong_status, &mut self.known_bodies) {
            Some(failure) => {
                state.fail(failure, reply.status);
                if is_recorded {
                    let clients = self.clients.as_deref_mut();
                    let hidden = || secrets(&self.plan, clients, request, state.label);
                    self.mismatches
                        .add_reply(state.transaction, failure, check, reply, hidden);
                }
            }
            None => {
                if check.wants_sample && is_recorded {
                    self.answers.take(state.transaction, request, reply);
                }
                if let Some(clients) = &mut self.clients {
                    let captures = &self.plan.captures[request as usize];
                    if let Err(missing) = clients.take(state.label, captures, reply) {
                        state.fail(Failure::MissingValue, reply.status);
                        if is_recorded {
                            let hidden =
                                || secrets(&self.plan, Some(&mut **clients), request, state.label);
                            self.mismatches
                                .add_missing(state.transaction, missing, reply, hidden);
                        }
                    }
                }
            }
        }
        self.end_request(flight, end);
    }

    /// Whether clients capture values from answers.
    pub fn has_clients(&self) -> bool {
        self.clients.is_some()
    }

    /// The request of a call with the captured values of its client, or where it was redirected to;
    /// none if it is sent as it was prepared.
    pub fn filled(&mut self, call: u32, request: u32) -> Option<Request> {
        let state = self.flights.get(self.calls.get(call)?.flight)?;
        let (model, redirect) = (
            &self.plan.target.requests[request as usize],
            &state.redirect,
        );
        if model.holes.is_empty() && redirect.is_none() {
            return None;
        }
        let filled = model.filled(self.clients.as_mut()?.values(state.label));
        Some(match redirect {
            Some(redirect) => redirect.request(filled),
            None => filled,
        })
    }

    /// Notes that a call had to wait for its connection, which is open now.
    pub fn waited(&mut self, call: u32, opening: Opening) {
        let flight = self.calls.get(call).map(|call| call.flight);
        if let Some(state) = flight.and_then(|flight| self.flights.get_mut(flight)) {
            state.waited(opening);
        }
    }

    /// How a call begins on its connection.
    #[inline]
    pub fn start(&self, call: u32, request: u32) -> Start {
        let flight = self.calls.get(call).map(|call| call.flight);
        let flight = flight.and_then(|flight| self.flights.get(flight));
        Start {
            call,
            request,
            counts: flight.is_some_and(|flight| flight.counts),
        }
    }

    /// Notes that a call waits for another connection.
    pub fn moved(&mut self, call: u32, connection: u32) {
        if let Some(call) = self.calls.get_mut(call) {
            call.connection = connection;
        }
    }

    /// Fails a call, which will have no reply.
    pub fn failed(&mut self, call: u32, fault: Fault, end: u64) {
        let Some(Call { flight, .. }) = self.end_call(call, end) else {
            return;
        };
        let Some(state) = self.flights.get_mut(flight) else {
            return;
        };
        state.fail(fault.failure, 0);
        if self.phase.recorded && state.counts {
            self.mismatches.add_fault(state.transaction, fault);
        }
        self.end_request(flight, end);
    }

    /// Fails all calls that wait for a connection.
    pub fn fail_waiting(&mut self, fault: Fault, end: u64) {
        while let Some((flight, _)) = self.waiting.pop_front() {
            if let Some(state) = self.flights.get_mut(flight) {
                state.fail(fault.failure, 0);
                self.end_request(flight, end);
            }
        }
    }

    /// Notes that no connection can take a call.
    #[inline]
    pub fn full(&mut self) {
        self.crowding.full();
    }

    /// Notes that the server allows more streams since `at`.
    pub fn widened(&mut self, at: u64) {
        self.crowding.freed(at);
    }

    /// Notes that an ended connection was closed in this time, in which no call could start.
    pub fn closed(&mut self, from: u64, to: u64) {
        self.crowding.closed(from, to);
    }

    fn end_call(&mut self, call: u32, end: u64) -> Option<Call> {
        let ended = self.calls.remove(call)?;
        self.crowding.freed(end);
        let list = self.plan.timeout_of[ended.request as usize];
        self.deadlines[list as usize].stop(call);
        Some(ended)
    }

    fn end_request(&mut self, flight: u32, end: u64) {
        let Some(state) = self.flights.get_mut(flight) else {
            return;
        };
        let end = state.call_ended(end);
        if let (Some(captured), 0) = (&self.plan.captured, state.failure)
            && let Some(next) = state.next_of_opening(&captured.reopens)
        {
            self.waiting.push_back((flight, next));
            return;
        }
        state.outstanding -= 1;
        if state.outstanding > 0 {
            return;
        }
        state.round += 1;
        let rounds = self.plan.rounds[state.transaction as usize].len() as u32;
        if state.failure == 0 && state.round < rounds {
            self.begin_round(flight);
            return;
        }
        self.observe(end);
        self.occupancy.ended_at(end);
        if let Some(state) = self.flights.remove(flight) {
            self.phase.note(state.failure, end);
            if let (Some(clients), true) = (&mut self.clients, state.failure != 0) {
                clients.failed(state.label, state.transaction);
            }
            self.phase.pacer.ended(state.client, end, state.counts);
            if state.counts {
                self.phase.ended += 1;
                self.phase.leave_if_done(end);
                self.recorder.record(state.sample(self.phase.start, end));
            } else {
                self.unrecorded += 1;
                self.occupancy.disregard(end - state.started);
            }
        }
    }

    /// Adds the time since the last call, times the number of transactions in flight.
    #[inline]
    fn observe(&mut self, now: u64) {
        self.occupancy.observe(now, self.flights.len());
    }
}

/// The secrets of a client's request, which its reply may repeat.
fn secrets(plan: &Plan, clients: Option<&mut Clients>, request: u32, client: u32) -> Secrets {
    let common = &plan.target.endpoint.headers;
    let own = &plan.target.requests[request as usize].headers;
    let values = clients.map_or(&[][..], |clients| clients.values(client));
    Secrets::new(common.iter().chain(own), values)
}

#[cfg(test)]
mod tests;
