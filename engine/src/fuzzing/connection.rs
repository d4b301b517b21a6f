//! A whole connection with a hostile peer: a protocol with calls in flight, their deadlines and
//! their schedule, driven as by a worker, but with a simulated clock.
//!
//! The script is arbitrary bytes: the peer sends, pauses, reads or does not, closes, and is
//! reconnected. Whatever it does, the load ends in time.

use std::sync::Arc;

use crate::answers::Answers;
use crate::failure::{Failure, Fault};
use crate::flow::{Flow, Phase, TimedOut};
use crate::job::Target;
use crate::pacer::{Share, Turn, pacer};
use crate::plan::{Plan, Sequence};
use crate::recorder::Recorder;
use crate::stop::Stop;
use crate::transport::grpc::Grpc;
use crate::transport::http1::Http1;
use crate::transport::http2::{Http2, Plain};
use crate::transport::http3::Http3;
use crate::transport::websocket::Websocket;
use crate::transport::{Arrival, Codec, Line, Step, read_after};

use super::{CALLS, JOBS, SETTINGS, allowed, websocket_handshake};

/// The time-out of each request and of connecting, the job's defaults.
const TIMEOUT_NS: u64 = 10_000_000_000;
/// The length of the load.
const WINDOW_NS: u64 = 4 * TIMEOUT_NS;
/// The most bytes that may wait for the peer, in addition to requests.
const MOST_OWED: usize = 128 << 10;
const REQUEST: usize = 1 << 10;

const GIVEN_UP: Fault = Fault::new(Failure::Reset, "given up");

/// Runs a script; its first byte selects the protocol.
pub fn connection(data: &[u8]) {
    let Some((&choice, script)) = data.split_first() else {
        return;
    };
    let settings = |_: &[u8]| SETTINGS.to_vec();
    match choice % 8 {
        0 => play::<Http1>("http1", script, |_| Vec::new()),
        1 => play::<Http2<Plain>>("http2", script, settings),
        2 => play::<Grpc>("grpc", script, settings),
        3 => play::<Websocket>("websocket", script, websocket_handshake),
        4 => play::<Http3>("http3", script, |_| allowed(CALLS)),
        5 => play::<Grpc>("grpc_stream", script, settings),
        6 => play::<Websocket>("websocket_push", script, websocket_handshake),
        _ => play::<Http1>("events", script, |_| Vec::new()),
    }
}

/// Runs a script to its end, and then the silence until everything has ended.
fn play<C: Codec>(job: &str, script: &[u8], opening: impl Fn(&[u8]) -> Vec<u8>) {
    let Some(mut scene) = JOBS.get(job).and_then(Scene::<C>::new) else {
        return;
    };
    let mut rest = script;
    while let Some((&deed, behind)) = rest.split_first() {
        rest = behind;
        let mut take = |count: usize| {
            let (taken, behind) = rest.split_at(count.min(rest.len()));
            rest = behind;
            taken
        };
        let count = usize::from(deed >> 3);
        match deed & 7 {
            0 => scene.pass(1 + (deed as u64 >> 3) * TIMEOUT_NS / 16),
            1 | 2 => scene.receive(take(1 + count)),
            3 => {
                let good = opening(&scene.sent);
                scene.receive(&good);
            }
            4 => scene.take_all(),
            5 => scene.end(),
            6 => scene.give_up(GIVEN_UP),
            _ => {
                let piece = take(1 + count).repeat(64);
                scene.receive(&piece);
            }
        }
        scene.turn();
    }
    // Nothing more is started after the window, and calls in flight have their time-outs.
    for _ in 0..16 {
        scene.pass(WINDOW_NS / 8);
        scene.turn();
    }
    scene.assert_over();
}

struct Scene<C: Codec> {
    script: C::Script,
    line: Line<C>,
    flow: Flow,
    now: u64,
    state: State,
    /// All bytes sent on this connection.
    sent: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Closed,
    /// Since when.
    Opening(u64),
    Open,
}

impl<C: Codec> Scene<C> {
    fn new(target: &Arc<Target>) -> Option<Self> {
        let share = Share {
            worker: 0,
            workers: 1,
        };
        let turn = Turn {
            start: 0,
            per_client: None,
            seed: None,
        };
        let recorder = Recorder::new(None, Arc::default(), Arc::default(), None).ok()?;
        let answers = Answers::new(None, 0).ok()?;
        let mut flow = Flow::new(
            Arc::new(Plan::new(target)),
            recorder,
            answers,
            CALLS as usize,
        );
        flow.recorder.begin(None, true);
        flow.begin(Phase {
            pacer: pacer(&target.pacer, share, turn),
            stop: Stop::at_first(None, Some(WINDOW_NS)),
            sequence: Sequence::new(target.order, target.transactions.len(), share, 0),
            ..Phase::idle()
        });
        Some(Self {
            script: C::script(&target.endpoint, &target.connections, &target.requests),
            line: Line::new(C::new(CALLS, 1), CALLS as usize),
            flow,
            now: 0,
            state: State::Closed,
            sent: Vec::new(),
        })
    }

    fn pass(&mut self, ns: u64) {
        self.now += ns;
    }

    /// A turn of a worker without input: deadlines, then due calls.
    fn turn(&mut self) {
        self.expire();
        self.launch();
        let most = MOST_OWED + REQUEST * CALLS as usize;
        assert!(
            self.line.out.len() <= most,
            "{} bytes owed",
            self.line.out.len()
        );
    }

    fn launch(&mut self) {
        loop {
            let unopened = (self.state != State::Open).then_some(CALLS as usize);
            if self.line.room(unopened) == 0 {
                return;
            }
            let Some((call, request)) = self.flow.next_call(0, 0, self.now) else {
                return;
            };
            self.line.queue.push_back((call, request));
            match self.state {
                State::Open => self.opened(),
                State::Closed => self.connect(),
                State::Opening(_) => {}
            }
        }
    }

    fn connect(&mut self) {
        self.line.clear();
        self.sent.clear();
        self.state = State::Opening(self.now);
        let line = &mut self.line;
        if line.codec.open(&self.script, &mut line.out) {
            self.opened();
        }
        self.sent.extend_from_slice(&self.line.out);
    }

    fn opened(&mut self) {
        self.state = State::Open;
        let start = |call, request| self.flow.start(call, request);
        self.line.start_queued(&self.script, start);
    }

    fn receive(&mut self, bytes: &[u8]) {
        if self.state == State::Closed {
            return;
        }
        let kept = std::mem::take(&mut self.line.pending);
        if let Some(kept) = read_after(kept, bytes, |input| self.follow_steps(input)) {
            self.line.pending = kept;
        }
        self.has_ended();
    }

    /// Steps through the input to its end. False if the connection has ended.
    fn follow_steps(&mut self, input: &mut &[u8]) -> bool {
        let length = input.len();
        for steps in 0.. {
            assert!(steps < 4 * length + 100, "steps without end");
            let line = &mut self.line;
            let mut at = Arrival::at(self.now);
            match line.codec.step(&self.script, input, &mut at, &mut line.out) {
                Step::NeedInput => break,
                Step::Opened => self.opened(),
                Step::Widened => self.flow.widened(self.now),
                Step::Closing => {}
                Step::Replied { call, reply } => {
                    self.flow.replied(call, &reply, self.now, C::WRONG_STATUS);
                }
                Step::Failed { call, fault } => self.flow.failed(call, fault, self.now),
                Step::Broken(fault) => {
                    self.give_up(fault);
                    return false;
                }
            }
            if self.has_ended() {
                return false;
            }
            // A peer that answers unread requests does not wait for them.
            self.take_all();
            self.launch();
        }
        true
    }

    /// Closes a connection without calls that takes no more.
    fn has_ended(&mut self) -> bool {
        let ends =
            self.state == State::Open && self.line.codec.is_idle() && self.line.codec.is_closing();
        if ends {
            self.state = State::Closed;
            self.reconnect();
        }
        ends
    }

    fn reconnect(&mut self) {
        if !self.line.queue.is_empty() {
            self.connect();
        }
    }

    fn take_all(&mut self) {
        self.line.out.clear();
        self.line.codec.drained();
    }

    /// The peer sends nothing more.
    fn end(&mut self) {
        if self.state == State::Open {
            match self
                .line
                .codec
                .end_of_input(&self.script, &mut Arrival::at(self.now))
            {
                Step::Replied { call, reply } => {
                    self.flow.replied(call, &reply, self.now, C::WRONG_STATUS);
                }
                Step::Failed { call, fault } => self.flow.failed(call, fault, self.now),
                _ => {}
            }
        }
        self.give_up(GIVEN_UP);
    }

    fn give_up(&mut self, fault: Fault) {
        if self.state == State::Closed {
            return;
        }
        while let Some((call, fault)) = self.line.take_lost(fault) {
            self.flow.failed(call, fault, self.now);
        }
        assert!(self.line.codec.is_idle(), "a call is left behind");
        self.state = State::Closed;
    }

    fn expire(&mut self) {
        while let Some(TimedOut {
            call, is_complete, ..
        }) = self.flow.timed_out(self.now)
        {
            if is_complete
                && let Step::Replied { call, reply } =
                    self.line
                        .codec
                        .conclude_now(&self.script, call, &mut self.line.out)
            {
                self.flow.replied(call, &reply, self.now, C::WRONG_STATUS);
                continue;
            }
            let (fault, is_of_use) = self.line.time_out(call);
            self.flow.failed(call, fault, self.now);
            if !is_of_use {
                self.give_up(GIVEN_UP);
            }
        }
        if let State::Opening(since) = self.state
            && since + TIMEOUT_NS <= self.now
        {
            self.give_up(GIVEN_UP);
        }
        self.has_ended();
    }

    /// After the window and all time-outs, nothing is left.
    fn assert_over(&mut self) {
        assert!(self.flow.is_finished(self.now), "the load does not end");
        assert_eq!(self.flow.in_flight(), 0);
        assert_eq!(self.flow.dropped(), 0, "a transaction is lost");
    }
}
