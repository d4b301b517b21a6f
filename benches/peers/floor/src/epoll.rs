//! Waiting for sockets.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

const BATCH: usize = 256;

pub struct Epoll {
    descriptor: OwnedFd,
    ready: Vec<libc::epoll_event>,
}

impl Epoll {
    pub fn new() -> io::Result<Self> {
        // SAFETY: no pointers are passed; the result is checked before it is used.
        let descriptor = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Self {
            // SAFETY: the descriptor was just created and has no other owner.
            descriptor: unsafe { OwnedFd::from_raw_fd(descriptor) },
            ready: Vec::with_capacity(BATCH),
        })
    }

    /// Reports the socket under `token` whenever it can be read.
    pub fn add(&self, socket: &impl AsRawFd, token: usize) -> io::Result<()> {
        let mut event = libc::epoll_event {
            events: libc::EPOLLIN as u32,
            u64: token as u64,
        };
        // SAFETY: both descriptors are open, and the kernel copies the event.
        let done = unsafe {
            libc::epoll_ctl(
                self.descriptor.as_raw_fd(),
                libc::EPOLL_CTL_ADD,
                socket.as_raw_fd(),
                &raw mut event,
            )
        };
        if done < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }

    /// Waits at most `timeout_ms`, -1 for ever, and returns how many sockets are ready.
    pub fn wait(&mut self, timeout_ms: i32) -> io::Result<usize> {
        // SAFETY: the kernel writes at most BATCH events, which the vector has room for.
        let count = unsafe {
            libc::epoll_wait(
                self.descriptor.as_raw_fd(),
                self.ready.as_mut_ptr(),
                BATCH as i32,
                timeout_ms,
            )
        };
        if count < 0 {
            let error = io::Error::last_os_error();
            return match error.kind() {
                io::ErrorKind::Interrupted => Ok(0),
                _ => Err(error),
            };
        }
        // SAFETY: the kernel has filled in that many events.
        unsafe { self.ready.set_len(count as usize) };
        Ok(count as usize)
    }

    /// The token of one of the sockets that the last `wait` found ready.
    pub fn token(&self, index: usize) -> usize {
        self.ready[index].u64 as usize
    }
}
