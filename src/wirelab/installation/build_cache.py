"""Build something once, into the cache, in a folder named after the hash of its inputs."""

import fcntl
import hashlib
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from wirelab.installation.programs import cache_folder

COMPLETE = ".complete"
"""The file that is written last; a build folder without it is incomplete."""


def build_once(
    name: str, key: str, make: Callable[[Path], None], cache: Path | None = None
) -> Path:
    """Return the build folder `<name>-<key>` in the cache, made by `make(folder)` if missing.

    `cache`: the folder of the cache, by default `cache_folder`. Processes that need the same build
    wait for each other. An incomplete build is removed: when `make` fails or is interrupted, and
    what a killed process left, before it is made again.
    """
    folder = _folder(name, key, cache)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _locked(folder.with_name(f"{folder.name}.lock")):
        if not (folder / COMPLETE).exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            try:
                make(folder)
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise
            (folder / COMPLETE).touch()
    return folder


def complete_folder(name: str, key: str) -> Path | None:
    """Return the build folder if the cache contains it; otherwise None."""
    folder = _folder(name, key)
    return folder if (folder / COMPLETE).exists() else None


def content_hash(files: Iterable[Path], *more: str) -> str:
    """Return 16 hexadecimal digits that change when a file's name or content or `more` does."""
    digest = hashlib.sha256()
    for part in more:
        digest.update(f"{len(part)}:{part}".encode())
    for path in sorted(files):
        content = path.read_bytes()
        digest.update(f"{path.name}:{len(content)}:".encode() + content)
    return digest.hexdigest()[:16]


def _folder(name: str, key: str, cache: Path | None = None) -> Path:
    return (cache or cache_folder()) / "builds" / f"{name}-{key}"


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # the kernel releases it when the process ends
        yield
