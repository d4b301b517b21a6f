//! Wakes a thread that waits in epoll or poll, from another thread.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use super::check;

/// An event counter; readable after `wake` until `clear`.
pub struct Wakeup(OwnedFd);

impl Wakeup {
    /// An event counter. The error is that of creating it.
    pub fn new() -> io::Result<Self> {
        // SAFETY: no pointers; the returned descriptor is checked and not owned elsewhere.
        let descriptor = unsafe {
            OwnedFd::from_raw_fd(check(libc::eventfd(
                0,
                libc::EFD_CLOEXEC | libc::EFD_NONBLOCK,
            ))?)
        };
        Ok(Self(descriptor))
    }

    /// Makes it readable.
    pub fn wake(&self) {
        let one = 1u64.to_ne_bytes();
        // SAFETY: eight readable bytes. Failing means that the counter is full: readable anyway.
        unsafe { libc::write(self.0.as_raw_fd(), one.as_ptr().cast(), one.len()) };
    }

    /// Makes it unreadable.
    pub fn clear(&self) {
        let mut count = [0u8; 8];
        // SAFETY: eight writable bytes. Failing means that the counter was zero already.
        unsafe { libc::read(self.0.as_raw_fd(), count.as_mut_ptr().cast(), count.len()) };
    }
}

impl AsFd for Wakeup {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
