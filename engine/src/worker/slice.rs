//! Runs a slice in one worker.

use std::io;

use crate::arrival::Stamped;
use crate::flow::{Counting, Payload, Phase, Trail};
use crate::job::{PacerKind, StopRule, Transaction, WarmUp};
use crate::pacer::{ClientTime, Turn, pacer};
use crate::plan::Sequence;
use crate::pool::Traffic;
use crate::recorder::SliceRecord;
use crate::stop::Stop;
use crate::system::process::{self, CpuTime};
use crate::transport::Codec;

use super::gaps::Gaps;
use super::{Command, Worker};

/// The slice that a worker has to run; times are those of the common clock.
pub struct Order {
    /// The number of the slice, if it is recorded.
    pub number: Option<u32>,
    /// When load begins.
    pub begin: u64,
    /// When transactions begin to count.
    pub start: u64,
    pub until: Until,
    /// The position of its first transaction in the list, over all workers.
    pub first: u64,
    /// Present if load goes on until the last transactions of all workers have ended.
    pub counting: Option<Counting>,
    /// Whether it ends with the first time-out if nothing was answered before.
    pub gives_up: bool,
    /// Replaces the seed of a Poisson pacer.
    pub seed: Option<u64>,
    /// Replaces the target's pacer.
    pub pacer: Option<PacerKind>,
    /// Whether its response times need not be exact, since it is not compared with other slices.
    pub is_whole: bool,
    /// The record for the next slice.
    pub spare: Box<SliceRecord>,
}

/// What ends the load.
#[derive(Clone, Copy)]
pub enum Until {
    Stop(StopRule),
    Warm(WarmUp),
}

/// The measurement of one slice by one worker.
pub struct Measured {
    pub record: Box<SliceRecord>,
    /// When the last transaction was started.
    pub stopped_at: u64,
    /// When the last transaction had ended.
    pub drained_at: u64,
    /// This and the following except `payload` include guard and drain.
    pub cpu: CpuTime,
    pub traffic: Traffic,
    pub payload: Payload,
    /// The transactions of guard and drain, which do not count.
    pub unrecorded: u64,
    pub dropped: u64,
    pub never_sent: u64,
    /// The sum of latencies and think times by Little's law.
    pub client_time: ClientTime,
    /// How many timestamps of the kernel were usable.
    pub stamped: Stamped,
    pub clock_gap_ns: u64,
}

impl<C: Codec> Worker<C> {
    /// Runs a slice, from the first transaction of its guard to the end of the last.
    pub(super) fn carry_out(&mut self, order: Order) -> io::Result<Measured> {
        let phase = self.phase(&order);
        self.flow.recorder.begin(order.number, order.is_whole);
        self.flow.begin(phase);
        self.pool.traffic = Traffic::default();
        if let Some(arrivals) = &mut self.arrivals {
            arrivals.stamped = Stamped::default();
        }
        self.reopen();
        self.dozes = self.may_doze(&order);
        self.gaps = Gaps::since(self.clock.now());
        let before = process::thread_cpu_time();
        self.drive()?;
        let cpu = process::thread_cpu_time().since(before);
        let drained_at = self.clock.now();
        let is_aborted = matches!(self.command, Some(Command::Abort));
        let never_sent = match is_aborted {
            true => 0,
            false => self.flow.never_sent(),
        };
        let dropped = self.flow.dropped();
        let arrivals = self.arrivals.as_ref();
        let measured = Measured {
            record: self.flow.recorder.end(order.spare),
            stopped_at: self.stopped_at.unwrap_or(drained_at),
            drained_at,
            cpu,
            traffic: self.pool.traffic,
            payload: self.flow.payload,
            unrecorded: self.flow.unrecorded,
            dropped,
            never_sent,
            client_time: self.flow.client_time(),
            stamped: arrivals.map_or_else(Stamped::default, |it| it.stamped),
            clock_gap_ns: self.gaps.total_ns,
        };
        self.flow.halt();
        self.dozes = false;
        Ok(measured)
    }

    /// Whether answers may be read together with the next due transaction: the kernel dates them, and
    /// nothing depends on them, neither a later request nor the windows of a stream.
    fn may_doze(&self, order: &Order) -> bool {
        let target = &self.target;
        let is_single = |it: &Transaction| it.rounds.len() == 1;
        order.pacer.as_ref().unwrap_or(&target.pacer).is_open()
            && self.arrivals.is_some()
            && self.pool.quic.is_none()
            && target.captured.is_none()
            && !target.has_streams()
            && target.transactions.iter().all(is_single)
    }

    /// The phase of a slice.
    pub(super) fn phase(&self, order: &Order) -> Phase {
        let nanoseconds = |seconds: f64| (seconds * 1e9) as u64;
        let (share, start) = (self.share, order.start);
        let stop = match order.until {
            Until::Stop(rule) => Stop::at_first(
                rule.transactions.map(|total| share.of(total)),
                rule.seconds.map(|seconds| start + nanoseconds(seconds)),
            ),
            Until::Warm(warm_up) => Stop::at_last(
                share.of(warm_up.transactions),
                start + nanoseconds(warm_up.seconds),
            ),
        };
        let turn = Turn {
            start: order.begin,
            per_client: match order.until {
                Until::Stop(rule) => rule.transactions_per_client,
                Until::Warm(_) => None,
            },
            seed: order.seed,
        };
        let chain = self.target.chain();
        let count = self.target.load().len() / chain;
        let sequence = |first| Sequence::new(self.target.order, count, share, first);
        Phase {
            pacer: pacer(
                order.pacer.as_ref().unwrap_or(&self.target.pacer),
                share,
                turn,
            ),
            stop,
            begin: order.begin,
            start,
            recorded: order.number.is_some(),
            trail: order.counting.clone().map(Trail::new),
            started: 0,
            ended: 0,
            gives_up: order.gives_up,
            is_answered: false,
            missed: 0,
            // Half a list away, so that the guard does not send the requests that are measured
            // next.
            unrecorded: sequence(order.first / chain as u64 + count as u64 / 2),
            sequence: sequence(order.first / chain as u64),
        }
    }
}
