"""What reading bundles gave, kept in a folder of the user's own, never in the bundle.

A bundle from elsewhere could bring along what was not measured; so nothing is believed but what
this program has read from it. What other code of wirelab has read counts for nothing, either.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json

from wirelab.analysis.synopsis import Synopsis
from wirelab.bundle.files import write_atomically
from wirelab.programs import cache_folder

MOST_REPORTS, MOST_READINGS = 60, 5000
"""So many are kept; those that were not used for longest go. A report has about 1 to 3 MB."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What reading a bundle gave: a synopsis, or the problems why there is none."""

    synopsis: Synopsis | None = None
    problems: tuple[str, ...] = ()


READING: TypeAdapter[Reading] = TypeAdapter(Reading)

OTHERS = ("domains", "stores", "__pycache__")
"""Folders whose code reads no bundle. That of `resources/studies` does: extensions of studies."""


class Cache:
    """Readings and reports by the key of a bundle's files. Several processes may share it.

    `code` is the hash of the program that reads; that of this one unless given.
    """

    def __init__(self, folder: Path, code: str = "") -> None:
        self.folder = folder
        self.code = code or code_digest()
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o700)  # Bundles may be private, and so is what is made of them.

    @classmethod
    def of_user(cls) -> "Cache":
        """Return that of the user. Raises `LabError` where there can be none."""
        return cls(cache_folder() / "browse")

    def reading(self, key: str) -> Reading | None:
        """Return what was read under this key; None where nothing was."""
        content = _used(self._path(key, "json"))
        if content is None:
            return None
        try:
            return READING.validate_json(content)
        except ValidationError:  # The disk was full, or a person edited it: read again.
            return None

    def keep_reading(self, key: str, reading: Reading) -> None:
        """Keep what reading gave."""
        self._keep(self._path(key, "json"), to_json(reading, inf_nan_mode="constants"))
        self._prune("json", MOST_READINGS)

    def report(self, key: str) -> str | None:
        """Return the report that was made under this key; None where there is none."""
        content = _used(self._path(key, "html"))
        return None if content is None else content.decode()

    def keep_report(self, key: str, page: str) -> None:
        """Keep a report."""
        self._keep(self._path(key, "html"), page.encode())
        self._prune("html", MOST_REPORTS)

    def _path(self, key: str, ending: str) -> Path:
        name = hashlib.sha256(f"{self.code} {key}".encode()).hexdigest()
        return self.folder / f"{name}.{ending}"

    def _keep(self, path: Path, content: bytes) -> None:
        with suppress(FileNotFoundError):  # Another process has just put the same there.
            write_atomically(path, content)

    def _prune(self, ending: str, most: int) -> None:
        kept = sorted(self.folder.glob(f"*.{ending}"), key=_last_use, reverse=True)
        for path in kept[most:]:
            path.unlink(missing_ok=True)


@cache
def code_digest() -> str:
    """Return one hash of this program: other code may read other things from the same files."""
    seen = hashlib.sha256()
    for name, content in _code(files("wirelab"), ""):
        seen.update(name.encode() + b"\0" + content + b"\0")
    return seen.hexdigest()


def _code(folder: Traversable, above: str) -> Iterator[tuple[str, bytes]]:
    for each in sorted(folder.iterdir(), key=lambda each: each.name):
        if each.is_dir():
            if each.name not in OTHERS:
                yield from _code(each, f"{above}{each.name}/")
        elif each.name.endswith((".py", ".html", ".css", ".js")):
            yield f"{above}{each.name}", each.read_bytes()


def _used(path: Path) -> bytes | None:
    try:
        content = path.read_bytes()
        os.utime(path)
    except OSError:
        return None
    return content


def _last_use(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # Another process has pruned it.
        return 0.0
