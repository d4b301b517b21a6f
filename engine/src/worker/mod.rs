//! One worker: a thread on its own CPU with its own connections, schedule and record. Its hot loop
//! shares nothing with other threads, except counters that only it writes.

mod connecting;
mod datagrams;
mod filling;
mod gaps;
mod reactor;
mod receiving;
mod securing;
mod slice;

use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use crate::allowance;
use crate::answers::Answers;
use crate::arrival::{Arrival, Arrivals};
use crate::capture;
use crate::clock::Clock;
use crate::failure::Fault;
use crate::flow::{Flow, Mismatch};
use crate::job::{Header, Request, Rpc, Target, TransportKind};
use crate::pacer::Share;
use crate::plan::Plan;
use crate::pool::{Lifetime, Pool, Token};
use crate::quic;
use crate::recorder::{Distribution, Recorder, Totals};
use crate::system::alarm::Alarm;
use crate::system::epoll::{Epoll, Interest};
use crate::system::mailbox::Outbox;
use crate::system::process;
use crate::system::wakeup::Wakeup;
use crate::tls::{self, Handshakes};
use crate::transport::Codec;
use crate::transport::grpc::Grpc;
use crate::transport::http1::{Http1, Http1With};
use crate::transport::http2::{Http2, Plain, Wrapped};
use crate::transport::http3::Http3;
use crate::transport::rpc::{Connect, GrpcWeb};
use crate::transport::websocket::Websocket;

use gaps::Gaps;
pub use slice::{Measured, Order, Until};

const SCRATCH: usize = 256 << 10;
/// The decrypted bytes must fit into the scratch buffer.
const SEALED: usize = SCRATCH - tls::MOST_KEPT;
const _: () = assert!(
    SEALED >= quic::SCRATCH,
    "datagrams are read into this buffer too"
);
const EVENTS: usize = 512;
/// The most bytes that may wait to be sent in addition to requests.
const UNSENT: usize = 512 << 10;
/// The bytes of a request in addition to those in the job.
const ROOM: usize = 1 << 10;
/// The real-time priority of workers, below that of the coordinating thread.
const WORKER_PRIORITY: i32 = 1;

/// A command to a worker.
pub enum Command {
    Slice(Box<Order>),
    /// End the slice: the required precision is reached.
    Finish,
    /// Abort the slice.
    Abort,
    /// Half-close all connections and report.
    Close,
    /// End at once.
    Leave,
}

/// A report of a worker.
pub enum Report {
    Connected,
    /// Not all connections could be opened. Later calls try to open them again.
    Unreachable(Fault),
    /// A client could not log in.
    Refused(Box<Mismatch>),
    SliceEnded(Box<Measured>),
    Finished(Box<Outcome>),
    /// A system call failed.
    Broken(io::Error),
}

/// A report with the indices of its target and worker.
pub type Signed = (usize, usize, Report);

/// The outcome of one worker over all slices.
pub struct Outcome {
    pub totals: Totals,
    pub mismatches: Vec<Mismatch>,
    pub answers: Answers,
    pub lifetime: Lifetime,
    pub connect_times: Distribution,
    pub tls_times: Distribution,
    pub handshakes: Handshakes,
    /// The connections that could not be opened, by class of failure.
    pub absences: BTreeMap<&'static str, u64>,
    /// The connections that broke their protocol when no request was under way, by how.
    pub violations: BTreeMap<&'static str, u64>,
}

/// The parts of a worker.
pub struct Assignment {
    pub target: Arc<Target>,
    /// Its index in the job.
    pub number: usize,
    /// Its index among the target's workers.
    pub member: usize,
    pub plan: Arc<Plan>,
    /// Its share among the workers of all agents.
    pub share: Share,
    pub clock: Clock,
    pub cpu: Option<usize>,
    pub real_time: bool,
    pub seed: u64,
    pub recorder: Recorder,
    pub answers: Answers,
    pub commands: Receiver<Command>,
    pub wakeup: Arc<Wakeup>,
    pub reports: Outbox<Signed>,
    pub reported: Arc<Wakeup>,
}

/// Runs a worker in the protocol of its target until it is told to end. New transports are added
/// here.
pub fn start(assignment: Assignment) {
    let endpoint = &assignment.target.endpoint;
    match (endpoint.transport, endpoint.rpc) {
        (TransportKind::Http1, None) => work::<Http1>(assignment),
        (TransportKind::Http1, Some(Rpc::GrpcWeb)) => work::<Http1With<GrpcWeb>>(assignment),
        (TransportKind::Http1, Some(Rpc::Connect)) => work::<Http1With<Connect>>(assignment),
        (TransportKind::Http2, None) => work::<Http2<Plain>>(assignment),
        (TransportKind::Http2, Some(Rpc::GrpcWeb)) => work::<Http2<Wrapped<GrpcWeb>>>(assignment),
        (TransportKind::Http2, Some(Rpc::Connect)) => work::<Http2<Wrapped<Connect>>>(assignment),
        (TransportKind::Grpc, _) => work::<Grpc>(assignment),
        (TransportKind::Websocket, _) => work::<Websocket>(assignment),
        (TransportKind::Http3, _) => work::<Http3>(assignment),
    }
}

/// The most bytes that the requests in flight on a connection take, and a little more.
fn most_unsent(target: &Target) -> usize {
    let length = |headers: &[Header]| -> usize {
        headers
            .iter()
            .map(|(name, value)| name.len() + value.len() + 4)
            .sum()
    };
    let request = |request: &Request| {
        let stream = request.stream.as_ref();
        let times = stream.map_or(1, |it| it.send as usize);
        let messages = stream.map_or(&[][..], |it| &it.messages);
        let messages: usize = messages.iter().map(|message| message.len() + 5).sum();
        let values = request.holes.len() * 3 * capture::LONGEST; // percent-encoded
        values
            + request.path.len()
            + length(&request.headers)
            + request.body.len().max(messages) * times.max(1)
    };
    let largest = target.requests.iter().map(request).max().unwrap_or(0);
    let each = 2 * (largest + length(&target.endpoint.headers)) + ROOM;
    UNSENT + each * target.connections.streams_per_connection as usize
}

fn work<C: Codec>(assignment: Assignment) {
    let (reports, reported) = (assignment.reports.clone(), Arc::clone(&assignment.reported));
    let (target, worker) = (assignment.number, assignment.member);
    let report = |report| {
        reports.send((target, worker, report));
        reported.wake();
    };
    let work = || Worker::<C>::new(assignment).and_then(|worker| worker.run(&report));
    let worked = catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(io::Error::other("a bug in the engine, see above")));
    if let Err(error) = worked {
        report(Report::Broken(error));
    }
}

struct Worker<C: Codec> {
    target: Arc<Target>,
    script: C::Script,
    share: Share,
    clock: Clock,
    /// Present if the kernel dates the arrival of answers.
    arrivals: Option<Arrivals>,
    epoll: Epoll,
    alarm: Alarm,
    pool: Pool<C>,
    flow: Flow,
    /// Present if connections use TLS.
    tls: Option<tls::Client>,
    scratch: Vec<u8>,
    /// The buffer for encrypted bytes, with TLS or QUIC.
    sealed: Vec<u8>,
    commands: Receiver<Command>,
    wakeup: Arc<Wakeup>,
    /// A command that has arrived and not been carried out.
    command: Option<Command>,
    /// The most bytes that can wait to be sent on a connection whose server reads the requests that
    /// it answers.
    most_unsent: usize,
    /// The fault of the last connection that could not be opened.
    fault: Option<Fault>,
    absences: BTreeMap<&'static str, u64>,
    violations: BTreeMap<&'static str, u64>,
    /// Whether answers may wait in the kernel while the next transaction is not due yet.
    dozes: bool,
    /// When the current slice ended; since then, calls in flight drain.
    stopped_at: Option<u64>,
    /// The longest drain, in nanoseconds.
    patience_ns: u64,
    gaps: Gaps,
}

impl<C: Codec> Worker<C> {
    fn new(assignment: Assignment) -> io::Result<Self> {
        let Assignment {
            target,
            plan,
            share,
            clock,
            cpu,
            real_time,
            seed,
            recorder,
            answers,
            commands,
            wakeup,
            ..
        } = assignment;
        if let Some(cpu) = cpu {
            process::restrict_to(&[cpu])?;
        }
        if real_time {
            process::run_in_real_time(WORKER_PRIORITY);
        }
        process::make_timers_precise();
        let epoll = Epoll::new(EVENTS)?;
        epoll.add(&*wakeup, Token::Command.pack(), Interest::Read)?;
        let alarm = Alarm::new()?;
        epoll.add(&alarm, Token::Alarm.pack(), Interest::Read)?;
        let (connections, endpoint) = (target.connections, &target.endpoint);
        let count = share.of(u64::from(connections.count)) as u32;
        let connect_timeout_ns = connections.connect_timeout_ms * 1_000_000;
        let mut pool = Pool::new(
            endpoint.address.clone(),
            count,
            connections.streams_per_connection,
            connect_timeout_ns,
            seed ^ ((share.worker as u64) << 32),
        );
        pool.sources.clone_from(&endpoint.sources);
        pool.stamps_arrivals = target.arrival == Arrival::Kernel;
        let patience_ns = plan.longest_timeout_ns() + connect_timeout_ns;
        let capacity = (count * connections.streams_per_connection) as usize;
        let flow = Flow::new(plan, recorder, answers, capacity);
        let tls = endpoint.tls.as_ref();
        let tls = tls.map(|tls| tls::Client::new(tls, endpoint.transport.alpn(), count as usize));
        let tls = tls.transpose().map_err(io::Error::other)?;
        if let (TransportKind::Http3, Some(tls)) = (endpoint.transport, &tls) {
            let window = allowance::window(connections.count);
            let client = quic::Client::new(tls, connections.streams_per_connection, window);
            pool.quic = Some(client.map_err(io::Error::other)?);
        }
        let most_unsent = most_unsent(&target);
        Ok(Self {
            script: C::script(endpoint, &connections, &target.requests),
            target,
            share,
            arrivals: pool.stamps_arrivals.then(|| Arrivals::new(clock)),
            clock,
            epoll,
            alarm,
            pool,
            flow,
            sealed: vec![0; if tls.is_some() { SEALED } else { 0 }],
            tls,
            scratch: vec![0; SCRATCH],
            commands,
            wakeup,
            command: None,
            most_unsent,
            fault: None,
            absences: BTreeMap::new(),
            violations: BTreeMap::new(),
            dozes: false,
            stopped_at: None,
            patience_ns,
            gaps: Gaps::default(),
        })
    }

    fn run(mut self, report: &impl Fn(Report)) -> io::Result<()> {
        match (self.connect_all()?, self.fault.take()) {
            (true, _) => match self.begin_clients()? {
                None => report(Report::Connected),
                Some(refused) => {
                    report(Report::Refused(Box::new(refused)));
                    return Ok(());
                }
            },
            (false, Some(fault)) => {
                report(Report::Unreachable(fault));
                self.offer_all();
            }
            (false, None) => return Ok(()),
        }
        loop {
            match self.next_command()? {
                Command::Slice(order) => {
                    let measured = self.carry_out(*order)?;
                    report(Report::SliceEnded(Box::new(measured)));
                }
                // Their slice has ended by itself.
                Command::Finish | Command::Abort => {}
                Command::Close => break,
                Command::Leave => return Ok(()),
            }
        }
        self.close_all()?;
        report(Report::Finished(Box::new(self.outcome()?)));
        Ok(())
    }

    fn outcome(self) -> io::Result<Outcome> {
        let mut totals = self.flow.recorder.total;
        totals.finish()?;
        Ok(Outcome {
            totals,
            mismatches: self.flow.mismatches.into_inner(),
            answers: self.flow.answers,
            lifetime: self.pool.leaving.lifetime,
            connect_times: self.pool.connect_times,
            tls_times: self.pool.tls_times,
            handshakes: self.pool.handshakes,
            absences: self.absences,
            violations: self.violations,
        })
    }
}

#[cfg(test)]
mod tests;
