"""Run the generator of a domain: each data set once, and never one that depends on chance."""

import filecmp
import hashlib
import json
import shutil
import tempfile
from itertools import zip_longest
from pathlib import Path

from wirelab.domain.canonical import canonical, difference
from wirelab.domain.check_rows import check_keys
from wirelab.domain.generator_command import resolved, write_rows
from wirelab.domain.model import COUNT, Domain
from wirelab.domain.rows import DatasetError, checked_rows
from wirelab.terminal import words
from wirelab.terminal.words import plural

FEW = 16
"""Maximum number of rows to write again if there are none beyond those in the store."""
SAME_FOR_ALL_SEEDS = "same-for-all-seeds"
"""An empty file in the folder of a data set whose generator ignores the seed."""


def generated(
    domain: Domain, records: int, seed: int, cache: Path, source: Path | None = None
) -> Path:
    """Return the folder with the files of a data set, in the cache folder.

    `source` is a file of real data from which the generator takes the rows (`--from`). Raises
    `DatasetError` if the generator fails, writes other lines than JSON objects or other rows when
    it is executed again, or does not skip rows, `ProblemsError` if two rows have one key,
    `MissingProgramError` if it is missing.
    """
    command = resolved(domain.folder, domain.data, "generator")
    if source is not None:
        command += ["--from", str(source.resolve())]
    folder = cache.resolve() / "data" / f"{domain.name}-{_digest(domain, command, records, seed)}"
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=".making-", dir=folder.parent))
        try:
            seeded = [*command, "--seed", str(seed)]
            another = [] if source else [*command, "--seed", str(seed + 1)]
            _generate(domain, seeded, records, made, another)
            made.rename(folder)
        except OSError:
            if not folder.is_dir():  # Otherwise another process has made the same rows.
                raise
        finally:
            shutil.rmtree(made, ignore_errors=True)
    return folder


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


def _generate(
    domain: Domain, command: list[str], records: int, folder: Path, another: list[str]
) -> None:
    """Write the files of a data set, and check the generator by a sample of the rows.

    `another` is the command with another seed; empty if the rows need not depend on the seed.
    """
    counted = domain.data.size == COUNT
    window = [domain.data.size, str(records), *(("--skip", "0") if counted else ())]
    beyond = [COUNT, str(domain.data.extra), "--skip", str(records)]
    for form in ("ndjson", "csv"):
        write_rows(domain, [*command, *window], folder, "", form)
    if counted:
        write_rows(domain, [*command, *beyond], folder, ".new", "ndjson")
    else:
        for table in domain.data.tables:
            (folder / f"{table}.new.ndjson").touch()
    check_keys(domain, folder, " ".join([*command, *window]))
    for table in domain.data.tables:
        for _ in checked_rows(folder / f"{table}.new.ndjson", " ".join([*command, *beyond])):
            pass
    sample, part = _few(domain, records), ""
    if any(file.stat().st_size for file in folder.glob("*.new.ndjson")):
        sample, part = beyond, ".new"
    with tempfile.TemporaryDirectory(prefix=".sample-", dir=folder) as made:
        rows = folder if sample in (window, beyond) else Path(made)
        if rows != folder:
            write_rows(domain, [*command, *sample], rows, part, "ndjson")
        _require_same_rows(domain, [*command, *sample], rows, part)
        if another and _are_same_rows(domain, [*another, *sample], rows, part):
            (folder / SAME_FOR_ALL_SEEDS).touch()
    if part:
        _require_skipped_rows(domain, [*command, *beyond], folder)
    if counted:
        _require_number(domain, command, records, folder)


def _few(domain: Domain, records: int) -> list[str]:
    """Return the options for a few rows; a size must be that of a state, to be valid."""
    if domain.data.size == COUNT:
        return [COUNT, str(min(records, FEW)), "--skip", "0"]
    sizes = [state.records for state in domain.states.values() if 0 < state.records < records]
    return [domain.data.size, str(min(sizes, default=records))]


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


def _require_number(domain: Domain, command: list[str], records: int, folder: Path) -> None:
    """Raise `DatasetError` if the first table has not as many rows as were requested."""
    first = domain.data.tables[0]
    with (folder / f"{first}.ndjson").open("rb") as lines:
        written = sum(1 for _ in lines)
    if written != records:
        raise DatasetError(
            f"{' '.join(command)} wrote {plural(written, 'row')} of {first} where"
            f" {words.whole(records)} are needed"
        )


def _require_same_rows(domain: Domain, command: list[str], folder: Path, part: str) -> None:
    """Write a few rows again. Raises `DatasetError` if they differ from <table><part>.ndjson.

    A store gets its rows from another execution of the generator than the reference, so a generator
    whose rows depend on chance would make every contender look wrong.
    """
    with tempfile.TemporaryDirectory(prefix=".repeating-", dir=folder) as repeated:
        write_rows(domain, command, Path(repeated), part, "ndjson")
        for table in domain.data.tables:
            name = f"{table}{part}.ndjson"
            with (
                (folder / name).open(encoding="utf-8") as first,
                (Path(repeated) / name).open(encoding="utf-8") as second,
            ):
                pairs = enumerate(zip_longest(first, second, fillvalue=""), start=1)
                for number, (once, again) in pairs:
                    if once != again:
                        raise DatasetError(
                            f"{' '.join(command)} writes different rows each time: line {number} of"
                            f" {table} {_changed(once.strip(), again.strip())}",
                            "derive every value of a row from --seed and from the row's number, so"
                            " that the same arguments always produce the same bytes",
                        )


def _are_same_rows(domain: Domain, command: list[str], folder: Path, part: str) -> bool:
    """Return whether the command writes the rows that are in <table><part>.ndjson, if any.

    A generator that refuses the command's seed does not ignore it.
    """
    names = [f"{table}{part}.ndjson" for table in domain.data.tables]
    with tempfile.TemporaryDirectory(prefix=".comparing-", dir=folder) as compared:
        try:
            write_rows(domain, command, Path(compared), part, "ndjson")
        except DatasetError:
            return False
        return any((folder / name).stat().st_size for name in names) and all(
            filecmp.cmp(folder / name, Path(compared) / name, shallow=False) for name in names
        )


def _changed(once: str, again: str) -> str:
    """Say which value of a row changed; a row that only one execution wrote is empty here."""
    if not once or not again:
        return "was written only once"
    try:
        differing = difference(canonical(json.loads(once)), canonical(json.loads(again)))
    except ValueError:
        return f"is {once[:200]} once, and {again[:200]} again"
    if differing is None:
        return "has the same values, written in another way"
    return f"has {differing.path or '/'} = {differing.expected!r} once, and {differing.got!r} again"
