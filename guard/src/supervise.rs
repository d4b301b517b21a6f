//! Waits until no descendant of a program is left, and ends them.

use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::libc;
use nix::sys::signal::Signal;
use nix::unistd::Pid;

use crate::say;
use crate::tree;
use crate::watch::{Event, Watch};

/// The interval at which SIGKILL is repeated while descendants are left.
const KILL_AGAIN: Duration = Duration::from_millis(20);

/// The time after which the guard gives up a process that the kernel cannot end (such as one that
/// hangs in a dead disk).
const GIVE_UP: Duration = Duration::from_secs(10);

/// The conditions under which a program runs.
pub struct Terms {
    /// The time between SIGTERM and SIGKILL.
    pub grace: Duration,
    /// Whether signals and the lifeline end it.
    pub interruptible: bool,
    /// The time limit of programs that must end by themselves.
    pub limit: Option<Duration>,
}

/// The state of ending a program, with the time of the next step.
#[derive(Clone, Copy)]
enum Phase {
    Running {
        until: Option<Instant>,
    },
    Asked {
        kill_at: Instant,
    },
    Killing {
        again_at: Instant,
        give_up_at: Instant,
    },
}

impl Phase {
    fn ask(grace: Duration) -> Self {
        tree::signal_all(Signal::SIGTERM);
        Self::Asked {
            kill_at: Instant::now() + grace,
        }
    }

    fn kill(give_up_at: Instant) -> Self {
        tree::signal_all(Signal::SIGKILL);
        Self::Killing {
            again_at: Instant::now() + KILL_AGAIN,
            give_up_at,
        }
    }

    fn deadline(self) -> Option<Instant> {
        match self {
            Self::Running { until } => until,
            Self::Asked { kill_at } => Some(kill_at),
            Self::Killing { again_at, .. } => Some(again_at),
        }
    }
}

/// Waits until the program and all its descendants have ended; returns the program's exit code.
pub fn supervise(program: Pid, watch: &mut Watch, terms: &Terms) -> u8 {
    let mut code = None;
    let mut phase = Phase::Running {
        until: terms.limit.map(|limit| Instant::now() + limit),
    };
    while reap(program, &mut code) {
        if code.is_some() && matches!(phase, Phase::Running { .. }) {
            phase = Phase::ask(terms.grace);
        }
        let event = match watch.next(phase.deadline()) {
            Event::Requested | Event::ParentGone if !terms.interruptible => Event::Woken,
            event => event,
        };
        let now = Instant::now();
        let due = phase.deadline().is_some_and(|deadline| deadline <= now);
        phase = match (phase, event) {
            (Phase::Running { .. }, Event::Requested | Event::ParentGone) => {
                Phase::ask(terms.grace)
            }
            (Phase::Running { .. }, Event::Woken) if due => Phase::ask(terms.grace),
            // A second request skips the grace time.
            (Phase::Asked { .. }, Event::Requested) => Phase::kill(now + GIVE_UP),
            (Phase::Asked { .. }, _) if due => Phase::kill(now + GIVE_UP),
            (Phase::Killing { give_up_at, .. }, _) if give_up_at <= now => {
                say(format!(
                    "cannot end {:?}: they do not react to SIGKILL",
                    tree::descendants()
                ));
                break;
            }
            (Phase::Killing { give_up_at, .. }, _) if due => Phase::kill(give_up_at),
            (phase, _) => phase,
        };
    }
    code.unwrap_or(128 + Signal::SIGKILL as u8)
}

/// Reaps every child that has ended. Returns whether any is left: as a subreaper, this process has
/// a child as long as it has a descendant.
fn reap(program: Pid, code: &mut Option<u8>) -> bool {
    loop {
        let mut status = 0;
        // SAFETY: the status is a local variable. (nix's `waitpid` cannot represent an end by a
        // real-time signal.)
        let pid = unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG) };
        match pid {
            0 => return true,
            -1 if Errno::last() == Errno::EINTR => {}
            -1 => return false,
            _ if pid == program.as_raw() => *code = Some(exit_code(status)),
            _ => {}
        }
    }
}

/// The exit code of a wait status, as in a shell.
fn exit_code(status: libc::c_int) -> u8 {
    let code = if libc::WIFSIGNALED(status) {
        128 + libc::WTERMSIG(status)
    } else {
        libc::WEXITSTATUS(status)
    };
    (code & 0xff) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_are_those_of_a_shell() {
        assert_eq!(exit_code(7 << 8), 7);
        assert_eq!(exit_code(libc::SIGTERM), 143);
        assert_eq!(exit_code(libc::SIGSEGV | 0x80), 139, "with a core dump");
        assert_eq!(exit_code(libc::SIGRTMIN()), 128 + 34);
    }
}
