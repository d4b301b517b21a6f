//! Counters at the boundaries of slices: CPU time by role, and stolen time.

mod cgroup;
mod process_tree;
mod steal;

use crate::job::{Counted, Role};

/// The folder of procfs.
const PROC: &str = "/proc";

/// Reads the CPU time of a list of roles.
pub struct Counters {
    roles: Vec<Role>,
}

/// The CPU time of each role in microseconds since it began; none for one that has ended.
pub type CpuTimes = Vec<Option<f64>>;

/// All counters at a boundary.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// The roles of the target.
    pub own_us: CpuTimes,
    /// The roles of the job.
    pub shared_us: CpuTimes,
    /// Stolen time by CPU of the machine.
    pub steal_us: Vec<f64>,
}

impl Counters {
    /// The counters of `roles`, in their order.
    pub fn of(roles: &[Role]) -> Self {
        Self {
            roles: roles.to_vec(),
        }
    }

    /// The names of the roles, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.roles.iter().map(|role| role.name.as_str())
    }

    /// Reads the CPU time of each role.
    pub fn read(&self) -> CpuTimes {
        self.roles.iter().map(|role| read(&role.counted)).collect()
    }
}

fn read(counted: &Counted) -> Option<f64> {
    match counted {
        Counted::Tree { root } => process_tree::cpu_us(PROC, *root),
        Counted::CgroupNanoseconds(path) => cgroup::nanoseconds(path),
        Counted::CgroupStat(path) => cgroup::stat(path),
    }
}

/// Reads all counters at a boundary.
pub fn read_boundary(own: &Counters, shared: &Counters) -> Reading {
    Reading {
        own_us: own.read(),
        shared_us: shared.read(),
        steal_us: steal::by_cpu(PROC),
    }
}

/// The CPU time of each role between two readings, in microseconds.
pub fn since(before: &CpuTimes, after: &CpuTimes) -> CpuTimes {
    let both = before.iter().zip(after);
    both.map(|(before, after)| Some((after.as_ref()? - before.as_ref()?).max(0.0)))
        .collect()
}
