"""Find the bundles below a folder, and whether they have changed.

A scan reads only names, sizes and times of files, and one small file of each changed bundle, so
that hundreds of bundles can be scanned for each page. Links are not followed.
"""

import hashlib
import os
from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from wirelab.browse.fingerprint import Fingerprint, fingerprint
from wirelab.bundle import Bundle, BundleInfo
from wirelab.bundle.contents import BLOCKS
from wirelab.inputs.problems import ProblemsError
from wirelab.terminal.untrusted import visible

DEEPEST = 4
"""Maximum depth of folders below the given one."""

MOST_FOLDERS = 5000
"""Maximum number of folders to search, for example if the root of a disk was given."""

LOCKS = Path("/proc/locks")


@dataclass(frozen=True, slots=True)
class ScannedBundle:
    """A folder that is a bundle, or should be one.

    `id` identifies it in addresses until it is moved. `key` changes with any change of its files.
    `info` is None if it cannot be read; `problems` say why.
    """

    id: str
    path: Path
    name: str
    key: str
    blocks: int
    """Number of recorded blocks."""
    planned: int | None
    """Number of scheduled blocks of an incomplete bundle."""
    info: BundleInfo | None
    problems: tuple[str, ...]
    is_written: bool = False
    """Whether a study is writing to it."""


@dataclass(frozen=True, slots=True)
class FolderScan:
    """All bundles of a folder, and notes on what was not searched."""

    found: tuple[ScannedBundle, ...] = ()
    notes: tuple[str, ...] = ()

    def look(self, folder: Path) -> "FolderScan":
        """Scan again; unchanged bundles are not read again."""
        known = {each.key: each for each in self.found}
        folders, notes = find_bundles(folder)
        locked = locked_inodes()
        bundles = []
        for path in folders:
            try:
                now = fingerprint(path)
                each = known.get(now.key) or _read(folder, path, now)
                is_written = _may_grow(each) and path.stat().st_ino in locked
            except OSError:  # It was removed during the scan.
                continue
            bundles.append(replace(each, is_written=is_written))
        return FolderScan(tuple(bundles), notes)


def find_bundles(folder: Path) -> tuple[list[Path], tuple[str, ...]]:
    """Find the folders that look like bundles, the nearest first, and note what was not searched.

    A bundle contains bundle.json, or the other files of every bundle if bundle.json is missing.
    """
    folders: list[Path] = []
    waiting = deque([(folder, 0)])
    notes = []
    searched = unreadable = 0
    while waiting and searched < MOST_FOLDERS:
        here, depth = waiting.popleft()
        searched += 1
        try:
            with os.scandir(here) as listed:
                entries = list(listed)
        except OSError:
            unreadable += 1
            continue
        names = {entry.name for entry in entries}
        if "bundle.json" in names or {"schedule.json", BLOCKS} <= names:
            folders.append(here)
        elif depth < DEEPEST:
            below = [e for e in entries if e.is_dir(follow_symlinks=False)]
            waiting.extend((Path(e.path), depth + 1) for e in below if not e.name.startswith("."))
    if waiting:
        notes.append(
            f"There are more than {MOST_FOLDERS} folders; only the first ones were searched:"
            " browse a smaller folder to see the rest."
        )
    if unreadable:
        notes.append(f"This user is not allowed to read {unreadable} of the folders.")
    return folders, tuple(notes)


def locked_inodes() -> Collection[int]:
    """Return the inodes of locked files: a study locks the bundle that it writes.

    Trying to take the lock could make a study fail that takes it at the same moment.
    """
    try:
        lines = LOCKS.read_text().splitlines()
    except OSError:
        return ()
    locked = [words[5] for line in lines if len(words := line.split()) > 5 and words[1] == "FLOCK"]
    return {int(lock.rpartition(":")[2]) for lock in locked}


def _may_grow(found: ScannedBundle) -> bool:
    return found.info is not None and found.info.status in ("planned", "running")


def _read(folder: Path, path: Path, now: Fingerprint) -> ScannedBundle:
    name = str(path.relative_to(folder)) if path != folder else path.name
    info, planned = None, None
    problems: tuple[str, ...] = ()
    try:
        bundle = Bundle.open(path, special=now.special)
        info = bundle.info
        if info.status != "complete":
            planned = len(bundle.schedule.blocks)
    except ProblemsError as wrong:
        problems = tuple(str(problem) for problem in wrong.problems)
    return ScannedBundle(
        id=hashlib.sha256(os.fsencode(name)).hexdigest()[:12],
        path=path,
        name=visible(name),
        key=now.key,
        blocks=now.blocks,
        planned=planned,
        info=info,
        problems=problems,
    )
