"""The histories below a folder: files of `wirelab history`, drawn on request."""

import hashlib
import os
from collections import deque
from dataclasses import dataclass
from pathlib import Path

from wirelab.browse.folder_scan import DEEPEST, MOST_FOLDERS
from wirelab.terminal.untrusted import visible
from wirelab.versions.course import courses
from wirelab.versions.drawing import history_page
from wirelab.versions.ledger import read_ledger

SUFFIX = ".jsonl"
MARK = b'{"format":"wirelab-history/'
"""How the first line of a history begins."""


@dataclass(frozen=True, slots=True)
class FoundHistory:
    """A history's file; `id` identifies it in addresses until it is moved."""

    id: str
    path: Path
    name: str

    def page(self, home: str) -> str:
        """Draw it as a page. Raises `ProblemsError` if lines cannot be read."""
        return history_page(courses(read_ledger(self.path)), title=self.name, home=home)


def find_histories(folder: Path) -> list[FoundHistory]:
    """Find the histories below a folder, as deep as bundles are searched, but not in bundles."""
    found = []
    waiting = deque([(folder, 0)])
    searched = 0
    while waiting and searched < MOST_FOLDERS:
        here, depth = waiting.popleft()
        searched += 1
        try:
            with os.scandir(here) as listed:
                entries = sorted(listed, key=lambda entry: entry.name)
        except OSError:
            continue
        if any(entry.name == "bundle.json" for entry in entries):
            continue
        for entry in entries:
            path = Path(entry.path)
            if entry.is_dir(follow_symlinks=False):
                if depth < DEEPEST and not entry.name.startswith("."):
                    waiting.append((path, depth + 1))
            elif entry.is_file(follow_symlinks=False) and _is_history(path):
                name = str(path.relative_to(folder))
                id_ = hashlib.sha256(os.fsencode(name)).hexdigest()[:12]
                found.append(FoundHistory(id_, path, visible(name)))
    return found


def _is_history(path: Path) -> bool:
    if path.suffix != SUFFIX:
        return False
    try:
        with path.open("rb") as file:
            return file.read(len(MARK)) == MARK
    except OSError:
        return False
