"""Processes that end when the laboratory ends, for any reason.

Everything is started under `wirelab-guard`, which has the read end of a pipe whose only writer is
this process: when the laboratory ends, even by SIGKILL, the pipe closes, and the guard ends all
descendants of the program that it guards.
"""

import atexit
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import psutil

from wirelab.errors import LabError
from wirelab.installation.interruption import requests_interrupt
from wirelab.installation.programs import find_program
from wirelab.lab.processes.cpu import format_cpus
from wirelab.lab.processes.limits import ControlGroup
from wirelab.lab.processes.process_table import ProcessTable
from wirelab.study.limits import UNLIMITED, ResourceLimits

GRACE_S = 5.0
"""Time between SIGTERM and SIGKILL."""
ON_END_LIMIT_S = 60.0
"""Time limit of the guard for the command after the program."""
NOT_STARTED_CODES = {2, 126, 127}
"""Exit codes of the guard, unless the program returned them."""
GUARD_PREFIX = "wirelab-guard: "
TAIL_BYTES = 64 * 1024


class NotStartedError(LabError):
    """A program cannot be started; the text says why."""


class GuardedProcess:
    """A program running under the guard, created by `start_guarded`."""

    def __init__(
        self,
        role: str,
        log_path: Path,
        guard: subprocess.Popen[bytes],
        lifeline: int,
        on_end: Sequence[str | Path] = (),
        *,
        group: ControlGroup | None = None,
    ) -> None:
        self.role = role
        self.log_path = log_path
        self.pid = guard.pid
        """The guard: the ancestor of all processes that the program starts."""
        self.root_pid: int | None = None
        """The guarded program; None if it ended before it was detected."""
        self.killed = False
        """Whether some of it still ran `GRACE_S` after SIGTERM when it was stopped."""
        self._guard = guard
        self._lifeline = lifeline
        self._on_end = on_end
        self._group = group

    def limit(self) -> None:
        """Hold the program, and all that it has started, to its limits from now on."""
        if self._group is None or self.root_pid is None:
            return
        held: set[int] = set()
        # More than once: a process may be started before its parent is in the group.
        while new := set(family(self.root_pid)) - held:
            self._group.add(new)
            held |= new
        self._group.begin()

    @property
    def stdin(self) -> IO[bytes]:
        """The program's standard input, if it was started `piped`."""
        assert self._guard.stdin is not None, "started without pipes"
        return self._guard.stdin

    @property
    def stdout(self) -> IO[bytes]:
        """The program's standard output, if it was started `piped`."""
        assert self._guard.stdout is not None, "started without pipes"
        return self._guard.stdout

    def poll(self) -> int | None:
        """Return the program's exit code (128 + signal); None while it runs."""
        code = self._guard.poll()
        if code is not None:
            self._forget()
        return code

    def wait(self, timeout_s: float | None = None) -> int:
        """Wait for the end and return the exit code; raises TimeoutError."""
        try:
            self._guard.wait(timeout_s)
        except subprocess.TimeoutExpired as error:
            raise TimeoutError(f"{self.role} still runs after {timeout_s} s") from error
        self._forget()
        return self._guard.returncode

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the program itself, unless it has ended."""
        if self.root_pid is not None and self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.root_pid, number)

    def stop(self) -> int:
        """End the program and all its descendants; return the exit code."""
        ran, began = self.poll() is None, time.monotonic()
        self._cut()
        with suppress(ProcessLookupError):
            self._guard.send_signal(signal.SIGCONT)  # it may have been suspended
        try:
            code = self.wait(GRACE_S + ON_END_LIMIT_S)
            self.killed = self.killed or (ran and time.monotonic() - began >= GRACE_S)
            return code
        except TimeoutError:
            self._guard.kill()
            return self.wait()

    def log_tail(self, lines: int = 20) -> str:
        """Return the last lines of the program's output."""
        with self.log_path.open("rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - TAIL_BYTES))
            text = log.read().decode(errors="replace")
        # At the end of a program, the guard has written the note into the log.
        note = self._group.note() if self._group is not None else ""
        return "\n".join([*text.splitlines(), *note.splitlines()][-lines:])

    def _cut(self) -> None:
        """Close the pipe: the guard begins to end everything."""
        if self._lifeline >= 0:
            os.close(self._lifeline)
            self._lifeline = -1

    def _forget(self) -> None:
        self._cut()
        if _running.pop(self.pid, None) is not None and self._guard.returncode < 0:
            self._replace_guard()

    def _replace_guard(self) -> None:
        """End the remaining processes if the guard itself was killed.

        The kernel has then killed the program; the others in the guard's session are killed here.
        """
        while left := _session(self.pid):
            for pid in left:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.01)
        if self._on_end:
            with suppress(OSError, subprocess.TimeoutExpired):
                subprocess.run(
                    list(map(str, self._on_end)),
                    capture_output=True,
                    timeout=ON_END_LIMIT_S,
                    check=False,
                )


_running: dict[int, GuardedProcess] = {}


def start_guarded(
    command: Sequence[str | Path],
    *,
    role: str,
    log_path: Path,
    cpus: Collection[int] = (),
    user: str | None = None,
    no_new_privileges: bool = False,
    environment: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    on_end: Sequence[str | Path] = (),
    piped: bool = False,
    network: Path | None = None,
    limits: ResourceLimits = UNLIMITED,
) -> GuardedProcess:
    """Start a program that cannot outlive this one.

    `role` is its name in messages. Its output is appended to `log_path`; with `piped` only its
    errors are, and `stdin` and `stdout` are pipes. `cpus`: the CPUs that it may use, by default
    all. `user`: the user to run as, for root only. `no_new_privileges`: deny it set-user-ID
    programs. `environment`: its environment variables, by default those of this process. `network`:
    the network namespace to run in. `limits`: its limits, in effect once `limit` is called.
    `on_end`: a command to run after all its processes have ended, even if this process has. Raises
    `LabError` if the program cannot be started, or limited.
    """
    guard = [str(find_program("wirelab-guard")), "--grace", str(GRACE_S)]
    if cpus:
        guard += ["--cpus", format_cpus(cpus)]
    if user is not None:
        guard += ["--user", user]
    if no_new_privileges:
        guard.append("--no-new-privileges")
    if network is not None:
        guard += ["--network", str(network)]
    read_end, write_end = os.pipe()
    group = None
    try:
        if limits:
            group = ControlGroup(limits, role)
            on_end = group.removing(on_end)
        if on_end:
            guard += ["--on-end", *map(str, on_end), ";"]
        with log_path.open("ab") as log:
            process = subprocess.Popen(
                [*guard, "--lifeline", str(read_end), "--", *map(str, command)],
                stdin=subprocess.PIPE if piped else subprocess.DEVNULL,
                stdout=subprocess.PIPE if piped else log,
                stderr=log,
                env=None if environment is None else dict(environment),
                cwd=cwd,
                pass_fds=(read_end,),
            )
    except BaseException:
        os.close(write_end)
        if group is not None:
            group.remove()
        raise
    finally:
        os.close(read_end)
    guarded = GuardedProcess(role, log_path, process, write_end, on_end, group=group)
    _running[guarded.pid] = guarded
    guarded.root_pid = _find_root(guarded, guard[0])
    if guarded.root_pid is None and (complaint := _complaint(guarded)):
        search_path = (os.environ if environment is None else environment).get("PATH", os.defpath)
        why = _why_not_found(str(command[0]), search_path) or complaint
        raise NotStartedError(f"cannot start {role}: {why}")
    return guarded


def _find_root(guarded: GuardedProcess, guard: str, patience_s: float = 5.0) -> int | None:
    """Wait for the guard's child to become the program; None if it has already ended."""
    deadline = time.monotonic() + patience_s
    while guarded.poll() is None and time.monotonic() < deadline:
        with suppress(FileNotFoundError, PermissionError):
            for child in ProcessTable().quick_family(guarded.pid)[1:2]:
                if os.readlink(f"/proc/{child}/exe") != guard:
                    return child
        time.sleep(0.002)
    return None


def _complaint(guarded: GuardedProcess) -> str:
    """Return the guard's message if it could not start the program; "" otherwise."""
    last = guarded.log_tail(1)
    failed = guarded.poll() in NOT_STARTED_CODES and last.startswith(GUARD_PREFIX)
    return last.removeprefix(GUARD_PREFIX) if failed else ""


def _why_not_found(program: str, search_path: str) -> str:
    """Return that no folder of the search path contains a program; "" if one does.

    If the user of the program cannot read one of the folders, the kernel reports only that.
    """
    if os.sep in program or shutil.which(program, path=search_path):
        return ""
    return f"{program} is not on PATH"


def family(pid: int) -> list[int]:
    """Return a process and then its descendants; empty if it has ended."""
    return ProcessTable().family(pid)


def _session(leader: int) -> list[int]:
    """Return the processes of a session that have not ended."""
    survivors = []
    for pid in psutil.pids():
        with suppress(OSError, psutil.NoSuchProcess):
            if os.getsid(pid) == leader and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
                survivors.append(pid)
    return survivors


def stop_everything() -> None:
    """End all processes that still run, the latest first."""
    for guarded in reversed(list(_running.values())):
        guarded.stop()


atexit.register(stop_everything)


@contextmanager
def stopping_everything() -> Iterator[None]:
    """Stop everything at the end of the block, also after errors, Ctrl-C or SIGTERM."""
    with requests_interrupt():
        try:
            yield
        finally:
            stop_everything()
