//! The job: what the engine is to do, as values that have been checked.

pub mod command;
mod endpoint;
#[cfg(test)]
pub mod example;
mod load;
mod read;
mod requests;
mod section;
mod stream;
mod target;
mod tls;
mod work;

use std::path::PathBuf;
use std::sync::Arc;

use crate::arrival::Arrival;
use crate::capture::Captured;
use crate::objective::Objective;
use crate::wait::Wait;

pub use endpoint::{Endpoint, Header, Rpc, TransportKind};
pub use load::{
    Connections, PacerKind, Precision, RATES_PER_S, Stage, Statistic, StopRule, WarmUp,
};
pub use read::{from_command_line, load, parse};
pub use requests::flaw;
pub use work::{Expectation, ItemKind, Message, Order, Request, Stream, Transaction};

/// A job that makes sense.
#[derive(Clone, Debug)]
pub struct Job {
    /// At least one.
    pub targets: Vec<Arc<Target>>,
    /// Whose CPU time is counted with the slices of every target.
    pub roles: Vec<Role>,
    pub task: Task,
    /// For each target one worker on each; none given: one worker, wherever the kernel puts it.
    pub cpus: Vec<usize>,
    /// Let no other program have those CPUs while the engine wants them, as far as it may.
    pub real_time: bool,
    /// The folder for result and samples; none: the result is only handed back.
    pub output: Option<PathBuf>,
    pub samples: bool,
    pub seed: u64,
    /// Which part of the load is ours, if several engines share it.
    pub agent: Agent,
}

/// One of several engines that share a load: they have the same job, but for its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agent {
    pub number: usize,
    pub of: usize,
}

impl Agent {
    /// An engine that carries all of the load.
    pub const ALONE: Self = Self { number: 0, of: 1 };
}

/// A server, and the load that is put on it in its turns.
#[derive(Clone, Debug)]
pub struct Target {
    /// Unlike that of any other.
    pub name: String,
    pub endpoint: Endpoint,
    pub connections: Connections,
    pub pacer: PacerKind,
    pub wait: Wait,
    pub arrival: Arrival,
    pub order: Order,
    pub requests: Vec<Request>,
    pub transactions: Vec<Transaction>,
    /// If clients take values from their answers.
    pub captured: Option<Captured>,
    /// Whose CPU time is counted with its slices.
    pub roles: Vec<Role>,
}

impl Target {
    /// Whether a sample of the answers to any request is kept.
    pub fn wants_answers(&self) -> bool {
        self.requests.iter().any(|request| request.expect.sample)
    }

    /// The transactions of its load, without those that clients only begin with.
    pub fn load(&self) -> &[Transaction] {
        let openings = self.captured.as_ref().map_or(0, |it| it.openings);
        &self.transactions[..self.transactions.len() - openings]
    }

    /// So many of them, one after the other, are one client's.
    pub fn chain(&self) -> usize {
        self.captured.as_ref().map_or(1, |it| it.chain)
    }

    /// Whether any reply is a stream of items.
    pub fn has_streams(&self) -> bool {
        self.requests.iter().any(|request| request.stream.is_some())
    }
}

/// Somebody whose CPU time is counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    pub name: String,
    pub counted: Counted,
}

/// Where the CPU time of a role is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counted {
    /// A process and all that descends from it.
    Tree { root: u32 },
    /// `cpuacct.usage` of a control group of version 1, in nanoseconds.
    CgroupNanoseconds(PathBuf),
    /// `cpu.stat` of a control group of version 2, with `usage_usec`.
    CgroupStat(PathBuf),
}

/// What is to be done with the targets.
#[derive(Clone, Debug)]
pub enum Task {
    /// Warm up, then one window for each of them.
    Windows { warm_up: WarmUp, stop: StopRule },
    /// Warm up, then slices in the order of a list.
    Slices {
        warm_up: WarmUp,
        permutations: Permutations,
    },
    /// What commands on standard input say.
    Commands,
}

/// Slices by permutations: in each of them every target named has one, in this order.
#[derive(Clone, Debug)]
pub struct Permutations {
    /// Of indices into the targets.
    pub orders: Vec<Vec<usize>>,
    pub stop: StopRule,
    pub guard_ns: u64,
}

/// One turn of a target.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
    /// Index into the targets.
    pub target: usize,
    /// Where in the list of transactions it begins; absent: where the last one stopped.
    pub first: Option<u64>,
    /// How long load runs before, which flows into it.
    pub guard_ns: u64,
    /// When load begins, by the kernel's monotonic clock; absent: as soon as it can.
    pub begin_monotonic_ns: Option<u64>,
    pub stop: StopRule,
    /// Of a Poisson pacer, in place of its own.
    pub seed: Option<u64>,
    /// In place of the target's own.
    pub pacer: Option<PacerKind>,
    /// What it is held against.
    pub objective: Option<Objective>,
    /// Otherwise it is a rehearsal.
    pub recorded: bool,
}

#[cfg(test)]
mod tests;
