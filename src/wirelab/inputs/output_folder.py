"""Folders that the user has named for the output of a command."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from wirelab.inputs.problems import Problem, ProblemsError


def create_folder(folder: Path) -> None:
    """Create a folder, unless it exists. Raises `ProblemsError` if that is not possible."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = f"cannot create the folder {folder}: {error.strerror}"
        hint = "give the name of a folder where you can write"
        raise ProblemsError([Problem.stated(what, hint)]) from None


@contextmanager
def created_folder(folder: Path) -> Iterator[None]:
    """Create a folder as `create_folder` does; if the block fails, remove what was created.

    A failed attempt thus leaves no files that prevent the next.
    """
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        create_folder(folder)
        yield
    except BaseException:
        if folder in missing:
            shutil.rmtree(folder, ignore_errors=True)
        for parent in missing:
            with suppress(OSError):  # it is gone, or something else was put there meanwhile
                parent.rmdir()
        raise
