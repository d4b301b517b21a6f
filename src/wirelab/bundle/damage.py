"""Find the damaged files of a bundle before it is resumed, instead of after hours of measuring."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from wirelab.bundle import frames
from wirelab.bundle.contents import BLOCKS, Contents
from wirelab.inputs.problems import Problem, ProblemsError

FOLDERS = (BLOCKS, "logs", "pilot")
"""The folders that an execution writes to."""

RECORDS = (
    "contenders",
    "host",
    "qualification",
    "machines",
    "environments",
    "findings",
    "answers",
    "equality",
    "pilot_records",
    "wire_records",
    "call_records",
)
"""The properties of a bundle that read a file each, besides those that resuming reads first."""


def require_undamaged(bundle: Contents) -> None:
    """Raise `ProblemsError` with each file that a resumed study and its report cannot read.

    Samples are not read, since no report needs them.
    """
    problems = list(_damages(bundle))
    if problems:
        raise ProblemsError(problems)


def _damages(bundle: Contents) -> Iterator[Problem]:
    restore = "restore it from a copy of the bundle"
    for name in FOLDERS:
        path = bundle.path / name
        if path.exists() and not path.is_dir():
            yield Problem.stated(f"{path} is not a folder", restore)
    for name in RECORDS:
        yield from _damage(partial(getattr, bundle, name), restore)
    yield from _damage(bundle.events, restore)
    for folder in bundle.block_folders():
        hint = f"{restore}, or remove {folder}, so that its block is measured again"
        yield from _damage(partial(_read_block, bundle, folder), hint)


def _read_block(bundle: Contents, folder: Path) -> None:
    record = bundle.block_record(folder)
    frames.metrics(bundle.path, [record])
    frames.slices(bundle.path, [record])


def _damage(read: Callable[[], object], hint: str) -> Iterator[Problem]:
    """Yield the first problem of reading, with the remedy."""
    try:
        read()
    except ProblemsError as wrong:
        yield Problem.stated(str(replace(wrong.problems[0], hint="")), hint)
