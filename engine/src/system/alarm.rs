//! A timer for deadlines that are seldom reached.
//!
//! The kernel sets and cancels a time-out of epoll at each wait, which costs as much as a small
//! system call. Deadlines of requests move with every reply; the alarm is not moved, so it
//! occasionally rings early and is set again then.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use super::check;

/// A timer that is readable from when it rings until it is set again.
pub struct Alarm {
    descriptor: OwnedFd,
    /// The latest time at which it rings, on the caller's clock.
    at: Option<u64>,
}

impl Alarm {
    /// A silent alarm. The error is that of creating a timer.
    pub fn new() -> io::Result<Self> {
        // SAFETY: no pointers; the returned descriptor is checked and not owned elsewhere.
        let descriptor = unsafe {
            OwnedFd::from_raw_fd(check(libc::timerfd_create(
                libc::CLOCK_MONOTONIC,
                libc::TFD_CLOEXEC | libc::TFD_NONBLOCK,
            ))?)
        };
        Ok(Self {
            descriptor,
            at: None,
        })
    }

    /// Makes it ring at `at` or earlier, in nanoseconds of a clock whose present time is `now`.
    #[inline]
    pub fn ring_by(&mut self, at: u64, now: u64) -> io::Result<()> {
        if self.at.is_some_and(|set| set <= at && set > now) {
            return Ok(());
        }
        self.at = Some(at);
        self.set(at.saturating_sub(now).max(1))
    }

    fn set(&self, after_ns: u64) -> io::Result<()> {
        let once = libc::itimerspec {
            it_interval: libc::timespec {
                tv_sec: 0,
                tv_nsec: 0,
            },
            it_value: libc::timespec {
                tv_sec: (after_ns / 1_000_000_000) as libc::time_t,
                tv_nsec: (after_ns % 1_000_000_000) as libc::c_long,
            },
        };
        let descriptor = self.descriptor.as_raw_fd();
        // SAFETY: the time is only read during the call, and the old one is not requested.
        check(unsafe {
            libc::timerfd_settime(descriptor, 0, &raw const once, std::ptr::null_mut())
        })?;
        Ok(())
    }

    /// Silences it until it is set again.
    pub fn silence(&mut self) {
        self.at = None;
        let mut count = [0u8; 8];
        // SAFETY: eight writable bytes. Failing means that it has not rung: nothing to silence.
        unsafe {
            libc::read(
                self.descriptor.as_raw_fd(),
                count.as_mut_ptr().cast(),
                count.len(),
            )
        };
    }
}

impl AsFd for Alarm {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::epoll::{Epoll, Interest};

    const MS: u64 = 1_000_000;

    fn rings_within(alarm: &Alarm, timeout_ns: u64) -> bool {
        let mut epoll = Epoll::new(1).unwrap();
        epoll.add(alarm, 1, Interest::Read).unwrap();
        epoll.wait(Some(timeout_ns)).unwrap() == 1
    }

    #[test]
    fn the_alarm_rings_once_at_the_earlier_of_two_times() {
        let mut alarm = Alarm::new().unwrap();
        alarm.ring_by(5_000 * MS, 0).unwrap();
        alarm.ring_by(20 * MS, 10 * MS).unwrap();
        alarm.ring_by(5_000 * MS, 10 * MS).unwrap();
        assert!(rings_within(&alarm, 2_000 * MS));
        alarm.silence();
        assert!(!rings_within(&alarm, 20 * MS));
    }

    #[test]
    fn a_time_that_has_passed_rings_at_once() {
        let mut alarm = Alarm::new().unwrap();
        alarm.ring_by(10, 20).unwrap();
        assert!(rings_within(&alarm, 2_000 * MS));
    }
}
