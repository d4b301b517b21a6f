"""Damages of a file: what a full disk, a bad copy or an enemy leaves."""

import random
from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet


def truncate(path: Path) -> None:
    """Keep the first half."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path: Path) -> None:
    """Keep nothing but the name."""
    path.write_bytes(b"")


def overwrite(path: Path) -> None:
    """Replace the last third by noise, as long as it was."""
    content = path.read_bytes()
    kept = len(content) * 2 // 3
    path.write_bytes(content[:kept] + random.Random(len(content)).randbytes(len(content) - kept))


def replace_content(path: Path) -> None:
    """Write a whole file of its format with something else in it."""
    if path.suffix == ".parquet":
        parquet.write_table(pa.table({"run_id": [[1], [2]], "more": ["a", "b"]}), path)
    else:
        path.write_text("7")


def replace_by_folder(path: Path) -> None:
    """Put a folder in the place of the file."""
    path.unlink()
    path.mkdir()


def remove(path: Path) -> None:
    """Remove the file."""
    path.unlink()


DAMAGES: Mapping[str, Callable[[Path], None]] = {
    each.__name__: each
    for each in (truncate, empty, overwrite, replace_content, replace_by_folder, remove)
}

NEEDED = (
    "bundle.json",
    "schedule.json",
    "contenders.json",
    "host.json",
    "study/study.toml",
    "blocks/*/block.json",
    "blocks/*/1/result.json",
    "blocks/*/1/slices.parquet",
)
"""Patterns of files without which a bundle can be neither shown nor resumed."""


def needed_files(bundle: Path) -> list[str]:
    """Return the names of the needed files, one for each pattern."""
    return [str(min(bundle.glob(each)).relative_to(bundle)) for each in NEEDED]
