//! SIGINT and SIGTERM as a descriptor, and polling a few descriptors at once.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use super::check;

/// Blocks SIGINT and SIGTERM for this thread and those that it starts; readable when one arrives.
pub struct Signals(OwnedFd);

impl Signals {
    /// Blocks the signals and creates the descriptor.
    pub fn new() -> io::Result<Self> {
        // SAFETY: the set is initialised by `sigemptyset`, and outlives the calls that read it. The
        // returned descriptor is checked and not owned elsewhere.
        unsafe {
            let mut set: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut set);
            libc::sigaddset(&raw mut set, libc::SIGINT);
            libc::sigaddset(&raw mut set, libc::SIGTERM);
            let failed =
                libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
            if failed != 0 {
                return Err(io::Error::from_raw_os_error(failed));
            }
            let flags = libc::SFD_CLOEXEC | libc::SFD_NONBLOCK;
            Ok(Self(OwnedFd::from_raw_fd(check(libc::signalfd(
                -1,
                &raw const set,
                flags,
            ))?)))
        }
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Waits until one of `sources` is readable or closed, or `timeout_ms` has passed; returns which
/// are.
pub fn poll<const N: usize>(
    sources: [Option<BorrowedFd<'_>>; N],
    timeout_ms: Option<u32>,
) -> io::Result<[bool; N]> {
    let mut entries = sources.map(|source| libc::pollfd {
        fd: source.map_or(-1, |source| source.as_raw_fd()),
        events: libc::POLLIN,
        revents: 0,
    });
    let timeout = timeout_ms.map_or(-1, |timeout| timeout.min(i32::MAX as u32) as libc::c_int);
    // SAFETY: N entries, which outlive the call; an entry of -1 is ignored by the kernel.
    match check(unsafe { libc::poll(entries.as_mut_ptr(), N as libc::nfds_t, timeout) }) {
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok([false; N]),
        Err(error) => Err(error),
        Ok(_) => Ok(entries.map(|entry| entry.revents != 0)),
    }
}
