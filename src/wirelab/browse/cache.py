"""The results of reading bundles, kept in a folder of the user, never in the bundle.

A bundle from another source could contain forged results, so only results that this program has
computed are used. Results of other versions of the code are ignored, too.
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
from wirelab.installation.programs import cache_folder

MOST_REPORTS, MOST_READINGS = 60, 5000
"""Maximum number of files; the least recently used are removed. A report has about 1 to 3 MB."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of reading a bundle: a synopsis, or the problems that prevent it."""

    synopsis: Synopsis | None = None
    problems: tuple[str, ...] = ()


READING: TypeAdapter[Reading] = TypeAdapter(Reading)

OTHERS = ("domains", "stores", "__pycache__")
"""Folders whose code reads no bundle. That of the studies does: extensions."""


class Cache:
    """Readings and reports by the key of a bundle's files. Several processes may share it.

    `code` is the hash of the program that reads; by default that of this one.
    """

    def __init__(self, folder: Path, code: str = "") -> None:
        self.folder = folder
        self.code = code or code_digest()
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o700)  # Bundles may be private, and so are results derived from them.

    @classmethod
    def of_user(cls) -> "Cache":
        """Return the user's cache. Raises `LabError` if it cannot be created."""
        return cls(cache_folder() / "browse")

    def reading(self, key: str) -> Reading | None:
        """Return the result stored under this key; None if there is none."""
        content = _used(self._path(key, "json"))
        if content is None:
            return None
        try:
            return READING.validate_json(content)
        except ValidationError:  # The disk was full, or the file was edited: read again.
            return None

    def keep_reading(self, key: str, reading: Reading) -> None:
        """Store the result of reading."""
        self._keep(self._path(key, "json"), to_json(reading, inf_nan_mode="constants"))
        self._prune("json", MOST_READINGS)

    def report(self, key: str) -> str | None:
        """Return the report stored under this key; None if there is none."""
        content = _used(self._path(key, "html"))
        return None if content is None else content.decode()

    def keep_report(self, key: str, page: str) -> None:
        """Store a report."""
        self._keep(self._path(key, "html"), page.encode())
        self._prune("html", MOST_REPORTS)

    def _path(self, key: str, ending: str) -> Path:
        name = hashlib.sha256(f"{self.code} {key}".encode()).hexdigest()
        return self.folder / f"{name}.{ending}"

    def _keep(self, path: Path, content: bytes) -> None:
        with suppress(FileNotFoundError):  # Another process has just stored the same.
            write_atomically(path, content)

    def _prune(self, ending: str, most: int) -> None:
        kept = sorted(self.folder.glob(f"*.{ending}"), key=_last_use, reverse=True)
        for path in kept[most:]:
            path.unlink(missing_ok=True)


@cache
def code_digest() -> str:
    """Return one hash of this program: other code may compute other results from the same files."""
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
