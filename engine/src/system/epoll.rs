//! Waiting for sockets, with nanosecond time-outs.

use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};

use super::check;

/// Whether the kernel (before 5.11) has millisecond time-outs only; detected once.
static MILLISECONDS_ONLY: AtomicBool = AtomicBool::new(false);

/// An epoll instance and its last events.
pub struct Epoll {
    descriptor: OwnedFd,
    ready: Vec<libc::epoll_event>,
}

/// The events that a descriptor is registered for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interest {
    Read,
    /// Writing only, while input is not to be read.
    Write,
    ReadAndWrite,
    /// Each arrival once (edge-triggered): the input must be read to its end. This saves the kernel
    /// from polling each reported socket again.
    Arrivals,
}

/// The state of a descriptor that is ready.
#[derive(Clone, Copy)]
pub struct Readiness {
    pub token: u64,
    pub writable: bool,
    /// Whether bytes, the end of input or an error can be read.
    pub readable: bool,
    /// Whether the end of input or an error follows the bytes.
    pub ended: bool,
}

impl Epoll {
    /// An instance that returns up to `batch` events at a time.
    pub fn new(batch: usize) -> io::Result<Self> {
        // SAFETY: no pointers; the returned descriptor is checked and not owned elsewhere.
        let descriptor =
            unsafe { OwnedFd::from_raw_fd(check(libc::epoll_create1(libc::EPOLL_CLOEXEC))?) };
        Ok(Self {
            descriptor,
            ready: Vec::with_capacity(batch),
        })
    }

    /// Registers a descriptor; its events carry `token`.
    pub fn add(&self, target: impl AsFd, token: u64, interest: Interest) -> io::Result<()> {
        self.control(libc::EPOLL_CTL_ADD, target, token, interest)
    }

    /// Changes the registration of a descriptor.
    pub fn change(&self, target: impl AsFd, token: u64, interest: Interest) -> io::Result<()> {
        self.control(libc::EPOLL_CTL_MOD, target, token, interest)
    }

    fn control(
        &self,
        operation: libc::c_int,
        target: impl AsFd,
        token: u64,
        interest: Interest,
    ) -> io::Result<()> {
        let events = match interest {
            Interest::Read => libc::EPOLLIN | libc::EPOLLRDHUP,
            Interest::Write => libc::EPOLLOUT,
            Interest::ReadAndWrite => libc::EPOLLIN | libc::EPOLLRDHUP | libc::EPOLLOUT,
            Interest::Arrivals => libc::EPOLLIN | libc::EPOLLRDHUP | libc::EPOLLET,
        };
        let mut event = libc::epoll_event {
            events: events as u32,
            u64: token,
        };
        let (epoll, target) = (self.descriptor.as_raw_fd(), target.as_fd().as_raw_fd());
        // SAFETY: both descriptors are open and `event` outlives the call.
        check(unsafe { libc::epoll_ctl(epoll, operation, target, &raw mut event) })?;
        Ok(())
    }

    /// Waits until a descriptor is ready or `timeout_ns` has passed (`None`: no time-out). Returns
    /// the number of ready ones for `readiness`; 0 after a signal.
    pub fn wait(&mut self, timeout_ns: Option<u64>) -> io::Result<usize> {
        self.ready.clear();
        let returned = if MILLISECONDS_ONLY.load(Ordering::Relaxed) {
            self.wait_milliseconds(timeout_ns)
        } else {
            match self.wait_nanoseconds(timeout_ns) {
                Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => {
                    MILLISECONDS_ONLY.store(true, Ordering::Relaxed);
                    self.wait_milliseconds(timeout_ns)
                }
                other => other,
            }
        };
        let count = match returned {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
            other => other? as usize,
        };
        // SAFETY: the kernel has filled in the first `count` of the spare capacity.
        unsafe { self.ready.set_len(count) };
        Ok(count)
    }

    /// The ready descriptor at an index below the result of `wait`.
    pub fn readiness(&self, index: usize) -> Readiness {
        let event = self.ready[index];
        let writable = (libc::EPOLLOUT | libc::EPOLLERR | libc::EPOLLHUP) as u32;
        let ended = (libc::EPOLLRDHUP | libc::EPOLLERR | libc::EPOLLHUP) as u32;
        let readable = libc::EPOLLIN as u32 | ended;
        let events = event.events;
        Readiness {
            token: event.u64,
            writable: events & writable != 0,
            readable: events & readable != 0,
            ended: events & ended != 0,
        }
    }

    fn wait_nanoseconds(&mut self, timeout_ns: Option<u64>) -> io::Result<i64> {
        let timeout = timeout_ns.map(|nanoseconds| libc::timespec {
            tv_sec: (nanoseconds / 1_000_000_000) as libc::time_t,
            tv_nsec: (nanoseconds % 1_000_000_000) as libc::c_long,
        });
        let timeout_pointer = timeout
            .as_ref()
            .map_or(std::ptr::null(), std::ptr::from_ref);
        // SAFETY: the event buffer has `capacity` places, the time-out outlives the call, and
        // the signal mask is absent.
        let returned = unsafe {
            libc::syscall(
                libc::SYS_epoll_pwait2,
                self.descriptor.as_raw_fd(),
                self.ready.as_mut_ptr(),
                self.ready.capacity() as libc::c_int,
                timeout_pointer,
                std::ptr::null::<libc::sigset_t>(),
                0usize,
            )
        };
        if returned < 0 {
            Err(io::Error::last_os_error())
        } else {
            Ok(returned)
        }
    }

    fn wait_milliseconds(&mut self, timeout_ns: Option<u64>) -> io::Result<i64> {
        let timeout = timeout_ns.map_or(-1, |nanoseconds| {
            nanoseconds.div_ceil(1_000_000).min(i32::MAX as u64) as libc::c_int
        });
        // SAFETY: the event buffer has `capacity` places.
        let returned = check(unsafe {
            libc::epoll_wait(
                self.descriptor.as_raw_fd(),
                self.ready.as_mut_ptr(),
                self.ready.capacity() as libc::c_int,
                timeout,
            )
        })?;
        Ok(i64::from(returned))
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::system::wakeup::Wakeup;

    #[test]
    fn ready_descriptors_are_reported() {
        let wakeup = Wakeup::new().unwrap();
        let mut epoll = Epoll::new(4).unwrap();
        epoll.add(&wakeup, 42, Interest::Read).unwrap();

        assert_eq!(epoll.wait(Some(0)).unwrap(), 0);
        wakeup.wake();
        assert_eq!(epoll.wait(None).unwrap(), 1);
        assert_eq!(epoll.readiness(0).token, 42);
        assert!(epoll.readiness(0).readable);
    }

    #[test]
    fn both_kinds_of_time_out_are_observed() {
        let mut epoll = Epoll::new(4).unwrap();
        let started = Instant::now();
        assert_eq!(epoll.wait_nanoseconds(Some(2_000_000)).unwrap(), 0);
        assert_eq!(epoll.wait_milliseconds(Some(2_000_000)).unwrap(), 0);
        assert!(started.elapsed() >= Duration::from_millis(4));
    }
}
