//! Starts the guarded program, and the command after it.

use std::ffi::OsString;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl;
use nix::sys::signal::{SigSet, Signal, raise};
use nix::unistd::{
    Gid, Pid, Uid, User, geteuid, getgrouplist, getpid, getppid, setgid, setgroups, setuid,
};

/// Why a program could not be started, and the exit code.
pub struct CannotStart {
    pub message: String,
    pub code: u8,
}

/// The user of a program.
pub struct Account {
    name: String,
    home: PathBuf,
    user: Uid,
    group: Gid,
    groups: Vec<Gid>,
}

impl Account {
    /// Looks up a user by name or number. The error is that there is none, or that this process may
    /// not become another user.
    pub fn find(name: &str) -> Result<Self, String> {
        let wrong = |reason: &dyn std::fmt::Display| format!("--user {name}: {reason}");
        let by_number = || match name.parse() {
            Ok(number) => User::from_uid(Uid::from_raw(number)),
            Err(_) => Ok(None),
        };
        let user = User::from_name(name)
            .and_then(|found| found.map_or_else(by_number, |user| Ok(Some(user))))
            .map_err(|error| wrong(&error))?
            .ok_or_else(|| wrong(&"no such user; expected a name from /etc/passwd"))?;
        if user.uid != geteuid() && !geteuid().is_root() {
            return Err(wrong(&"only root may start a program as another user"));
        }
        let c_name = std::ffi::CString::new(user.name.as_str()).map_err(|error| wrong(&error))?;
        let groups = getgrouplist(&c_name, user.gid).map_err(|error| wrong(&error))?;
        Ok(Self {
            name: user.name,
            home: user.dir,
            user: user.uid,
            group: user.gid,
            groups,
        })
    }

    /// Becomes this user irrevocably. Only system calls, so that a forked child may do it.
    fn assume(user: Uid, group: Gid, groups: &[Gid]) -> nix::Result<()> {
        if user == geteuid() {
            return Ok(());
        }
        setgroups(groups)?;
        setgid(group)?;
        setuid(user)
    }
}

/// Starts the guarded program; the kernel kills it if the guard is killed.
///
/// `keep_input`: whether standard input stays with the guard, because it is the lifeline.
/// `no_new_privileges`: see prctl(2), PR_SET_NO_NEW_PRIVS.
pub fn start(
    program: &[OsString],
    account: Option<&Account>,
    keep_input: bool,
    no_new_privileges: bool,
) -> Result<Pid, CannotStart> {
    let mut command = command(program);
    if keep_input {
        command.stdin(Stdio::null());
    }
    let mut identity = None;
    if let Some(account) = account {
        command
            .env("HOME", &account.home)
            .env("USER", &account.name);
        command.env("LOGNAME", &account.name);
        identity = Some((account.user, account.group, account.groups.clone()));
    }
    let guard = getpid();
    let before_program = move || {
        if let Some((user, group, groups)) = &identity {
            Account::assume(*user, *group, groups)?;
        }
        if no_new_privileges {
            prctl::set_no_new_privs()?;
        }
        // After the change of user, which would clear it.
        prctl::set_pdeathsig(Signal::SIGKILL)?;
        // The guard may have been killed before this call took effect; then there is nobody to
        // report an error to.
        if getppid() != guard {
            raise(Signal::SIGKILL)?;
        }
        SigSet::empty().thread_set_mask()?;
        Ok(())
    };
    // SAFETY: between fork and exec the closure makes only async-signal-safe system calls and
    // allocates nothing; the guard has one thread, so no lock can be held.
    unsafe { command.pre_exec(before_program) };
    spawn(&mut command)
}

/// Starts the command that runs when no descendant is left.
///
/// If nobody reads its output, it is discarded: otherwise SIGPIPE would end the command at its
/// first output.
pub fn start_on_end(program: &[OsString]) -> Result<Pid, CannotStart> {
    let mut command = command(program);
    command.stdin(Stdio::null());
    if !has_reader(io::stdout()) {
        command.stdout(Stdio::null());
    }
    if !has_reader(io::stderr()) {
        command.stderr(Stdio::null());
    }
    // SAFETY: as above; one system call, nothing allocated.
    unsafe { command.pre_exec(|| Ok(SigSet::empty().thread_set_mask()?)) };
    spawn(&mut command)
}

fn command(program: &[OsString]) -> Command {
    let mut words = program.iter();
    let mut command = Command::new(words.next().map_or_else(OsString::new, OsString::clone));
    command.args(words);
    command
}

/// Starts a process and drops its handle, since `supervise` waits for all children.
fn spawn(command: &mut Command) -> Result<Pid, CannotStart> {
    match command.spawn() {
        Ok(child) => Ok(Pid::from_raw(child.id() as i32)),
        Err(error) => {
            let program = Path::new(command.get_program()).display();
            let code = if error.kind() == io::ErrorKind::NotFound {
                127
            } else {
                126
            };
            Err(CannotStart {
                message: format!("cannot start {program}: {error}"),
                code,
            })
        }
    }
}

fn has_reader(output: impl AsFd) -> bool {
    let mut waiting = [PollFd::new(output.as_fd(), PollFlags::POLLOUT)];
    let broken = PollFlags::POLLERR | PollFlags::POLLNVAL;
    poll(&mut waiting, PollTimeout::ZERO).is_ok()
        && !waiting[0].revents().unwrap_or(broken).intersects(broken)
}
