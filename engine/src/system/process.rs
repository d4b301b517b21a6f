//! The resources of the process: CPUs, priority, CPU time, memory, open files.

use std::io;

use super::check;
use super::time::nanoseconds;

/// CPU time of one thread, in microseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct CpuTime {
    pub user_us: u64,
    pub system_us: u64,
}

impl CpuTime {
    /// The difference from an earlier time.
    pub fn since(self, earlier: Self) -> Self {
        Self {
            user_us: self.user_us.saturating_sub(earlier.user_us),
            system_us: self.system_us.saturating_sub(earlier.system_us),
        }
    }

    /// The sum with another time.
    pub fn plus(self, other: Self) -> Self {
        Self {
            user_us: self.user_us + other.user_us,
            system_us: self.system_us + other.system_us,
        }
    }

    /// User and system time together.
    pub fn total_us(self) -> u64 {
        self.user_us + self.system_us
    }
}

/// Restricts the calling thread, and the threads that it starts, to `cpus`. The error is that of
/// the kernel, or that a number is too large.
pub fn restrict_to(cpus: &[usize]) -> io::Result<()> {
    // SAFETY: a CPU set is plain bits, all zero being the empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    for &cpu in cpus {
        if cpu >= libc::CPU_SETSIZE as usize {
            return Err(io::Error::from_raw_os_error(libc::EINVAL));
        }
        // SAFETY: `cpu` lies within the set.
        unsafe { libc::CPU_SET(cpu, &mut set) };
    }
    // SAFETY: the set outlives the call; 0 names the calling thread.
    check(unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set) })?;
    Ok(())
}

/// The last of the CPUs that the calling thread may run on.
pub fn last_cpu() -> Option<usize> {
    // SAFETY: a CPU set is plain bits, all zero being the empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    let size = size_of::<libc::cpu_set_t>();
    // SAFETY: the set has the size that is passed; 0 names the calling thread.
    check(unsafe { libc::sched_getaffinity(0, size, &raw mut set) }).ok()?;
    (0..libc::CPU_SETSIZE as usize)
        .rev()
        // SAFETY: `cpu` lies within the set.
        .find(|&cpu| unsafe { libc::CPU_ISSET(cpu, &set) })
}

/// Takes real-time priority from the calling thread.
pub fn run_normally() {
    // SAFETY: all zeros are the only parameters of ordinary threads; 0 names the calling thread.
    unsafe {
        let parameters: libc::sched_param = std::mem::zeroed();
        libc::sched_setscheduler(0, libc::SCHED_OTHER, &raw const parameters);
    }
}

/// Gives the calling thread, and the threads that it starts, real-time priority over all ordinary
/// threads; among real-time threads, a higher `priority` (from 1) runs first.
///
/// Without the capability `SYS_NICE`, nothing changes; [`runs_in_real_time`] returns whether it has
/// worked.
pub fn run_in_real_time(priority: i32) {
    let parameters = libc::sched_param {
        sched_priority: priority,
    };
    // SAFETY: the parameters outlive the call; 0 names the calling thread.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) };
}

/// Whether the calling thread has real-time priority.
pub fn runs_in_real_time() -> bool {
    // SAFETY: 0 names the calling thread.
    unsafe { libc::sched_getscheduler(0) == libc::SCHED_FIFO }
}

/// The CPU time of the calling thread so far.
pub fn thread_cpu_time() -> CpuTime {
    let usage = thread_usage();
    CpuTime {
        user_us: microseconds(usage.ru_utime),
        system_us: microseconds(usage.ru_stime),
    }
}

/// The CPU time of any process so far, including ended threads, from its CPU clock, which is exact
/// while `/proc` has a resolution of 10 ms. None if the process has ended.
pub fn cpu_clock_ns(pid: u32) -> Option<u64> {
    const CLOCK_OF_A_PROCESS: libc::clockid_t = 2;
    // As in clock_getcpuclockid(3).
    let clock = (!(pid as libc::clockid_t) << 3) | CLOCK_OF_A_PROCESS;
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid place to write to; a clock that does not exist is an error.
    let failed = unsafe { libc::clock_gettime(clock, &raw mut time) } != 0;
    (!failed).then(|| nanoseconds(&time))
}

/// The ticks per second in which `/proc` counts.
pub fn ticks_per_s() -> f64 {
    // SAFETY: takes a number and returns one.
    let ticks = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    if ticks > 0 { ticks as f64 } else { 100.0 }
}

/// The peak resident set size of the process, in bytes; 0 without `/proc`.
///
/// Not from `getrusage`, which returns that of the parent process if it was larger.
pub fn memory_peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kibibytes = status.lines().find_map(|line| {
        let amount = line.strip_prefix("VmHWM:")?;
        amount.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()
    });
    kibibytes.unwrap_or(0) * 1024
}

/// Raises the limit of open files, and so of connections, to the hard limit.
pub fn raise_file_limit() {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the pointers are valid for the calls. Failing leaves the limit as it was, which
    // shows when a socket cannot be opened.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) == 0 {
            limit.rlim_cur = limit.rlim_max;
            libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit);
        }
    }
}

/// Sets the timer slack of the calling thread to 1 ns instead of the default of 50 us.
pub fn make_timers_precise() {
    // SAFETY: takes a number. Failing leaves the default, which shows in the measured lag.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1 as libc::c_ulong) };
}

fn thread_usage() -> libc::rusage {
    // SAFETY: `rusage` is plain numbers; the pointer is valid for the call.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage);
        usage
    }
}

fn microseconds(time: libc::timeval) -> u64 {
    time.tv_sec as u64 * 1_000_000 + time.tv_usec as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_of_memory_grows_with_use() {
        let before = memory_peak_bytes();
        let used = std::hint::black_box(vec![1u8; 64 << 20]);
        assert!(memory_peak_bytes() >= before.max(64 << 20));
        drop(used);
    }

    #[test]
    fn the_last_cpu_can_be_used() {
        let last = last_cpu().unwrap();
        std::thread::spawn(move || {
            restrict_to(&[last]).unwrap();
            assert_eq!(last_cpu(), Some(last));
        })
        .join()
        .unwrap();
    }

    #[test]
    fn cpu_time_is_that_of_the_thread() {
        let before = thread_cpu_time();
        std::thread::sleep(std::time::Duration::from_millis(50));
        let asleep = thread_cpu_time().since(before);
        assert!(asleep.total_us() < 20_000, "{asleep:?}");
        let begin = std::time::Instant::now();
        while thread_cpu_time().since(before).total_us() < 30_000 {
            assert!(begin.elapsed().as_secs() < 30);
        }
    }
}
