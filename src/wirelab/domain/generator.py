"""Run the generator of a domain: each data set once, and never one that depends on chance."""

import hashlib
import json
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from wirelab.domain.canonical import canonical, difference
from wirelab.domain.model import COUNT, Domain
from wirelab.errors import CommandError
from wirelab.guarded import run_guarded
from wirelab.programs import find_program
from wirelab.words import plural


class DatasetError(CommandError):
    """Rows cannot be generated, or an operation lacks rows; the text says what to change."""


def generated(
    domain: Domain, records: int, seed: int, cache: Path, source: Path | None = None
) -> Path:
    """Return the folder with the files of a data set, in the cache folder.

    `source` is a file of real data from which the generator takes the rows (`--from`). Raises
    `DatasetError` if the generator fails or writes other rows when it is executed again,
    `MissingProgramError` if it is missing.
    """
    command = resolved(domain.folder, domain.data.generator)
    if source is not None:
        command += ["--from", str(source.resolve())]
    folder = cache.resolve() / "data" / f"{domain.name}-{_digest(domain, command, records, seed)}"
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=".making-", dir=folder.parent))
        try:
            _generate(domain, [*command, "--seed", str(seed)], records, made)
            made.rename(folder)
        except OSError:
            if not folder.is_dir():  # Otherwise another process has made the same rows.
                raise
        finally:
            shutil.rmtree(made, ignore_errors=True)
    return folder


def resolved(folder: Path, written: Sequence[str]) -> list[str]:
    """Return a command of domain.toml with the path of its program resolved."""
    program, *arguments = written
    own = folder / program
    if program == "{python}":
        program = sys.executable
    elif own.is_file():
        program = str(own.resolve())
    else:
        program = str(find_program(program))
    return [program, *arguments]


def _digest(domain: Domain, command: list[str], records: int, seed: int) -> str:
    """Return a name for what is generated, from the program, its input files and its numbers."""
    digest = hashlib.sha256()
    digest.update(
        json.dumps([command[1:], domain.data.tables, records, seed, domain.data.extra]).encode()
    )
    for argument in command:
        file = domain.folder / argument
        if file.is_file():
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _generate(domain: Domain, command: list[str], records: int, folder: Path) -> None:
    if domain.data.size != COUNT:
        for form in ("ndjson", "csv"):
            _write(domain, [*command, domain.data.size, str(records)], folder, "", form)
        for table in domain.data.tables:
            (folder / f"{table}.new.ndjson").touch()
        return
    for part, form, count, skip in (
        ("", "ndjson", records, 0),
        ("", "csv", records, 0),
        (".new", "ndjson", domain.data.extra, records),
    ):
        window = [*command, COUNT, str(count), "--skip", str(skip)]
        _write(domain, window, folder, part, form)
    _require_same_rows(domain, window, folder)
    first = domain.data.tables[0]
    with (folder / f"{first}.ndjson").open("rb") as lines:
        written = sum(1 for _ in lines)
    if written != records:
        raise DatasetError(
            f"{' '.join(command)} wrote {plural(written, 'row')} of {first} where {records} are"
            " needed"
        )


def _write(domain: Domain, command: list[str], folder: Path, part: str, form: str) -> None:
    """Run the generator once for all tables; it writes the files <table><part>.<form>."""
    tables = domain.data.tables
    with tempfile.TemporaryDirectory(prefix=".writing-", dir=folder) as folder_name:
        made = [Path(folder_name) / f"{table}.{form}" for table in tables]
        output = folder_name if domain.data.several else made[0]
        full = [*command, "--format", form, "--output", str(output)]
        done = run_guarded(full, cwd=domain.folder)
        missing = [file.name for file in made if not file.is_file()]
        if done.returncode != 0 or missing:
            end = done.stderr.strip()[-2000:] or f"it did not write {', '.join(missing)}"
            raise DatasetError(f"{' '.join(full)} failed with {done.returncode}: {end}")
        for table, file in zip(tables, made, strict=True):
            file.rename(folder / f"{table}{part}.{form}")


def _require_same_rows(domain: Domain, command: list[str], folder: Path) -> None:
    """Write the few rows beyond those of the store again. Raises `DatasetError` if they differ.

    A store gets its rows from another execution of the generator than the reference, so a generator
    whose rows depend on chance would make every contender look wrong.
    """
    with tempfile.TemporaryDirectory(prefix=".repeating-", dir=folder) as repeated:
        _write(domain, command, Path(repeated), ".new", "ndjson")
        for table in domain.data.tables:
            name = f"{table}.new.ndjson"
            rows = [
                (where / name).read_text(encoding="utf-8").split("\n")
                for where in (folder, Path(repeated))
            ]
            for number, (once, again) in enumerate(zip(*rows, strict=False), start=1):
                if once != again:
                    raise DatasetError(
                        f"{' '.join(command)} writes different rows each time: line {number} of"
                        f" {table} {_changed(once, again)}",
                        "derive every value of a row from --seed and from the row's number, so that"
                        " the same arguments always produce the same bytes",
                    )


def _changed(once: str, again: str) -> str:
    """Say which value of a row changed; a row that only one execution wrote is empty here."""
    if not once or not again:
        return "was written only once"
    try:
        found = difference(canonical(json.loads(once)), canonical(json.loads(again)))
    except ValueError:
        return f"is {once[:200]} once, and {again[:200]} again"
    if found is None:
        return "has the same values, written in another way"
    return f"has {found.path or '/'} = {found.expected!r} once, and {found.got!r} again"
