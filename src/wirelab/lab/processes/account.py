"""The unprivileged users that servers run as if wirelab runs as root."""

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from wirelab.errors import LabError
from wirelab.inputs.startable import interpreter
from wirelab.installation.guarded import run_guarded
from wirelab.lab.processes.capabilities import Capability, lacking
from wirelab.terminal import words

STORE = PROXY = "wirelab"
CONTENDER = "wirelab-contender"
"""Not the store's user: a contender must not have access to the store's files."""
SHARED = "nobody"
NEEDED = (
    Capability.CHOWN,
    Capability.DAC_OVERRIDE,
    Capability.KILL,
    Capability.SETGID,
    Capability.SETUID,
)
"""What root needs to give a user files, to start a server as that user, and to end the server."""


@cache
def unprivileged_account(own: str) -> str | None:
    """Return the user to run a server as if wirelab runs as root; otherwise None.

    `own` is a system user for this purpose, created if missing: as `nobody`, the server would share
    its files with every other program that runs as `nobody`. `nobody` is the fallback if no user
    can be created. Raises `LabError` if there is neither, or if root may not become another user.
    """
    if os.geteuid() != 0:
        return None
    if missing := lacking(*NEEDED):
        named = words.listed(f"CAP_{each.name}" for each in missing)
        raise LabError(
            f"cannot run a server as user '{own}', because root lacks {named} here",
            "run wirelab as an ordinary user, or start its container with these capabilities"
            " (docker run --cap-add)",
        )
    if not _exists(own) and (useradd := shutil.which("useradd")) is not None:
        options = ["--system", "--no-create-home", "--shell", "/usr/sbin/nologin"]
        subprocess.run([useradd, *options, own], capture_output=True, check=False)
    for name in (own, SHARED):
        if _exists(name):
            return name
    raise LabError(
        f"Cannot create user '{own}' to run a server, and user '{SHARED}' does not exist",
        f"create the user (useradd --system {own}), or do not run wirelab as root",
    )


def hand_over(folder: Path, account: str | None) -> None:
    """Give a folder and the files in it to an account; None changes nothing."""
    if account is not None:
        for path in (folder, *folder.iterdir()):
            shutil.chown(path, account)


def first_unreadable(account: str, paths: Iterable[Path]) -> Path | None:
    """Return the first path that keeps an account from reading these; None if there is none.

    For a checkout below /root, that is /root.
    """
    for path in paths:
        closed = (each for each in reversed(path.parents) if not _may(account, "-x", each))
        unreadable = next(closed, None) or (None if _may(account, "-r", path) else path)
        if unreadable is not None:
            return unreadable
    return None


def program_files(program: str) -> list[Path]:
    """Return the files of a program: itself, and for a script its interpreter."""
    executable = shutil.which(program)
    if executable is None:
        return []
    path = Path(executable).resolve()
    needed = interpreter(path)
    return [path] if needed is None else [path, needed.resolve()]


@cache
def _may(account: str, access: str, path: Path) -> bool:
    command = ["test", access, str(path)]
    return run_guarded(command, cwd=Path(os.sep), user=account).returncode == 0


def _exists(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True
