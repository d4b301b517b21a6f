"""Find the programs that the commands of contender.toml begin with.

A build may make or install the program of a later command: whether that one exists is known only
after the build. Programs behind a wrapper, as in `env A=b PROGRAM`, are not checked.
"""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from uv import find_uv_bin

from wirelab.close_match import close_match, closest
from wirelab.lab.account import interpreter
from wirelab.lab.contender import Contender
from wirelab.lab.placeholder import fill, unknown_placeholders
from wirelab.problems import Problem, shown

BUILD = "{build}"
INSTALL = "install it, or add it to requires, which skips contenders on machines without it"


@dataclass(frozen=True, slots=True)
class NamedProgram:
    """The program of one command in contender.toml."""

    contender: Contender
    key: str
    word: str
    """The program as it is written."""
    folder: Path
    """The folder in which the command runs."""
    search_path: str
    """The value of PATH, which may contain placeholders."""
    after_build: bool
    """Whether build commands come before it, which may make it."""

    def problem(self, build: Path | None = None) -> Problem | None:
        """Return why it cannot be started; None if it can be, or if that is not known yet.

        `build` is the folder of the build; None before it.
        """
        values: dict[str, object] = {
            "python": sys.executable,
            "uv": find_uv_bin(),
            "folder": self.contender.folder,
        }
        if build is not None:
            values["build"] = build
        elif BUILD in self.word and not self.after_build:
            return self._wrong(f"a program, but {BUILD} is empty: [build] has no commands")
        if unknown_placeholders((self.word, self.search_path), values):
            return None
        program, search_path = fill((self.word, self.search_path), values)
        if os.sep in program:
            return self._wrong_file(self.folder / program)
        folders = [self.folder / each for each in search_path.split(os.pathsep)]
        found = shutil.which(program, path=os.pathsep.join(map(str, folders)))
        return self._not_on_path(program, folders) if found is None else self._wrong_file(found)

    def _wrong_file(self, file: Path | str) -> Problem | None:
        file = Path(file)
        if not os.path.exists(file):
            similar = closest(file.name, _names([file.parent]))
            written = self.word.removesuffix(file.name) + similar
            hint = f"did you mean {written!r}?" if similar else ""
            return self._wrong(f"a program, but {shown(file)} does not exist", hint)
        if os.path.isdir(file):
            return self._wrong(f"a program, but {shown(file)} is a folder")
        if not os.access(file, os.X_OK):
            hint = f"execute `chmod +x {shown(file)}`, or write its interpreter before it"
            return self._wrong(f"a program, but {shown(file)} is not executable", hint)
        needed = interpreter(file)
        if needed is not None and needed.is_absolute() and not os.path.exists(needed):
            return self._wrong(
                f"a program, but {needed}, the interpreter in the first line of {shown(file)}, does"
                " not exist"
            )
        return None

    def _not_on_path(self, program: str, folders: Iterable[Path]) -> Problem:
        beside = self.folder / program
        hint = close_match(program, _names(folders)) or INSTALL
        if os.path.isfile(beside):
            hint = f"write './{program}' for {shown(beside)}"
        return self._wrong("a program on PATH", hint)

    def _wrong(self, expected: str, hint: str = "") -> Problem:
        where = shown(self.contender.folder / "contender.toml")
        return Problem(where, self.key, self.word, expected, hint)


def programs_of_build(contender: Contender) -> Iterator[NamedProgram]:
    """Yield the programs of the build commands, then that of `versions`, if there is one."""
    path, build = os.environ.get("PATH", os.defpath), contender.build
    commands = {f"commands.{number}": each for number, each in enumerate(build.commands)}
    for number, (key, command) in enumerate({**commands, "versions": build.versions}.items()):
        if command:
            yield NamedProgram(
                contender, f"build.{key}", command[0], contender.folder, path, number > 0
            )


def programs_of_start(contender: Contender) -> Iterator[NamedProgram]:
    """Yield the programs of a contender and of its services; none of an external server."""
    base = f"contender.{contender.variant_of or contender.id}.command"
    commands = {base: (contender.command, contender.environment)}
    if contender.services:
        commands = {
            f"contender.{contender.id}.service.{name}.command" if service.command else base: (
                service.command or contender.command,
                {**contender.environment, **service.environment},
            )
            for name, service in contender.services.items()
        }
    for key, (command, environment) in commands.items():
        if command:
            yield NamedProgram(
                contender,
                key,
                command[0],
                contender.working_folder or contender.folder,
                environment.get("PATH", os.environ.get("PATH", os.defpath)),
                after_build=bool(contender.build.commands),
            )


def _names(folders: Iterable[Path]) -> list[str]:
    """Return the names of the files in folders, as far as they can be read."""
    found: list[str] = []
    for folder in folders:
        with suppress(OSError):
            found += os.listdir(folder)
    return found
