//! One worker: a thread on its own processor with its own connections, schedule and record.
//! Nothing in its hot loop is shared with another thread, except counters that it alone writes.

mod connecting;
mod datagrams;
mod reactor;
mod receiving;
mod securing;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use crate::arrival::{Arrival, Arrivals, Stamped};
use crate::clock::Clock;
use crate::failure::Fault;
use crate::flow::{Flow, Mismatch, Payload, Phase};
use crate::job::{Job, Rpc, TransportKind};
use crate::pacer::{ClientTime, Share, pacer};
use crate::plan::{Plan, Sequence};
use crate::pool::{Lifetime, Pool, Token, Traffic};
use crate::quic;
use crate::recorder::{Distribution, Recorder};
use crate::stop::Stop;
use crate::system::alarm::Alarm;
use crate::system::epoll::{Epoll, Interest};
use crate::system::process::{self, CpuTime};
use crate::system::wakeup::Wakeup;
use crate::tls::{self, Handshakes};
use crate::transport::Codec;
use crate::transport::grpc::Grpc;
use crate::transport::http1::{Http1, Http1With};
use crate::transport::http2::{Http2, Plain, Wrapped};
use crate::transport::http3::Http3;
use crate::transport::rpc::{Connect, GrpcWeb, GrpcWebText};
use crate::transport::websocket::Websocket;

const SCRATCH: usize = 256 << 10;
/// What is opened of it must fit into the scratch buffer.
const SEALED: usize = SCRATCH - tls::MOST_KEPT;
const _: () = assert!(SEALED >= quic::SCRATCH, "datagrams are read into it, too");
const EVENTS: usize = 512;
/// In real time; whatever coordinates the workers has a higher one.
const WORKER_PRIORITY: i32 = 1;

/// What the coordinator tells a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    WarmUp {
        start: u64,
    },
    Window {
        start: u64,
    },
    /// End the window: enough is known.
    Finish,
    /// Half-close all connections and report.
    Close,
    /// Break off, whatever is going on.
    Abort,
}

/// What a worker tells the coordinator.
pub enum Report {
    Connected,
    Unreachable(Fault),
    Warm,
    WindowEnded,
    Finished(Box<Outcome>),
    /// The machine failed us: no file, no descriptor, ...
    Broken(io::Error),
}

/// All that one worker has measured.
pub struct Outcome {
    pub recorder: Recorder,
    pub mismatches: Vec<Mismatch>,
    pub payload: Payload,
    pub traffic: Traffic,
    pub lifetime: Lifetime,
    pub connect_times: Distribution,
    pub tls_times: Distribution,
    pub handshakes: Handshakes,
    pub cpu: CpuTime,
    pub never_sent: u64,
    pub dropped: u64,
    /// By Little's law, what latencies and think times should add up to.
    pub client_time: ClientTime,
    /// Of the kernel's stamps, if they were asked for.
    pub stamped: Stamped,
}

/// What a worker needs to begin.
pub struct Assignment {
    pub job: Arc<Job>,
    pub plan: Arc<Plan>,
    pub share: Share,
    pub clock: Clock,
    pub cpu: Option<usize>,
    pub recorder: Recorder,
    pub commands: Receiver<Command>,
    pub wakeup: Arc<Wakeup>,
    pub reports: Sender<Report>,
    pub reported: Arc<Wakeup>,
}

/// Works through the phases in the protocol of the job. The place to add a transport.
pub fn start(assignment: Assignment) {
    let target = &assignment.job.target;
    match (target.transport, target.rpc) {
        (TransportKind::Http1, None) => work::<Http1>(assignment),
        (TransportKind::Http1, Some(Rpc::GrpcWeb)) => work::<Http1With<GrpcWeb>>(assignment),
        (TransportKind::Http1, Some(Rpc::GrpcWebText)) => {
            work::<Http1With<GrpcWebText>>(assignment)
        }
        (TransportKind::Http1, Some(Rpc::Connect)) => work::<Http1With<Connect>>(assignment),
        (TransportKind::Http2, None) => work::<Http2<Plain>>(assignment),
        (TransportKind::Http2, Some(Rpc::GrpcWeb)) => work::<Http2<Wrapped<GrpcWeb>>>(assignment),
        (TransportKind::Http2, Some(Rpc::GrpcWebText)) => {
            work::<Http2<Wrapped<GrpcWebText>>>(assignment)
        }
        (TransportKind::Http2, Some(Rpc::Connect)) => work::<Http2<Wrapped<Connect>>>(assignment),
        (TransportKind::Grpc, _) => work::<Grpc>(assignment),
        (TransportKind::Websocket, _) => work::<Websocket>(assignment),
        (TransportKind::Http3, _) => work::<Http3>(assignment),
    }
}

fn work<C: Codec>(assignment: Assignment) {
    let (reports, reported) = (assignment.reports.clone(), Arc::clone(&assignment.reported));
    let report = |report| {
        // The coordinator has gone only when the process is ending anyway.
        let _ = reports.send(report);
        reported.wake();
    };
    let work = || Worker::<C>::new(assignment).and_then(|worker| worker.run(&report));
    let worked = catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(io::Error::other("a defect in the engine, see above")));
    if let Err(error) = worked {
        report(Report::Broken(error));
    }
}

struct Worker<C: Codec> {
    job: Arc<Job>,
    script: C::Script,
    share: Share,
    clock: Clock,
    /// If the kernel says when answers arrive.
    arrivals: Option<Arrivals>,
    epoll: Epoll,
    alarm: Alarm,
    pool: Pool<C>,
    flow: Flow,
    /// TLS, if it is spoken.
    tls: Option<tls::Client>,
    scratch: Vec<u8>,
    /// Where sealed bytes are read into, with TLS or QUIC.
    sealed: Vec<u8>,
    commands: Receiver<Command>,
    wakeup: Arc<Wakeup>,
    /// A command that has arrived and not been obeyed.
    command: Option<Command>,
    /// Why the last connection could not be opened.
    fault: Option<Fault>,
}

impl<C: Codec> Worker<C> {
    fn new(assignment: Assignment) -> io::Result<Self> {
        let Assignment {
            job,
            plan,
            share,
            clock,
            cpu,
            recorder,
            commands,
            wakeup,
            ..
        } = assignment;
        if let Some(cpu) = cpu {
            process::restrict_to(&[cpu])?;
        }
        if job.real_time {
            process::run_in_real_time(WORKER_PRIORITY);
        }
        process::make_timers_precise();
        let epoll = Epoll::new(EVENTS)?;
        epoll.add(&*wakeup, Token::Command.pack(), Interest::Read)?;
        let alarm = Alarm::new()?;
        epoll.add(&alarm, Token::Alarm.pack(), Interest::Read)?;
        let connections = job.connections;
        let count = share.of(u64::from(connections.count)) as u32;
        let seed = job.seed ^ ((share.worker as u64) << 32);
        let mut pool = Pool::new(
            job.target.address,
            count,
            connections.streams_per_connection,
            connections.connect_timeout_ms * 1_000_000,
            seed,
        );
        pool.stamps_arrivals = job.arrival == Arrival::Kernel;
        let flow = Flow::new(
            plan,
            Self::sequence(&job, share),
            Phase::idle(),
            recorder,
            (count * connections.streams_per_connection) as usize,
        );
        let transport = job.target.transport;
        let tls = job.target.tls.as_ref();
        let tls = tls.map(|tls| tls::Client::new(tls, transport, count as usize));
        let tls = tls.transpose().map_err(io::Error::other)?;
        if let (TransportKind::Http3, Some(tls)) = (transport, &tls) {
            let client = quic::Client::new(tls, connections.streams_per_connection);
            pool.quic = Some(client.map_err(io::Error::other)?);
        }
        Ok(Self {
            script: C::script(&job.target, &connections, &job.requests),
            job,
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
            fault: None,
        })
    }

    fn sequence(job: &Job, share: Share) -> Sequence {
        Sequence::new(job.order, job.transactions.len(), share)
    }

    fn window(job: &Job, share: Share, start: u64) -> Phase {
        let nanoseconds = |seconds: f64| (seconds * 1e9) as u64;
        Phase {
            pacer: pacer(&job.pacer, share, start),
            stop: Stop::at_first(
                job.stop.transactions.map(|total| share.of(total)),
                job.stop.seconds.map(|seconds| start + nanoseconds(seconds)),
            ),
            start,
            recorded: true,
            started: 0,
        }
    }

    fn warm_up(&self, start: u64) -> Phase {
        let warm_up = self.job.warm_up;
        let end = start + (warm_up.seconds * 1e9) as u64;
        Phase {
            pacer: pacer(&self.job.pacer.without_limit(), self.share, start),
            stop: Stop::at_last(self.share.of(warm_up.transactions), end),
            start,
            recorded: false,
            started: 0,
        }
    }

    fn run(mut self, report: &impl Fn(Report)) -> io::Result<()> {
        if !self.connect_all()? {
            if let Some(fault) = self.fault {
                report(Report::Unreachable(fault));
            }
            return Ok(());
        }
        report(Report::Connected);
        let mut measured = None;
        loop {
            match self.next_command()? {
                Command::WarmUp { start } => {
                    let phase = self.warm_up(start);
                    self.flow
                        .begin(phase, Self::sequence(&self.job, self.share));
                    self.drive()?;
                    report(Report::Warm);
                }
                Command::Window { start } => {
                    measured = Some(self.measure(start)?);
                    report(Report::WindowEnded);
                }
                Command::Finish => {} // the window has ended by itself
                Command::Close => break,
                Command::Abort => {
                    if measured.is_none() {
                        return Ok(());
                    }
                }
            }
        }
        self.close_all()?;
        if let Some(measured) = measured {
            report(Report::Finished(Box::new(self.outcome(measured)?)));
        }
        Ok(())
    }

    /// The measured window, from the first transaction to the end of the last.
    fn measure(&mut self, start: u64) -> io::Result<Measured> {
        let phase = Self::window(&self.job, self.share, start);
        self.flow
            .begin(phase, Self::sequence(&self.job, self.share));
        self.pool.traffic = Traffic::default();
        if let Some(arrivals) = &mut self.arrivals {
            arrivals.stamped = Stamped::default();
        }
        let before = process::thread_cpu_time();
        self.drive()?;
        let cpu = process::thread_cpu_time().since(before);
        let aborted = self.command == Some(Command::Abort);
        let measured = Measured {
            cpu,
            traffic: self.pool.traffic,
            dropped: self.flow.in_flight(),
            never_sent: if aborted { 0 } else { self.flow.never_sent() },
            client_time: self.flow.client_time(),
            stamped: self
                .arrivals
                .as_ref()
                .map_or_else(Stamped::default, |it| it.stamped),
        };
        self.flow.halt();
        Ok(measured)
    }

    fn outcome(self, measured: Measured) -> io::Result<Outcome> {
        let mut recorder = self.flow.recorder;
        recorder.finish()?;
        Ok(Outcome {
            recorder,
            mismatches: self.flow.mismatches.into_inner(),
            payload: self.flow.payload,
            traffic: measured.traffic,
            lifetime: self.pool.leaving.lifetime,
            connect_times: self.pool.connect_times,
            tls_times: self.pool.tls_times,
            handshakes: self.pool.handshakes,
            cpu: measured.cpu,
            never_sent: measured.never_sent,
            dropped: measured.dropped,
            client_time: measured.client_time,
            stamped: measured.stamped,
        })
    }
}

/// What must be read at the very end of the window.
struct Measured {
    cpu: CpuTime,
    traffic: Traffic,
    dropped: u64,
    never_sent: u64,
    client_time: ClientTime,
    stamped: Stamped,
}

#[cfg(test)]
mod tests;
