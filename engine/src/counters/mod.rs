//! Counters at the boundaries of slices: CPU time by role, and what the hypervisor took.

mod cgroup;
mod process_tree;
mod steal;

use crate::job::{Counted, Role};

/// The kernel's folder of processes.
const PROC: &str = "/proc";

/// Reads the CPU time of some roles.
pub struct Counters {
    roles: Vec<Role>,
}

/// What was used by each role, in microseconds since it began; none where it is gone.
pub type CpuTimes = Vec<Option<f64>>;

/// Everything that is read at a boundary.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// By role of the target, and of the job.
    pub own_us: CpuTimes,
    pub shared_us: CpuTimes,
    /// By CPU of the machine.
    pub steal_us: Vec<f64>,
}

impl Counters {
    pub fn of(roles: &[Role]) -> Self {
        Self {
            roles: roles.to_vec(),
        }
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.roles.iter().map(|role| role.name.as_str())
    }

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

/// Reads a boundary at which only these roles count.
pub fn read_boundary(own: &Counters, shared: &Counters) -> Reading {
    Reading {
        own_us: own.read(),
        shared_us: shared.read(),
        steal_us: steal::by_cpu(PROC),
    }
}

/// How much more there is by the second reading, of each for itself.
pub fn since(before: &CpuTimes, after: &CpuTimes) -> CpuTimes {
    let both = before.iter().zip(after);
    both.map(|(before, after)| Some((after.as_ref()? - before.as_ref()?).max(0.0)))
        .collect()
}
