"""Whether a bundle is still what it was when it was read: by the names, sizes and times of files.

The seal would say it by content, but hashing everything takes as long as reading everything.
"""

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wirelab.bundle.contents import BLOCKS
from wirelab.bundle.files import PARTIAL
from wirelab.bundle.seal import REPORT


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """`key` is another one after any change of a bundle's files; `blocks` are those recorded."""

    key: str
    blocks: int


def fingerprint(folder: Path) -> Fingerprint:
    """Look at every file of a bundle but unfinished work and reports. Raises `OSError`.

    The time of the last change of a file's entry is in it, which nobody can set back.
    """
    seen = hashlib.sha256(os.fsencode(folder.absolute()))
    blocks = 0
    for name, entry in _entries(folder, ""):
        status = entry.stat(follow_symlinks=False)
        times = f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"
        is_folder = entry.is_dir(follow_symlinks=False)
        if is_folder:
            times = "folder"
            blocks += name.startswith(f"{BLOCKS}/") and name.count("/") == 1
        seen.update(os.fsencode(name) + b"\0" + times.encode() + b"\0")
    return Fingerprint(seen.hexdigest(), blocks)


def _entries(folder: Path | str, above: str) -> Iterator[tuple[str, "os.DirEntry[str]"]]:
    with os.scandir(folder) as listed:
        entries = sorted(listed, key=lambda entry: entry.name)
    for entry in entries:
        name = f"{above}{entry.name}"
        if entry.name.startswith(PARTIAL) or name == REPORT:
            continue
        yield name, entry
        if entry.is_dir(follow_symlinks=False):
            yield from _entries(entry.path, f"{name}/")
