"""`wirelab cache`: show what the cache contains and how large it is, or clear it."""

import fcntl
import os
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.table import Table

from wirelab.commands.progress import ProgressBar
from wirelab.experiment.events import StageStarted, StepStarted
from wirelab.installation.programs import cache_folder
from wirelab.terminal import words
from wirelab.terminal.console import note, print_json, show

KINDS = {
    "builds": "builds of contenders and stores, by content",
    "data": "generated data sets",
}
"""The folders of the cache whose content can be made again."""


@dataclass(frozen=True, slots=True)
class CachePart:
    """One kind of content of the cache."""

    kind: str
    what: str
    entries: int
    size_bytes: int


def cache_command(*, clear: bool, as_json: bool) -> None:
    """Print what the cache contains; with `clear`, remove it except for what is in use."""
    folder = cache_folder()
    entries = {kind: _entries(folder / kind) for kind in KINDS}
    steps = sum(map(len, entries.values()))
    in_use: list[str] = []
    with ProgressBar(pause_s=2.0) as bar:
        bar.on(StageStarted("Counting", steps))
        parts = [
            CachePart(
                kind, what, len(entries[kind]), sum(_size(entry, bar) for entry in entries[kind])
            )
            for kind, what in KINDS.items()
        ]
        if clear:
            bar.on(StageStarted("Clearing", steps))
            in_use = [name for found in entries.values() for name in _clear(found, bar)]
    if as_json:
        print_json(
            {
                "folder": str(folder),
                "parts": [asdict(part) for part in parts],
                "cleared": clear,
                "in_use": in_use,
            }
        )
        return
    table = Table(box=None, pad_edge=False, title=str(folder), title_justify="left")
    for title in ("kind", "entries", "size", "what it is"):
        table.add_column(title)
    for part in parts:
        size = words.byte_count(part.size_bytes)
        table.add_row(part.kind, str(part.entries), size, part.what)
    show(table)
    if clear:
        kept = f", except what another process is building: {', '.join(in_use)}" if in_use else ""
        note(f"the cache is cleared{kept}; the next study builds and generates again what it needs")


def _entries(folder: Path) -> list[Path]:
    """Return the content of a folder of the cache, without lock files."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.suffix != ".lock")


def _size(path: Path, bar: ProgressBar) -> int:
    bar.on(StepStarted(path.name))
    if not path.is_dir() or path.is_symlink():
        return _file_size(str(path))
    return sum(
        _file_size(os.path.join(folder, name))
        for folder, _, names in os.walk(path)
        for name in names
    )


def _file_size(path: str) -> int:
    """Return the size of a file; 0 if a build has removed it since it was listed."""
    try:
        return os.lstat(path).st_size
    except FileNotFoundError:
        return 0


def _clear(entries: Sequence[Path], bar: ProgressBar) -> list[str]:
    """Remove entries; return the names of those that another process is building."""
    in_use = []
    for entry in entries:
        bar.on(StepStarted(entry.name))
        lock = entry.with_name(f"{entry.name}.lock")
        with lock.open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                in_use.append(entry.name)
                continue
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink(missing_ok=True)
    return in_use
