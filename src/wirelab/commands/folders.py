"""Folders that the user has named for the output of a command."""

from pathlib import Path

from wirelab.problems import Problem, ProblemsError


def create_folder(folder: Path) -> None:
    """Create a folder, unless it exists. Raises `ProblemsError` if that is not possible."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = f"cannot create the folder {folder}: {error.strerror}"
        hint = "give the name of a folder where you can write"
        raise ProblemsError([Problem.stated(what, hint)]) from None
