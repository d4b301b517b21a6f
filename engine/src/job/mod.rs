//! The job: what the engine has to do, as checked values.

pub mod command;
mod endpoint;
#[cfg(test)]
pub mod example;
mod load;
mod pacer;
mod read;
mod requests;
mod section;
mod session;
mod stream;
mod target;
mod tls;
mod work;

use std::path::PathBuf;
use std::sync::Arc;

use crate::arrival::Arrival;
use crate::capture::Captured;
use crate::objective::Objective;

pub use endpoint::{Endpoint, Header, Rpc, TransportKind};
pub use load::{Connections, Precision, Statistic, StopRule, WarmUp};
pub use pacer::{PacerKind, Stage};
#[cfg(any(test, feature = "fuzzing"))]
pub use read::parse;
pub use read::{from_command_line, load};
pub use requests::flaw;
pub use section::{Problems, RATES_PER_S, Section, kind};
pub use work::{Expectation, ItemKind, Message, Order, Request, Stream, Transaction};

/// A checked job.
#[derive(Clone, Debug)]
pub struct Job {
    /// At least one.
    pub targets: Vec<Arc<Target>>,
    /// The roles whose CPU time is counted in the slices of every target.
    pub roles: Vec<Role>,
    pub task: Task,
    /// Each target has one worker on each of these CPUs; if empty, one worker on any CPU.
    pub cpus: Vec<usize>,
    /// Whether the engine has real-time priority on these CPUs, if it is permitted.
    pub real_time: bool,
    /// The folder for result and samples; absent: no files are written.
    pub output: Option<PathBuf>,
    pub samples: bool,
    pub seed: u64,
    /// The part of the load that this engine generates.
    pub agent: Agent,
}

/// One of several engines that share a load: their jobs differ only in this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agent {
    pub number: usize,
    pub of: usize,
}

impl Agent {
    /// An engine that generates the whole load.
    pub const ALONE: Self = Self { number: 0, of: 1 };
}

/// A server, and the load on it in its slices.
#[derive(Clone, Debug)]
pub struct Target {
    /// Unique in the job.
    pub name: String,
    pub endpoint: Endpoint,
    pub connections: Connections,
    pub pacer: PacerKind,
    /// Whether it polls until a transaction is due, instead of sleeping precisely until then.
    pub spins: bool,
    pub arrival: Arrival,
    pub order: Order,
    pub requests: Vec<Request>,
    pub transactions: Vec<Transaction>,
    /// Present if clients capture values from answers.
    pub captured: Option<Captured>,
    /// The roles whose CPU time is counted in its slices.
    pub roles: Vec<Role>,
}

impl Target {
    /// Whether the answers to any request are sampled.
    pub fn wants_answers(&self) -> bool {
        self.requests.iter().any(|request| request.expect.sample)
    }

    /// The transactions of its load, without logins.
    pub fn load(&self) -> &[Transaction] {
        let openings = self.captured.as_ref().map_or(0, |it| it.openings);
        &self.transactions[..self.transactions.len() - openings]
    }

    /// The number of consecutive transactions that one client runs.
    pub fn chain(&self) -> usize {
        self.captured.as_ref().map_or(1, |it| it.chain)
    }

    /// Whether any reply is a stream of items.
    pub fn has_streams(&self) -> bool {
        self.requests.iter().any(|request| request.stream.is_some())
    }
}

/// A role: processes whose CPU time is counted, such as the server's or the store's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    pub name: String,
    pub counted: Counted,
}

/// Where the CPU time of a role is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counted {
    /// A process and all its descendants.
    Tree { root: u32 },
    /// `cpuacct.usage` of a control group of version 1, in nanoseconds.
    CgroupNanoseconds(PathBuf),
    /// `cpu.stat` of a control group of version 2, with `usage_usec`.
    CgroupStat(PathBuf),
}

/// What the engine does with the targets.
#[derive(Clone, Debug)]
pub enum Task {
    /// A warm-up, then one window for each of them.
    Windows { warm_up: WarmUp, stop: StopRule },
    /// A warm-up, then slices in a given order.
    Slices {
        warm_up: WarmUp,
        permutations: Permutations,
    },
    /// Commands on standard input.
    Commands,
}

/// Slices by permutations: in each permutation every listed target has one, in this order.
#[derive(Clone, Debug)]
pub struct Permutations {
    /// Permutations of indices into the targets.
    pub orders: Vec<Vec<usize>>,
    pub stop: StopRule,
    pub guard_ns: u64,
}

/// A slice: one turn of a target.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
    /// Index into the targets.
    pub target: usize,
    /// The position in the list of transactions at which it begins; absent: where the last one
    /// ended.
    pub first: Option<u64>,
    /// The length of the load before the recorded part.
    pub guard_ns: u64,
    /// When load begins, by the kernel's monotonic clock; absent: as soon as possible.
    pub begin_monotonic_ns: Option<u64>,
    pub stop: StopRule,
    /// Replaces the seed of a Poisson pacer.
    pub seed: Option<u64>,
    /// Replaces the target's pacer.
    pub pacer: Option<PacerKind>,
    /// The objective by which the slice is judged.
    pub objective: Option<Objective>,
    /// Whether it is recorded; otherwise it is a rehearsal.
    pub recorded: bool,
}

#[cfg(test)]
mod tests;
