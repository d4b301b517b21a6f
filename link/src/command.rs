//! Starts the command at the client's end, and receives the signals of this process.

use std::ffi::OsString;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};

use nix::errno::Errno;
use nix::sys::prctl;
use nix::sys::signal::{SigSet, Signal, raise};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::{getpid, getppid};

use crate::ends::Ends;

const END: [Signal; 3] = [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP];

/// Blocks and receives the signals of this process, and requests one when the parent ends. The
/// error is that of the kernel.
pub fn take_signals() -> nix::Result<SignalFd> {
    let mut mask = SigSet::empty();
    for signal in END.into_iter().chain([Signal::SIGCHLD, Signal::SIGUSR1]) {
        mask.add(signal);
    }
    mask.thread_block()?;
    // The guard may have requested a stronger one already.
    if prctl::get_pdeathsig()?.is_none() {
        let parent = getppid();
        prctl::set_pdeathsig(Signal::SIGTERM)?;
        if getppid() != parent {
            return Err(Errno::ESRCH);
        }
    }
    SignalFd::with_flags(&mask, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)
}

/// Starts the command; the kernel kills it if this program is killed. The error is a message with
/// an exit code.
pub fn start(words: &[OsString], ends: &Ends) -> Result<Child, (String, u8)> {
    let mut command = Command::new(&words[0]);
    command
        .args(&words[1..])
        .env("WIRELAB_SERVER", ends.server.address.to_string())
        .env("WIRELAB_CLIENT", ends.client.address.to_string());
    let link = getpid();
    let before_program = move || {
        prctl::set_pdeathsig(Signal::SIGKILL)?;
        if getppid() != link {
            raise(Signal::SIGKILL)?;
        }
        Ok(SigSet::empty().thread_set_mask()?)
    };
    // SAFETY: between fork and exec the closure makes only async-signal-safe system calls and
    // allocates nothing; this program has one thread, so no lock can be held.
    unsafe { command.pre_exec(before_program) };
    command.spawn().map_err(|error| {
        let code = if error.kind() == std::io::ErrorKind::NotFound {
            127
        } else {
            126
        };
        (
            format!("cannot start {}: {error}", Path::new(&words[0]).display()),
            code,
        )
    })
}

/// The exit code of a status, as in a shell.
pub fn exit_code(status: ExitStatus) -> u8 {
    let code = status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_are_those_of_a_shell() {
        assert_eq!(exit_code(ExitStatus::from_raw(7 << 8)), 7);
        assert_eq!(exit_code(ExitStatus::from_raw(15)), 143);
    }
}
