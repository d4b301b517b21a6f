"""The bundles below a folder: where they are, whether they changed, what cannot be one.

Looking reads names, sizes and times of files, and of a bundle that changed one small file more, so
that hundreds of bundles can be looked at again for each page. No link is followed.
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
from wirelab.problems import ProblemsError
from wirelab.untrusted import visible

DEEPEST = 4
"""So many folders below the one that was asked for are looked into."""

MOST_FOLDERS = 5000
"""So many are looked into in all; whoever names the root of a disk is told so."""

LOCKS = Path("/proc/locks")


@dataclass(frozen=True, slots=True)
class Found:
    """A folder that is a bundle, or should be one.

    `id` names it in addresses, for as long as it stays where it is. `key` becomes another one by
    any change of its files. `info` is None where `problems` say why it cannot be read.
    """

    id: str
    path: Path
    name: str
    key: str
    blocks: int
    """Recorded so far."""
    planned: int | None
    """Blocks of the schedule, of a bundle that is not complete."""
    info: BundleInfo | None
    problems: tuple[str, ...]
    is_written: bool = False
    """Whether a study adds to it at this moment."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """All bundles of a folder, and what may be missing among them."""

    found: tuple[Found, ...] = ()
    notes: tuple[str, ...] = ()

    def look(self, folder: Path) -> "Shelf":
        """Look again; of what has not changed nothing is read anew."""
        known = {each.key: each for each in self.found}
        places, notes = find_bundles(folder)
        locked = locked_inodes()
        found = []
        for path in places:
            try:
                now = fingerprint(path)
                each = known.get(now.key) or _read(folder, path, now)
                is_written = _may_grow(each) and path.stat().st_ino in locked
            except OSError:  # It went away while it was looked at: as if it had before.
                continue
            found.append(replace(each, is_written=is_written))
        return Shelf(tuple(found), notes)


def find_bundles(folder: Path) -> tuple[list[Path], tuple[str, ...]]:
    """Find the folders that look like bundles, the nearest first, and say what was not looked at.

    A folder is one that holds bundle.json, or what else every bundle holds: then that is missing.
    """
    found: list[Path] = []
    waiting = deque([(folder, 0)])
    notes = []
    looked_at = unreadable = 0
    while waiting and looked_at < MOST_FOLDERS:
        here, depth = waiting.popleft()
        looked_at += 1
        try:
            with os.scandir(here) as listed:
                entries = list(listed)
        except OSError:
            unreadable += 1
            continue
        names = {entry.name for entry in entries}
        if "bundle.json" in names or {"schedule.json", BLOCKS} <= names:
            found.append(here)
        elif depth < DEEPEST:
            below = [e for e in entries if e.is_dir(follow_symlinks=False)]
            waiting.extend((Path(e.path), depth + 1) for e in below if not e.name.startswith("."))
    if waiting:
        notes.append(
            f"There are more than {MOST_FOLDERS} folders; only these were searched:"
            " browse a smaller folder to see the rest."
        )
    if unreadable:
        notes.append(f"The user who runs wirelab may not read {unreadable} of the folders.")
    return found, tuple(notes)


def locked_inodes() -> Collection[int]:
    """Return the inodes of what some process has locked: a study locks the bundle it writes.

    Taking the lock to try it would be seen by a study that wants it at that moment.
    """
    try:
        lines = LOCKS.read_text().splitlines()
    except OSError:
        return ()
    places = [words[5] for line in lines if len(words := line.split()) > 5 and words[1] == "FLOCK"]
    return {int(place.rpartition(":")[2]) for place in places}


def _may_grow(found: Found) -> bool:
    return found.info is not None and found.info.status in ("planned", "running")


def _read(folder: Path, path: Path, now: Fingerprint) -> Found:
    place = str(path.relative_to(folder)) if path != folder else path.name
    info, planned = None, None
    problems: tuple[str, ...] = ()
    try:
        bundle = Bundle.open(path, links=now.links)
        info = bundle.info
        if info.status != "complete":
            planned = len(bundle.schedule.blocks)
    except ProblemsError as wrong:
        problems = tuple(str(problem) for problem in wrong.problems)
    return Found(
        id=hashlib.sha256(os.fsencode(place)).hexdigest()[:12],
        path=path,
        name=visible(place),
        key=now.key,
        blocks=now.blocks,
        planned=planned,
        info=info,
        problems=problems,
    )
