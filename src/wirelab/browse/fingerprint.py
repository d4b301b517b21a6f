"""Detect whether a bundle has changed since it was read: by names, sizes and times of files.

The seal would detect it by content, but hashing everything takes as long as reading everything.
"""

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wirelab.bundle.contents import BLOCKS
from wirelab.bundle.files import PARTIAL, is_special
from wirelab.bundle.seal import REPORT


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """`key` changes with any change of a bundle's files; `blocks` are those recorded.

    `special` are the names of symbolic links, pipes, sockets and devices.
    """

    key: str
    blocks: int
    special: tuple[str, ...]


def fingerprint(folder: Path) -> Fingerprint:
    """Compute the fingerprint of all files except unfinished work and reports. Raises `OSError`.

    It includes the change time (ctime) of files, which programs cannot set.
    """
    seen = hashlib.sha256(os.fsencode(folder.absolute()))
    blocks = 0
    special = []
    for name, entry, counts in _entries(folder, "", counts=True):
        if is_special(Path(entry.path)):
            special.append(name)
        if not counts:
            continue
        if entry.is_dir(follow_symlinks=False):
            mark = "folder"
            blocks += name.startswith(f"{BLOCKS}/") and name.count("/") == 1
        else:
            status = entry.stat(follow_symlinks=False)
            mark = f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"
        seen.update(os.fsencode(name) + b"\0" + mark.encode() + b"\0")
    return Fingerprint(seen.hexdigest(), blocks, tuple(special))


def _entries(
    folder: Path | str, above: str, *, counts: bool
) -> Iterator[tuple[str, "os.DirEntry[str]", bool]]:
    """Walk through a folder; yield each entry, and whether it is part of the bundle."""
    with os.scandir(folder) as listed:
        entries = sorted(listed, key=lambda entry: entry.name)
    for entry in entries:
        name = f"{above}{entry.name}"
        is_part = counts and name != REPORT and not entry.name.startswith(PARTIAL)
        yield name, entry, is_part
        if entry.is_dir(follow_symlinks=False):
            yield from _entries(entry.path, f"{name}/", counts=is_part)
