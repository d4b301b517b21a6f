"""Resources that a machine lacks, detected in an error or a log, and their remedies."""

import errno
import re
import resource
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from wirelab.errors import LabError
from wirelab.lab.network.ports import free_port
from wirelab.terminal.words import byte_count

DISK = "disk"
READ_ONLY = "read-only"
FILE_SIZE = "file size"
DESCRIPTORS = "descriptors"
PROCESSES = "processes"
MEMORY = "memory"
PORTS = "ports"
PERMISSION = "permission"
PATH = "path"

REMEDIES: Mapping[str, str] = {
    DISK: "free space on that disk, or choose a folder on another one: TMPDIR for temporary files,"
    " --output for the bundle, WIRELAB_CACHE for builds",
    READ_ONLY: "make the file system writable, or choose a folder on another one: TMPDIR for"
    " temporary files, --output for the bundle, WIRELAB_CACHE for builds",
    FILE_SIZE: "raise the limit of the size of files (`ulimit -f`)",
    DESCRIPTORS: "raise the limit of open files (`ulimit -n`), or end programs that have many",
    PROCESSES: "raise the limit of processes (`ulimit -u`, or pids.max of the control group), or"
    " that of memory (`ulimit -v`), which threads need, too",
    MEMORY: "end programs that use much memory, or raise the limit (`ulimit -v`, or memory.max of"
    " the control group)",
    PORTS: "end programs that listen on or connect from many ports, or widen"
    " net.ipv4.ip_local_port_range",
    PERMISSION: "choose a folder that this user may write to, or change its permissions",
    PATH: "check that path: a part of it is too long, or not of the kind that is needed there",
}

_BY_NUMBER: Mapping[int, str] = {
    errno.ENOSPC: DISK,
    errno.EDQUOT: DISK,
    errno.EROFS: READ_ONLY,
    errno.EFBIG: FILE_SIZE,
    errno.EMFILE: DESCRIPTORS,
    errno.ENFILE: DESCRIPTORS,
    errno.EAGAIN: PROCESSES,
    errno.ENOMEM: MEMORY,
    errno.EADDRINUSE: PORTS,
    errno.EADDRNOTAVAIL: PORTS,
    errno.EACCES: PERMISSION,
    errno.EPERM: PERMISSION,
    errno.ENAMETOOLONG: PATH,
    errno.ENOTDIR: PATH,
    errno.EISDIR: PATH,
    errno.ELOOP: PATH,
}
_BY_WORDS: Mapping[str, str] = {
    r"no space left on device|disk quota exceeded|disk is full|check free disk space": DISK,
    r"read-only file system": READ_ONLY,
    r"file too large|SIGXFSZ|file size limit": FILE_SIZE,
    r"too many open files|insufficient file descriptors|file descriptors available": DESCRIPTORS,
    r"cannot allocate memory|out of memory|failed to map segment": MEMORY,
    r"resource temporarily unavailable|could not fork|can'?(no)?t (fork|start new)": PROCESSES,
    r"address already in use|cannot assign requested address": PORTS,
    r"permission denied|operation not permitted": PERMISSION,
}
_NO_THREAD = ("can't start new thread", "Failed to launch worker thread")
"""What Python and Arrow report if the machine refuses a thread: neither error has a number."""
NEAR_BYTES = 64 << 20
"""With less memory than this up to its limit, a process may have failed for want of it."""
LITTLE_BYTES = 1 << 20
"""A disk with less free space counts as full."""


def remedy_of(error: BaseException) -> str:
    """Return the remedy if an error says that the machine lacks a resource; "" otherwise."""
    if isinstance(error, MemoryError):
        return REMEDIES[MEMORY]
    if isinstance(error, ImportError):  # of a library that is not loaded for want of memory
        return REMEDIES[MEMORY] if lacking_in(str(error)) == MEMORY else ""
    if isinstance(error, OSError) and (what := _BY_NUMBER.get(error.errno or 0)):
        return REMEDIES[what]
    if any(text in str(error) for text in _NO_THREAD):
        return REMEDIES[PROCESSES]
    return REMEDIES[MEMORY] if _has_used_its_memory() else ""


def _has_used_its_memory() -> bool:
    """Return whether this process was near its limit: then libraries fail in ways of their own."""
    limit_bytes = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit_bytes == resource.RLIM_INFINITY:
        return False
    lines = Path("/proc/self/status").read_text().splitlines()
    peak_kb = next(int(line.split()[1]) for line in lines if line.startswith("VmPeak:"))
    return limit_bytes - 1024 * peak_kb < NEAR_BYTES


def require_address_space(least_bytes: int) -> None:
    """Raise `LabError` if this process may have less address space than a command needs.

    Libraries do not report every lack of it: one tries again without end, others crash.
    """
    limit_bytes = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit_bytes != resource.RLIM_INFINITY and limit_bytes < least_bytes:
        limit, least = byte_count(limit_bytes), byte_count(least_bytes)
        what = (
            f"this command needs {least} of address space, more than the limit of memory, {limit}"
        )
        remedy = f"raise the limit: `ulimit -v unlimited`, or at least {-(-least_bytes // 1024)}"
        raise LabError(what, remedy)


def require_free_port() -> None:
    """Raise `LabError` if no port is free: then a failed connection is not the server's fault.

    Call it after a failure.
    """
    try:
        free_port()
    except OSError as error:
        if _BY_NUMBER.get(error.errno or 0) == PORTS:
            raise LabError("no TCP port of this machine is free", REMEDIES[PORTS]) from error


def lacking_in(text: str) -> str:
    """Return the resource that a message says was missing, a key of `REMEDIES`; "" if none."""
    for words, what in _BY_WORDS.items():
        if re.search(words, text, re.IGNORECASE):
            return what
    return ""


def remedy_in(text: str, folder: Path | None = None) -> str:
    """Return the remedy for a resource that a log says was missing; "" if it says nothing.

    `folder`: the folder of the program's files, by default that of temporary files. A full disk may
    have prevented the log.
    """
    if what := lacking_in(text):
        return REMEDIES[what]
    try:
        free = shutil.disk_usage(folder or tempfile.gettempdir()).free
    except OSError:
        return ""
    return REMEDIES[DISK] if free < LITTLE_BYTES else ""
