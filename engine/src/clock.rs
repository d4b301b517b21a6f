//! One clock for everything: nanoseconds since the engine started.
//!
//! Reading the time-stamp counter costs 9 ns, `clock_gettime` 22 ns; with four timestamps per
//! transaction the difference matters. The counter is used only if the kernel uses it as its own
//! clock source (constant rate, synchronised between cores).

use std::time::Duration;

use crate::system::time::{monotonic_ns, realtime_ns};

const CALIBRATION: Duration = Duration::from_millis(20);

/// A clock that all threads of the engine share by copying it.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    source: Source,
    /// The reading of the source at time zero: ticks of the counter, or nanoseconds.
    origin: u64,
    /// Nanoseconds per tick as a fixed-point number with 32 fractional bits.
    scale: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    TimeStampCounter,
    Monotonic,
}

impl Clock {
    /// Chooses the source and calibrates it; takes about 20 ms.
    pub fn new() -> Self {
        if counter_is_trusted() {
            Self::calibrated()
        } else {
            Self::monotonic()
        }
    }

    fn monotonic() -> Self {
        Self {
            source: Source::Monotonic,
            origin: monotonic_ns(),
            scale: 0,
        }
    }

    fn calibrated() -> Self {
        let (first_ticks, first_ns) = paired_reading(read_counter, monotonic_ns);
        std::thread::sleep(CALIBRATION);
        let (last_ticks, last_ns) = paired_reading(read_counter, monotonic_ns);
        let ticks = last_ticks.saturating_sub(first_ticks);
        let elapsed_ns = last_ns.saturating_sub(first_ns);
        if ticks == 0 || elapsed_ns == 0 {
            return Self::monotonic();
        }
        let scale = (u128::from(elapsed_ns) << 32) / u128::from(ticks);
        Self {
            source: Source::TimeStampCounter,
            origin: last_ticks,
            scale: scale as u64,
        }
    }

    /// Nanoseconds since the clock was made.
    #[inline]
    pub fn now(&self) -> u64 {
        match self.source {
            Source::TimeStampCounter => {
                let ticks = read_counter().saturating_sub(self.origin);
                ((u128::from(ticks) * u128::from(self.scale)) >> 32) as u64
            }
            Source::Monotonic => monotonic_ns().saturating_sub(self.origin),
        }
    }

    /// The wall-clock time, in nanoseconds since 1970, of an instant of this clock.
    pub fn unix_ns(&self, instant: u64) -> u64 {
        let (now, wall) = paired_reading(|| self.now(), realtime_ns);
        if instant >= now {
            wall + (instant - now)
        } else {
            wall - (now - instant)
        }
    }

    /// Converts a future time of the kernel's monotonic clock. The error is how many nanoseconds
    /// ago it was.
    pub fn at_monotonic(&self, time_ns: u64) -> Result<u64, u64> {
        let (now, theirs) = paired_reading(|| self.now(), monotonic_ns);
        match time_ns.checked_sub(theirs) {
            Some(ahead) => Ok(now + ahead),
            None => Err(theirs - time_ns),
        }
    }

    /// The name of the source in a result.
    pub fn name(&self) -> &'static str {
        match self.source {
            Source::TimeStampCounter => "tsc",
            Source::Monotonic => "monotonic",
        }
    }
}

/// Reads two clocks together; returns the pair with the least time in between out of several, so
/// that losing the CPU between two readings does not shift them.
fn paired_reading(ours: impl Fn() -> u64, theirs: impl Fn() -> u64) -> (u64, u64) {
    let mut best = (u64::MAX, 0, 0);
    for _ in 0..16 {
        let before = ours();
        let reading = theirs();
        let gap = ours().saturating_sub(before);
        if gap < best.0 {
            best = (gap, before + gap / 2, reading);
        }
    }
    (best.1, best.2)
}

#[cfg(target_arch = "x86_64")]
fn counter_is_trusted() -> bool {
    let path = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    std::fs::read_to_string(path).is_ok_and(|source| source.trim() == "tsc")
}

#[cfg(not(target_arch = "x86_64"))]
fn counter_is_trusted() -> bool {
    false
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn read_counter() -> u64 {
    // SAFETY: RDTSC has no precondition; the kernel enables it for user space.
    unsafe { core::arch::x86_64::_rdtsc() }
}

#[cfg(not(target_arch = "x86_64"))]
fn read_counter() -> u64 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reading of both clocks: theirs lies between two of ours.
    fn both(clock: Clock) -> (u64, u64, u64) {
        let before = clock.now();
        let theirs = monotonic_ns();
        (before, theirs, clock.now())
    }

    #[test]
    fn the_clock_agrees_with_that_of_the_kernel() {
        for clock in [Clock::new(), Clock::monotonic()] {
            let first = both(clock);
            std::thread::sleep(Duration::from_millis(100));
            let last = both(clock);
            let theirs = last.1 - first.1;
            let apart = theirs / 1_000;
            // Whatever came between the readings, the time of ours lies between these two.
            let (least, most) = (last.0.saturating_sub(first.2), last.2 - first.0);
            assert!(least <= theirs + apart, "{least} {theirs}");
            assert!(most >= theirs - apart, "{most} {theirs}");
        }
    }

    #[test]
    fn a_wait_ends_at_the_time_of_the_kernels_clock() {
        for clock in [Clock::new(), Clock::monotonic()] {
            let (before, theirs, _) = both(clock);
            let second = 1_000_000_000;
            let instant = clock.at_monotonic(theirs + second).unwrap();
            // Theirs was read between `before` and now.
            let apart = second / 1_000;
            assert!(instant + apart >= before + second, "{instant}");
            assert!(instant <= clock.now() + second + apart, "{instant}");
            let ago = clock.at_monotonic(theirs - 5).unwrap_err();
            assert!(ago >= 5, "{ago}");
        }
    }

    #[test]
    fn the_clock_never_runs_backwards() {
        let clock = Clock::new();
        let mut last = 0;
        for _ in 0..100_000 {
            let now = clock.now();
            assert!(now >= last);
            last = now;
        }
    }

    #[test]
    fn the_clock_gives_the_wall_clock_time_of_past_and_future() {
        let clock = Clock::new();
        let second = 1_000_000_000;
        let before = realtime_ns();
        let now = clock.now();
        let (past, future) = (clock.unix_ns(now), clock.unix_ns(now + second));
        let after = realtime_ns();
        // Nobody sets the wall clock while this test runs.
        let apart = (after - before) + 1_000;
        assert!((before - apart..=after).contains(&past), "{past}");
        let expected = before + second - apart..=after + second;
        assert!(expected.contains(&future), "{future}");
    }
}
