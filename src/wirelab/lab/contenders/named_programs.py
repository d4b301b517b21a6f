"""The programs, and the scripts for them, that the commands of contender.toml name.

A build may make or install the program of a later command: whether that one exists is known only
after the build. Programs behind a wrapper, as in `env A=b PROGRAM`, are not checked.
"""

import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from uv import find_uv_bin

from wirelab.inputs.close_match import close_match
from wirelab.inputs.problems import Problem, shown
from wirelab.inputs.startable import why_unstartable
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.contenders.placeholder import fill, unknown_placeholders

BUILD = "{build}"
_INTERPRETER = re.compile(r"\{python\}|python[\d.]*|node")
_SCRIPT = re.compile(r"[\w./-]*\.(?:py|[cm]?js)")
_FLAGS = {"-u", "-B", "-E", "-I", "-O", "-P", "-s"}
"""Options of Python without a value."""
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
    script: tuple[int, str] | None
    """The script that an interpreter gets, with its position in the command; None without one."""
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
            expected = f"a program, but {BUILD} is empty: [build] has no commands"
            return self._wrong(self.key, self.word, expected)
        if unknown_placeholders((self.word, self.search_path), values):
            return None
        program, search_path = fill((self.word, self.search_path), values)
        why = why_unstartable(program, self.folder, search_path, self.word)
        if why is None:
            return self._missing_script()
        hint = why.hint or (INSTALL if os.sep not in program else "")
        return self._wrong(self.key, self.word, why.expected, hint)

    def _missing_script(self) -> Problem | None:
        if self.script is None:
            return None
        position, script = self.script
        file = self.folder / script
        if os.path.isfile(file):
            return None
        similar = close_match(script, (entry.name for entry in self.folder.glob("*")))
        expected = f"a file, but {shown(file)} does not exist"
        return self._wrong(f"{self.key}.{position}", script, expected, similar)

    def _wrong(self, key: str, word: str, expected: str, hint: str = "") -> Problem:
        where = shown(self.contender.folder / "contender.toml")
        return Problem(where, key, word, expected, hint)


def programs_of_build(contender: Contender) -> Iterator[NamedProgram]:
    """Yield the programs of the build commands, then that of `versions`, if there is one."""
    build = contender.build
    path = build.environment.get("PATH", os.environ.get("PATH", os.defpath))
    commands = {f"commands.{number}": each for number, each in enumerate(build.commands)}
    for number, (key, command) in enumerate({**commands, "versions": build.versions}.items()):
        if command:
            yield NamedProgram(
                contender,
                f"build.{key}",
                command[0],
                contender.folder,
                _script(command),
                path,
                after_build=number > 0,
            )


def _script(command: Sequence[str]) -> tuple[int, str] | None:
    """Return the script that Python or Node.js would run, unless a placeholder is in its path."""
    if not _INTERPRETER.fullmatch(Path(command[0]).name):
        return None
    words = enumerate(command[1:], start=1)
    position, word = next((word for word in words if word[1] not in _FLAGS), (0, ""))
    return (position, word) if _SCRIPT.fullmatch(word) else None


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
                _script(command),
                environment.get("PATH", os.environ.get("PATH", os.defpath)),
                after_build=bool(contender.build.commands),
            )
