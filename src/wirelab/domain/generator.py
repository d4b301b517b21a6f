"""Run the generator of a domain: each data set once, and never one that depends on chance."""

import hashlib
import json
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from wirelab import words
from wirelab.domain.canonical import canonical, difference
from wirelab.domain.columns import check_keys
from wirelab.domain.model import COUNT, Domain
from wirelab.domain.rows import DatasetError, checked_rows
from wirelab.guarded import run_guarded
from wirelab.programs import find_program
from wirelab.words import plural

REFERENCE = "docs/reference/domain-file.md"
OPTIONS = (COUNT, "--skip", "--seed", "--format", "--output")
"""The options of a generator, unless its size has another one."""
FEW = 16
"""Maximum number of rows to write again if there are none beyond those in the store."""
SMALL_BYTES = 4 * 2**20
"""Maximum size of rows that are written again if their number cannot be chosen."""


def generated(
    domain: Domain, records: int, seed: int, cache: Path, source: Path | None = None
) -> Path:
    """Return the folder with the files of a data set, in the cache folder.

    `source` is a file of real data from which the generator takes the rows (`--from`). Raises
    `DatasetError` if the generator fails, writes other lines than JSON objects or other rows when
    it is executed again, or does not skip rows, `ProblemsError` if two rows have one key,
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
    data, digest = domain.data, hashlib.sha256()
    digest.update(
        json.dumps([command[1:], data.tables, data.key, records, seed, data.extra]).encode()
    )
    for argument in command:
        file = domain.folder / argument
        if file.is_file():
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _generate(domain: Domain, command: list[str], records: int, folder: Path) -> None:
    if domain.data.size != COUNT:
        whole = [*command, domain.data.size, str(records)]
        for form in ("ndjson", "csv"):
            _write(domain, whole, folder, "", form)
        for table in domain.data.tables:
            (folder / f"{table}.new.ndjson").touch()
        check_keys(domain, folder, " ".join(whole))
        if sum(file.stat().st_size for file in folder.glob("*.ndjson")) <= SMALL_BYTES:
            _require_same_rows(domain, whole, folder, "")
        return
    for part, form, count, skip in (
        ("", "ndjson", records, 0),
        ("", "csv", records, 0),
        (".new", "ndjson", domain.data.extra, records),
    ):
        window = [*command, COUNT, str(count), "--skip", str(skip)]
        _write(domain, window, folder, part, form)
    check_keys(domain, folder, " ".join([*command, COUNT, str(records), "--skip", "0"]))
    for table in domain.data.tables:
        for _ in checked_rows(folder / f"{table}.new.ndjson", " ".join(window)):
            pass
    if any(file.stat().st_size for file in folder.glob("*.new.ndjson")):
        _require_same_rows(domain, window, folder, ".new")
        _require_skipped_rows(domain, window, folder)
    else:
        few = [*command, COUNT, str(min(records, FEW)), "--skip", "0"]
        with tempfile.TemporaryDirectory(prefix=".few-", dir=folder) as made:
            _write(domain, few, Path(made), "", "ndjson")
            _require_same_rows(domain, few, Path(made), "")
    first = domain.data.tables[0]
    with (folder / f"{first}.ndjson").open("rb") as lines:
        written = sum(1 for _ in lines)
    if written != records:
        raise DatasetError(
            f"{' '.join(command)} wrote {plural(written, 'row')} of {first} where"
            f" {words.whole(records)} are needed"
        )


def _write(domain: Domain, command: list[str], folder: Path, part: str, form: str) -> None:
    """Run the generator once for all tables; it writes the files <table><part>.<form>."""
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


def _require_skipped_rows(domain: Domain, command: list[str], folder: Path) -> None:
    """Raise `DatasetError` if the rows beyond those of the store are the first of the store."""
    first = domain.data.tables[0]
    with (
        (folder / f"{first}.ndjson").open(encoding="utf-8") as store,
        (folder / f"{first}.new.ndjson").open(encoding="utf-8") as beyond,
    ):
        pairs = list(zip(store, beyond, strict=False))
    if pairs and all(old == new for old, new in pairs):
        raise DatasetError(
            f"{' '.join(command)} ignores --skip: its first row of {first} is also the first row of"
            f" the store: {pairs[0][0].strip()[:200]}",
            "begin with the row after the skipped ones: with --skip 100, with row 101",
        )


def _require_same_rows(domain: Domain, command: list[str], folder: Path, part: str) -> None:
    """Write a few rows again. Raises `DatasetError` if they differ from <table><part>.ndjson.

    A store gets its rows from another execution of the generator than the reference, so a generator
    whose rows depend on chance would make every contender look wrong.
    """
    with tempfile.TemporaryDirectory(prefix=".repeating-", dir=folder) as repeated:
        _write(domain, command, Path(repeated), part, "ndjson")
        for table in domain.data.tables:
            name = f"{table}{part}.ndjson"
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
