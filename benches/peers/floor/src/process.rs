//! What is asked of the kernel about time and about ourselves.

use std::io;
use std::mem::zeroed;
use std::sync::atomic::{AtomicBool, Ordering};

static ASKED_TO_END: AtomicBool = AtomicBool::new(false);

fn now_ns(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the clocks asked for exist everywhere, and `time` is ours.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

pub fn monotonic_ns() -> u64 {
    now_ns(libc::CLOCK_MONOTONIC)
}

/// The clock by which the kernel stamps packets.
pub fn realtime_ns() -> u64 {
    now_ns(libc::CLOCK_REALTIME)
}

/// CPU time that the calling thread has used, user and system.
pub fn thread_cpu_ns() -> u64 {
    now_ns(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// Keeps the calling thread on one CPU.
pub fn pin(cpu: usize) -> io::Result<()> {
    // SAFETY: an all-zero cpu_set_t is the empty set; the kernel copies it.
    let done = unsafe {
        let mut set: libc::cpu_set_t = zeroed();
        libc::CPU_SET(cpu, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set)
    };
    if done < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Lets SIGTERM and SIGINT set a flag instead of ending the process.
pub fn end_when_asked() {
    extern "C" fn ask(_number: libc::c_int) {
        ASKED_TO_END.store(true, Ordering::Relaxed);
    }
    for number in [libc::SIGTERM, libc::SIGINT] {
        // SAFETY: the handler only stores to an atomic, which is safe inside a signal.
        unsafe { libc::signal(number, ask as *const () as libc::sighandler_t) };
    }
}

pub fn is_asked_to_end() -> bool {
    ASKED_TO_END.load(Ordering::Relaxed)
}
