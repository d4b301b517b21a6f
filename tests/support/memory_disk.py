"""Temporary files in memory: the stores of the tests create and delete many thousand files.

On ext4 this takes several times the CPU time: for each new file, the kernel passes over all inodes
whose files were deleted in the last seconds.
"""

import os
import tempfile
from pathlib import Path

import psutil

MEMORY = Path("/dev/shm")
LEAST_FREE_BYTES = 8 << 30
"""Of that file system, and of the memory."""


def use_memory() -> None:
    """Let temporary files be in memory if there is enough, unless TMPDIR names a folder."""
    if "TMPDIR" in os.environ or not _is_suitable(MEMORY):
        return
    os.environ["TMPDIR"] = str(MEMORY)
    tempfile.tempdir = None  # look again


def _is_suitable(folder: Path) -> bool:
    """Tell whether a folder is in memory, with enough space, and its programs can be executed."""
    if not any(
        part.mountpoint == str(folder)
        and part.fstype == "tmpfs"
        and not {"noexec", "ro"} & set(part.opts.split(","))
        for part in psutil.disk_partitions(all=True)
    ):
        return False
    return (
        os.access(folder, os.W_OK)
        and psutil.disk_usage(str(folder)).free >= LEAST_FREE_BYTES
        and psutil.virtual_memory().available >= LEAST_FREE_BYTES
    )
