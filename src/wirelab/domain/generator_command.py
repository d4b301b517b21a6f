"""The command of a domain's generator: find its program, run it, explain its failures."""

import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from wirelab.domain.model import COUNT, PYTHON, Data, Domain
from wirelab.domain.rows import DatasetError
from wirelab.inputs.problems import Problem, ProblemsError, shown
from wirelab.inputs.startable import why_unstartable
from wirelab.installation.guarded import run_guarded
from wirelab.installation.programs import find_program
from wirelab.terminal import words

REFERENCE = "docs/reference/domain-file.md"
OWN = "wirelab-data"
"""The generator that comes with wirelab."""
OPTIONS = (COUNT, "--skip", "--seed", "--format", "--output")
"""The options of a generator, unless its size has another one."""


def resolved(folder: Path, data: Data, key: Literal["generator", "queries"]) -> list[str]:
    """Return a command in `[data]` of a domain's folder, with the path of its program.

    Raises `ProblemsError` if there is no such program, and `MissingProgramError` if it is that of
    wirelab and not installed.
    """
    written, *arguments = getattr(data, key)
    program, search_path = written, os.environ.get("PATH", os.defpath)
    if written == PYTHON:
        program = sys.executable
    elif (folder / written).is_file():
        program = str((folder / written).resolve())
    elif written == OWN:
        program = str(find_program(written))
    else:
        search_path = os.pathsep.join((str(folder), str(Path(sys.executable).parent), search_path))
    if why := why_unstartable(program, folder, search_path, written):
        where = shown(folder / "domain.toml")
        raise ProblemsError([Problem(where, f"data.{key}.0", written, why.expected, why.hint)])
    if os.sep not in program:
        program = str(shutil.which(program, path=search_path))
    return [program, *arguments]


def write_rows(domain: Domain, command: list[str], folder: Path, part: str, form: str) -> None:
    """Run the generator once for all tables; it writes the files <table><part>.<form>.

    Raises `DatasetError` if it fails or does not write them.
    """
    tables = domain.data.tables
    with tempfile.TemporaryDirectory(prefix=".writing-", dir=folder) as folder_name:
        made = [Path(folder_name) / f"{table}.{form}" for table in tables]
        output = folder_name if domain.data.several else made[0]
        full = [*command, "--format", form, "--output", str(output)]
        done = run_guarded(full, cwd=domain.folder)
        end = done.stderr.strip()[-2000:]
        if done.returncode != 0:
            size = domain.data.size
            options = OPTIONS if size == COUNT else (size, *OPTIONS[2:])
            raise generator_error(full, done.returncode, end or "it printed no error", options)
        if missing := [file.name for file in made if not file.is_file()]:
            printed = f"; it printed: {end}" if end else ""
            raise DatasetError(
                f"{' '.join(full)} ended without an error, but did not write"
                f" {words.listed(missing)}{printed}",
                f"--output names a folder: write a file for each table into it, as TABLE.{form}"
                if domain.data.several
                else "write the rows to the file that --output names",
            )
        for table, file in zip(tables, made, strict=True):
            file.rename(folder / f"{table}{part}.{form}")


def generator_error(
    command: Sequence[str], code: int, end: str, options: Sequence[str]
) -> DatasetError:
    """Return the error of a generator that failed; `end` is that of its output.

    If it is about one of the options that wirelab adds, they are the hint.
    """
    hint = (
        f"make it accept the options {words.listed(options)}, which wirelab adds: see [data] in"
        f" {REFERENCE}"
        if any(option in end for option in options)
        else ""
    )
    return DatasetError(f"{' '.join(command)} failed with {code}: {end}", hint)
