//! Waits for signals, the end of a child and the end of the lifeline.

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::stat::{SFlag, fstat};

/// The signals that request the guard to end the program.
const REQUESTS: [Signal; 3] = [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP];

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A signal that requests the end.
    Requested,
    /// The lifeline's last writer has closed it.
    ParentGone,
    /// A child has ended, or the deadline has passed.
    Woken,
}

/// Waits for events; the signals are blocked from its creation.
pub struct Watch {
    signals: SignalFd,
    lifeline: Option<File>,
}

impl Watch {
    /// Blocks and receives the signals of this process. The error is that of the kernel.
    ///
    /// Their handlers are reset: a process inherits ignored signals, such as SIGCHLD or SIGINT,
    /// which the kernel then discards.
    pub fn new(lifeline: Option<File>) -> nix::Result<Self> {
        let mut mask = SigSet::empty();
        let default = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
        for signal in REQUESTS.into_iter().chain([Signal::SIGCHLD]) {
            mask.add(signal);
            // SAFETY: no handler is installed, so no code can run in a signal's context.
            unsafe { sigaction(signal, &default) }?;
        }
        mask.thread_block()?;
        let signals = SignalFd::with_flags(&mask, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?;
        Ok(Self { signals, lifeline })
    }

    /// Waits for the next event, until `deadline` at the latest.
    ///
    /// A failed wait cannot be retried; it counts as the end of the parent, so that no program runs
    /// without a guard.
    pub fn next(&mut self, deadline: Option<Instant>) -> Event {
        match self.wait(deadline) {
            Ok(event) => event,
            Err(Errno::EINTR) => Event::Woken,
            Err(_) => {
                std::thread::sleep(Duration::from_millis(10));
                Event::ParentGone
            }
        }
    }

    fn wait(&mut self, deadline: Option<Instant>) -> nix::Result<Event> {
        let mut waiting = vec![PollFd::new(self.signals.as_fd(), PollFlags::POLLIN)];
        waiting.extend(
            self.lifeline
                .iter()
                .map(|it| PollFd::new(it.as_fd(), PollFlags::POLLIN)),
        );
        poll(&mut waiting, timeout(deadline))?;
        let lifeline_speaks = waiting.get(1).is_some_and(|it| it.any() == Some(true));

        // Signals first, since a person may have sent them.
        while let Some(signal) = self.signals.read_signal()? {
            if signal.ssi_signo != Signal::SIGCHLD as u32 {
                return Ok(Event::Requested);
            }
        }
        if lifeline_speaks && self.lifeline.as_mut().is_some_and(is_closed) {
            self.lifeline = None;
            return Ok(Event::ParentGone);
        }
        Ok(Event::Woken)
    }
}

/// The time until a deadline, rounded up, so that the wait never ends just before it.
fn timeout(deadline: Option<Instant>) -> PollTimeout {
    deadline.map_or(PollTimeout::NONE, |deadline| {
        let left = deadline.saturating_duration_since(Instant::now());
        PollTimeout::try_from(left + Duration::from_millis(1)).unwrap_or(PollTimeout::MAX)
    })
}

/// Whether a readable lifeline has been closed; its content is ignored.
fn is_closed(lifeline: &mut File) -> bool {
    match lifeline.read(&mut [0; 512]) {
        Ok(count) => count == 0,
        Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
    }
}

/// Takes over the descriptor of a lifeline, and closes it in started programs. The error is that it
/// is not the read end of a pipe.
pub fn take_lifeline(fd: RawFd) -> Result<File, String> {
    let wrong = |what: &str| format!("--lifeline: {fd} is {what}; expected the read end of a pipe");
    // SAFETY: F_GETFL accepts any number, and returns EBADF if it is not a descriptor.
    let flags = unsafe { libc::fcntl(fd, libc::F_GETFL) };
    if flags < 0 {
        return Err(wrong("not an open file descriptor"));
    }
    // SAFETY: the descriptor is open (it has just been asked for its flags), it was handed to this
    // process for this purpose, and nothing else in it reads or closes it: the standard input is
    // not used by the guard.
    let lifeline = unsafe { OwnedFd::from_raw_fd(fd) };
    let kind = fstat(&lifeline)
        .map_err(|error| wrong(error.desc()))?
        .st_mode
        & SFlag::S_IFMT.bits();
    if kind != SFlag::S_IFIFO.bits() && kind != SFlag::S_IFSOCK.bits() {
        return Err(wrong("not a pipe"));
    }
    if flags & libc::O_ACCMODE == libc::O_WRONLY {
        return Err(wrong("the write end of a pipe"));
    }
    // SAFETY: the descriptor is open, and F_SETFD takes an integer.
    if unsafe { libc::fcntl(lifeline.as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC) } < 0 {
        return Err(wrong("not closable in programs (FD_CLOEXEC)"));
    }
    Ok(File::from(lifeline))
}
