"""Why a program that a file of the user names cannot be started."""

import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from wirelab.inputs.close_match import close_match, closest
from wirelab.inputs.problems import shown


@dataclass(frozen=True, slots=True)
class Unstartable:
    """What was expected of a program that cannot be started, and a hint, which may be ""."""

    expected: str
    hint: str = ""


def why_unstartable(
    program: str, folder: Path, search_path: str, written: str = ""
) -> Unstartable | None:
    """Return why a program cannot be started in a folder; None if it can be.

    A name without `/` is searched for in the folders of `search_path`. `written` is the program as
    the user has written it, if the path has been completed.
    """
    if os.sep in program:
        return _why_file(folder / program, written or program)
    folders = [folder / each for each in search_path.split(os.pathsep)]
    if path := shutil.which(program, path=os.pathsep.join(map(str, folders))):
        return _why_file(Path(path), program)
    beside = folder / program
    hint = close_match(program, _names(folders))
    if os.path.isfile(beside):
        hint = f"write './{program}' for {shown(beside)}"
    return Unstartable("a program on PATH", hint)


def interpreter(file: Path) -> Path | None:
    """Return the interpreter in the first line of a script; None for any other file."""
    with suppress(OSError), file.open("rb") as opened:
        mark, words = opened.read(2), opened.readline(1024).split()
        return Path(os.fsdecode(words[0])) if mark == b"#!" and words else None
    return None


def _why_file(file: Path, written: str) -> Unstartable | None:
    if not os.path.exists(file):
        similar = closest(file.name, _names([file.parent]))
        right = written.removesuffix(file.name) + similar
        hint = f"did you mean {right!r}?" if similar else ""
        return Unstartable(f"a program, but {shown(file)} does not exist", hint)
    if os.path.isdir(file):
        return Unstartable(f"a program, but {shown(file)} is a folder")
    if not os.access(file, os.X_OK):
        hint = f"execute `chmod +x {shown(file)}`, or write its interpreter before it"
        return Unstartable(f"a program, but {shown(file)} is not executable", hint)
    needed = interpreter(file)
    if needed is not None and needed.is_absolute() and not os.path.exists(needed):
        first_line = f"{needed}, the interpreter in the first line of {shown(file)}"
        return Unstartable(f"a program, but {first_line}, does not exist")
    return None


def _names(folders: Iterable[Path]) -> list[str]:
    """Return the names of the files in folders, as far as they can be read."""
    names: list[str] = []
    for folder in folders:
        with suppress(OSError):
            names += os.listdir(folder)
    return names
