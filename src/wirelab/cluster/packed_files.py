"""The files of a folder as one value that can be sent to another machine."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from wirelab.errors import LabError

MADE = {".git", ".venv", "__pycache__", "node_modules", "target", ".mypy_cache", ".ruff_cache"}
"""Folders with build products of tools, which are created again on demand."""

LARGEST_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class PackedFile:
    """A file's content, and whether it is executable."""

    content: bytes
    executable: bool = False


PackedFiles = Mapping[str, PackedFile]
"""By path, relative to the folder."""


def pack(folder: Path, left_out: Collection[str] = ()) -> PackedFiles:
    """Read every file below a folder except those below folders named in `left_out`.

    Raises `LabError` if they are too large to be sent.
    """
    files: dict[str, PackedFile] = {}
    size = 0
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if any(part in left_out for part in name.parts) or not path.is_file():
            continue
        size += path.stat().st_size
        if size > LARGEST_BYTES:
            raise LabError(
                f"{folder} has more than {LARGEST_BYTES // 1024**2} MB of files, too much to send"
                " to other machines",
                "move files that are not needed there out of it",
            )
        files[name.as_posix()] = PackedFile(path.read_bytes(), bool(path.stat().st_mode & 0o100))
    return files


def pack_files(files: Mapping[str, Path]) -> PackedFiles:
    """Read files, given by the names that they will have."""
    return {name: PackedFile(path.read_bytes()) for name, path in files.items()}


def unpack(files: PackedFiles, folder: Path) -> None:
    """Write files below a folder.

    Raises `ValueError` for a name that leads out of it, since another machine sent it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, file in files.items():
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts:
            raise ValueError(f"{name!r} leads out of the folder it was sent to")
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.content)
        if file.executable:
            target.chmod(0o755)
