//! The kernel's clocks.

/// Nanoseconds of the monotonic clock.
pub fn monotonic_ns() -> u64 {
    read(libc::CLOCK_MONOTONIC)
}

/// Nanoseconds since 1970.
pub fn realtime_ns() -> u64 {
    read(libc::CLOCK_REALTIME)
}

fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid place to write to; both clocks exist on every Linux.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    nanoseconds(&time)
}

/// A time of the kernel in nanoseconds.
pub fn nanoseconds(time: &libc::timespec) -> u64 {
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Sleeps for less than a second.
pub fn sleep(duration_ns: u64) {
    let time = libc::timespec {
        tv_sec: 0,
        tv_nsec: duration_ns.min(999_999_999) as libc::c_long,
    };
    // SAFETY: the time outlives the call, and the rest after a signal is not requested.
    unsafe { libc::nanosleep(&raw const time, std::ptr::null_mut()) };
}
