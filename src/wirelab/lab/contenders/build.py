"""Build contenders, once for each content of the build's inputs."""

import os
import platform
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from uv import find_uv_bin

from wirelab.errors import MissingProgramError
from wirelab.inputs.close_match import close_matches
from wirelab.inputs.problems import Problem, ProblemsError, shown
from wirelab.installation.build_cache import build_once, complete_folder, content_hash
from wirelab.installation.guarded import run_guarded
from wirelab.lab.contenders import requirement
from wirelab.lab.contenders.building import run_step
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.contenders.named_programs import NamedProgram, programs_of_build, programs_of_start
from wirelab.lab.contenders.placeholder import fill
from wirelab.lab.errors import BuildError
from wirelab.terminal.words import first_few

VERSIONS_FILE = "versions.txt"
VERSION_LINE = re.compile(r"^(\S+?)(?:==|@|\s+)v?(\S+)$")
OWN_VARIABLES = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
"""Variables for the Python that runs wirelab, which must not affect another one."""


@dataclass(frozen=True, slots=True)
class BuiltContender:
    """A contender that is ready to be started."""

    contender: Contender
    folder: Path
    """The build folder, `{build}` in its commands."""
    versions: Mapping[str, str]
    """All packages of the build, with their versions."""

    def named_versions(self) -> dict[str, str]:
        """Return the versions of the packages that name the implementation in a report.

        Raises `BuildError` with all packages that the build does not have.
        """
        known = {_normal(name): version for name, version in self.versions.items()}
        chosen = self.contender.packages
        if missing := [name for name in chosen if _normal(name) not in known]:
            file = shown(self.contender.folder / "contender.toml")
            key = f"contender.{self.contender.variant_of or self.contender.id}.packages"
            raise BuildError(
                f"{file}: {key}: the command build.versions printed no version of"
                f" {', '.join(missing)}",
                close_matches(missing, self.versions)
                or f"it printed {first_few(sorted(self.versions), 12) or 'no versions'}",
            )
        return {name: known[_normal(name)] for name in chosen}


def build(contender: Contender, log_path: Path) -> BuiltContender:
    """Build a contender, unless it has been built. `log_path`: the file for the commands' output.

    Raises `MissingProgramError` if a required program, or the address of an external server, is
    missing (the contender is then skipped with this reason), and `BuildError` if a command fails,
    or if its program does not exist.
    """
    if contender.address is not None and not contender.written_address():
        raise MissingProgramError(
            f"{contender.id} is an external server, and its address {contender.address} is not set",
            f"set {contender.address} to SCHEME://HOST:PORT",
        )
    if unmet := contender.unmet_requirements():
        raise MissingProgramError(
            f"{contender.id} cannot run: {'; '.join(unmet.values())}",
            f"install {' and '.join(map(requirement.remedy, unmet))}",
        )
    folder = build_once(*_identity(contender), partial(_make, contender, log_path))
    return BuiltContender(contender, folder, read_versions(folder))


def require_programs(contenders: Iterable[Contender]) -> list[str]:
    """Check the programs of contenders that run natively, before anything is built or started.

    Returns the missing programs that a build may still install. Raises `ProblemsError` with all
    others. Contenders that will be skipped are left out.
    """
    certain: dict[Problem, None] = {}
    uncertain: dict[Problem, None] = {}
    for contender in contenders:
        if contender.unmet_requirements() or not (contender.command or contender.written_address()):
            continue
        built = complete_folder(*_identity(contender))
        needed = () if built else programs_of_build(contender)
        for program in (*needed, *programs_of_start(contender)):
            if problem := program.problem(built):
                is_final = built or not program.after_build
                (certain if is_final else uncertain)[problem] = None
    if certain:
        raise ProblemsError(certain)
    return [f"{problem}, unless the build installs it" for problem in uncertain]


def _identity(contender: Contender) -> tuple[str, str]:
    """Return the name and the key of a contender's build.

    A build is valid only for the machine, the Python and the programs that it was made with.
    """
    python = f"{sys.executable} {platform.python_version()} {platform.machine()}"
    programs = sorted(
        filter(None, {requirement.version(program) for program in contender.requires})
    )
    key = content_hash(contender.input_paths(), python, *programs, repr(contender.build))
    return f"{contender.domain}-{contender.stack}", key


def read_versions(folder: Path) -> dict[str, str]:
    """Read all packages and versions from a build's output."""
    lines = (folder / VERSIONS_FILE).read_text().splitlines()
    matches = filter(None, (VERSION_LINE.match(line.strip()) for line in lines))
    return {match[1]: match[2] for match in matches}


def _make(contender: Contender, log_path: Path, folder: Path) -> None:
    values = {
        "python": sys.executable,
        "uv": find_uv_bin(),
        "build": folder,
        "folder": contender.folder,
        "cores": len(os.sched_getaffinity(0)),
    }
    inherited = {name: value for name, value in os.environ.items() if name not in OWN_VARIABLES}
    declared = contender.build.environment
    environment = inherited | dict(zip(declared, fill(declared.values(), values), strict=True))
    what = f"building {contender.stack}"
    programs = programs_of_build(contender)
    for command in contender.build.commands:
        _require(next(programs), folder)
        run_step(
            fill(command, values),
            what=what,
            log_path=log_path,
            cwd=contender.folder,
            environment=environment,
        )
    versions = ""
    if contender.build.versions:
        _require(next(programs), folder)
        versions_command = fill(contender.build.versions, values)
        answer = run_guarded(versions_command, cwd=contender.folder, environment=environment)
        if answer.returncode != 0:
            raise BuildError(
                f"{what}: `{' '.join(versions_command)}` failed: {answer.stderr.strip()}"
            )
        versions = answer.stdout
    (folder / VERSIONS_FILE).write_text(versions)


def _require(program: NamedProgram, build_folder: Path) -> None:
    if problem := program.problem(build_folder):
        raise BuildError(str(problem))


def _normal(name: str) -> str:
    """Return a package's normalised name: Flask_Sock is flask-sock."""
    return re.sub(r"[-_.]+", "-", name).lower()
