"""Atomic writing: temporary file, flush to disk, rename."""

import hashlib
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

PARTIAL = ".partial-"
"""Prefix of the names of unfinished files and folders; readers ignore them."""


def write_atomically(path: Path, content: bytes) -> None:
    """Write `content` to `path` so that a reader sees all of it or nothing, even after a crash."""
    partial = path.with_name(f"{PARTIAL}{path.name}")
    with partial.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
    flush_folder(path.parent)


def write_json(path: Path, value: object) -> None:
    """Write `value` as readable JSON, atomically."""
    write_atomically(path, json_bytes(value))


def json_bytes(value: object) -> bytes:
    """Return the bytes that `write_json` writes."""
    return (json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def flush_folder(folder: Path) -> None:
    """Make the names in `folder` durable: a rename changes the folder, not the file."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def flush_tree(folder: Path) -> None:
    """Make every file below `folder` durable."""
    for path in (path for path in folder.rglob("*") if path.is_file()):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    flush_folder(folder)


def is_private(folder: Path) -> bool:
    """Return whether only the owner has access to `folder`."""
    return not stat.S_IMODE(folder.stat().st_mode) & 0o077


def is_special(path: Path) -> bool:
    """Return whether a path that exists is neither a regular file nor a folder."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:  # removed while another process writes
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def make_private(folder: Path) -> None:
    """Make `folder` and its content readable for the owner only."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o700 if path.is_dir() else 0o600)


def regular_files(folder: Path) -> Iterator[Path]:
    """Yield every file below `folder` in a fixed order, except unfinished work."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        is_file = path.is_file() or path.is_symlink()
        if is_file and not any(part.startswith(PARTIAL) for part in parts):
            yield path


def sha256(path: Path) -> str:
    """Return the hash of a file's content, or of a symbolic link's target name, in hexadecimal."""
    if path.is_symlink():  # the content of a link is its target, which could change
        return hashlib.sha256(os.fsencode(path.readlink())).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
