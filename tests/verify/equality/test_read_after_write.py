"""Writes in a domain without a reference: through one contender, read through all of them."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.compare.running import QUICK, wirelab
from tests.support.note_servers import NOTES, grpc_server, http, rest
from tests.support.wording import raises_worded
from tests.verify.equality.reports import Verified, verify_as_json, write_parameters
from wirelab.bundle import Bundle, ReadAfterWriteRecord
from wirelab.domain import Refused
from wirelab.inputs.problems import ProblemsError
from wirelab.terminal.exit_codes import ExitCode
from wirelab.verify.findings.equality_reasons import (
    NothingToRemember,
    NotReadAgain,
    NoValueRead,
    ReadsOtherwise,
    RefusesOtherwise,
)
from wirelab.verify.findings.finding_reasons import FindingReason

DOMAIN = """
name = "own"
title = "Own"
summary = "notes"
parameters = "parameters.ndjson"
one_backend = {one_backend}

[interface]
grpc = "notes.proto"

[operation.list]
summary = "the first notes"
effect = "read"
parameters = ["limit"]
rest = {{ method = "GET", path = "/notes?limit={{limit}}", answer = "/notes" }}
grpc = {{ method = "notes.Notes/List", message = {{ limit = "{{limit}}" }}, answer = "/notes" }}

[operation.read]
summary = "one note"
effect = "read"
parameters = ["id"]
rest = {{ method = "GET", path = "/notes/{{id}}" }}
grpc = {{ method = "notes.Notes/Read", message = {{ id = "{{id}}" }} }}

[operation.create]
summary = "a new note"
effect = "write"
parameters = ["note"]
rest = {{ method = "POST", path = "/notes", body = "{{note}}", status = 201 }}
grpc = {{ method = "notes.Notes/Create", message = {{ note = "{{note}}" }} }}

[operation.update]
summary = "replace a note"
effect = "write"
parameters = ["id", "note"]
rest = {{ method = "PUT", path = "/notes/{{id}}", body = "{{note}}" }}
grpc = {{ method = "notes.Notes/Update", message = {{ id = "{{id}}", note = "{{note}}" }} }}
"""
CREATE = """
[sequence.create]
summary = "read returns the data that create wrote"
steps = [
  { operation = "create", remember = { id = "/id" } },
  { operation = "read", parameters = { id = "{id}" } },
]
"""
UPDATE = """
[sequence.update]
summary = "read returns the data that update wrote"
steps = [
  { operation = "update", remember = { id = "/id" } },
  { operation = "read", parameters = { id = "{id}" } },
]
"""
SEQUENCES = {"create": CREATE, "update": UPDATE}
CONTENDERS = """
stack = "found"
title = "Servers that run already"

[contender.rest]
title = "REST"
protocol = "rest"
address = "http://{rest}"

[contender.grpc]
title = "gRPC"
protocol = "grpc"
address = "grpc://{grpc}"
"""
SHORT = 20


class Notes:
    """Notes on one list, as all sides of a backend have them."""

    def __init__(self) -> None:
        self.rows = {f"n{number}": note(number, id=f"n{number}") for number in range(8)}
        self.called: list[str] = []

    def call(self, operation: str, **given: Any) -> Any:
        """Do what the operation says; answers are copies."""
        self.called.append(operation)
        if operation == "list":
            return [self.read(name) for name in list(self.rows)[: given["limit"]]]
        if operation == "read":
            return self.read(given["id"])
        key = given.get("id", f"made {len(self.rows)}")
        if operation == "update":
            self.read(key)
        self.rows[key] = {**given["note"], "id": key}
        return deepcopy(self.rows[key])

    def read(self, key: str) -> dict[str, Any]:
        """Return one note."""
        if key not in self.rows:
            raise Refused("not_found")
        return deepcopy(self.rows[key])


class Side:
    """One side of a backend, with a fault in how it reads single notes."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes

    def call(self, operation: str, **given: Any) -> Any:
        """Pass everything on, but for reads."""
        if operation == "read":
            return self.read(given["id"])
        return self.notes.call(operation, **given)

    def read(self, key: str) -> dict[str, Any]:
        """Return one note, as it is."""
        return self.notes.read(key)


class Truncating(Side):
    """Reads a long title only in part, as a column that is too narrow does."""

    def read(self, key: str) -> dict[str, Any]:
        found = self.notes.read(key)
        return {**found, "title": found["title"][:SHORT]}


class Stale(Side):
    """Reads what it has read before, as a cache without expiry does."""

    def __init__(self, notes: Notes) -> None:
        super().__init__(notes)
        self.known: dict[str, dict[str, Any]] = {}

    def read(self, key: str) -> dict[str, Any]:
        return self.known.setdefault(key, self.notes.read(key))


class Separate(Side):
    """Has its own list, and no common backend."""

    def __init__(self, notes: Notes) -> None:
        super().__init__(Notes())


def note(number: int, **more: object) -> dict[str, Any]:
    """Return a note whose title is short."""
    return {"title": f"note {number}", "read_count": number, "pinned": False, "tags": ["a"], **more}


def written(number: int) -> dict[str, Any]:
    """Return a note whose title is long."""
    return note(number) | {"title": f"a title that is longer than {SHORT} characters: {number}"}


ROWS: list[tuple[str, dict[str, Any]]] = [
    *(("list", {"limit": n}) for n in range(1, 9)),
    *(("read", {"id": f"n{n}"}) for n in range(8)),
    *(("create", {"note": written(n)}) for n in range(12)),
    *(("update", {"id": f"n{n}", "note": written(n)}) for n in range(8)),
]
Make = Callable[[Notes], Any]


@contextmanager
def world(
    place: Path, sequences: str, grpc: Make = Side, *, one_backend: bool = True
) -> Iterator[tuple[Path, Notes]]:
    """Write a domain of a REST and a gRPC server that runs; yield its folder, and the backend."""
    notes = Notes()
    folder = place / "own"
    manifest = folder / "contenders" / "found"
    manifest.mkdir(parents=True)
    shutil.copy(NOTES / "notes.proto", folder)
    domain = DOMAIN.format(one_backend=str(one_backend).lower()) + sequences
    (folder / "domain.toml").write_text(domain)
    write_parameters(folder, *ROWS)
    with http(rest(notes)) as over_rest, grpc_server(grpc(notes)) as over_grpc:  # type: ignore[arg-type]
        addresses = {"rest": over_rest, "grpc": over_grpc}
        (manifest / "contender.toml").write_text(CONTENDERS.format(**addresses))
        yield folder, notes


def verified(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    *,
    allow_writes: bool = True,
    reset: str | None = None,
    scratch: bool = True,
) -> Verified:
    """Verify a domain with its writes."""
    return verify_as_json(folder, capsys, allow_writes=allow_writes, reset=reset, scratch=scratch)


def after(write: str, through: str) -> dict[str, Any]:
    """Return the facts of a finding in each read after a write."""
    return {"other": "rest", "times": 3, "reads": 3, "write": write, "through": through}


def test_two_sides_of_one_list_are_equal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with world(tmp_path, CREATE + UPDATE) as (folder, notes):
        done = verified(folder, capsys)

    assert (done.code, done.equal) == (ExitCode.OK, ["rest", "grpc"])
    assert "create, update" in done.messages
    assert NotReadAgain() not in [reason for *_, reason in done.remarks]
    assert {"create", "update"} <= set(notes.called)


@pytest.mark.parametrize(
    ("make", "write", "got"),
    [(Truncating, "create", written(0)["title"][:SHORT]), (Stale, "update", "note ")],
)
def test_a_side_that_reads_a_part_of_what_was_written_or_what_was_before_is_refused(
    make: Make, write: str, got: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with world(tmp_path, SEQUENCES[write], make) as (folder, _):
        done = verified(folder, capsys)

    assert (done.code, done.equal, done.refused) == (ExitCode.VERIFY_FAILED, ["rest"], ["grpc"])
    assert done.errors == [
        ("grpc", "read", "/title", ReadsOtherwise(**after(write, through)))
        for through in ("rest", "grpc")
    ]
    wrong = [str(each.got) for each in done.findings if each.severity == "error"]
    assert all(each.startswith(got) and len(each) <= SHORT for each in wrong)


def test_sides_with_separate_lists_are_not_one_backend(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with world(tmp_path, CREATE, Separate) as (folder, _):
        done = verified(folder, capsys)

    refuses = RefusesOtherwise(**after("create", "rest"), refusing="grpc", refusal="not_found")
    assert done.code == ExitCode.VERIFY_FAILED
    assert refuses in [reason for *_, reason in done.errors]


def test_a_write_that_no_sequence_reads_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with world(tmp_path, UPDATE) as (folder, _):
        done = verified(folder, capsys)

    assert done.code == ExitCode.OK
    for name in ("rest", "grpc"):
        assert (name, "create", "", NotReadAgain()) in done.remarks


@pytest.mark.parametrize(
    ("remember", "path", "reason"),
    [
        ("/key", "/key", NothingToRemember(sequence="create", name="id")),
        ("/title", "", NoValueRead(sequence="create")),
    ],
)
def test_a_sequence_that_reads_nothing_of_what_it_wrote_proves_nothing(
    remember: str,
    path: str,
    reason: FindingReason,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with world(tmp_path, CREATE.replace("/id", remember)) as (folder, _):
        done = verified(folder, capsys)

    assert done.code == ExitCode.VERIFY_FAILED
    assert ("rest", "create", path, reason) in done.errors


@pytest.mark.parametrize("one_backend", [True, False])
def test_nothing_is_written_without_permission_or_compared_without_one_backend(
    one_backend: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with world(tmp_path, CREATE, Truncating, one_backend=one_backend) as (folder, notes):
        done = verified(folder, capsys, allow_writes=not one_backend)

    assert done.code == ExitCode.OK
    assert ("create" in notes.called) is not one_backend


def test_the_data_are_restored_before_each_contender_writes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = tmp_path / "resets"
    with world(tmp_path, CREATE + UPDATE) as (folder, _):
        done = verified(folder, capsys, reset=f"echo once >> {journal}", scratch=False)

    assert done.code == ExitCode.OK
    assert f"`echo once >> {journal}`" in done.messages
    assert journal.read_text() == "once\n" * 3  # two contenders alone, then both together


def test_writing_needs_a_reset_and_a_domain_without_a_reference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with world(tmp_path, CREATE) as (folder, _), raises_worded(ProblemsError):
        verified(folder, capsys, scratch=False)
    with raises_worded(ProblemsError):
        verified(NOTES, capsys)


def test_a_comparison_that_may_write_refuses_such_a_side_as_well(tmp_path: Path) -> None:
    with world(tmp_path, CREATE, Truncating) as (folder, _):
        done = wirelab(
            *("compare", folder, "rest", "grpc", "--only", "create"),
            *("--allow-writes", "--scratch", "--output", "bundle", *QUICK),
            folder=tmp_path,
        )
    (row,) = Bundle.open(tmp_path / "bundle").equality

    assert done.returncode == ExitCode.VERIFY_FAILED, done.stderr
    assert "/title" in done.stdout
    assert [(it.written_through, it.differing, it.refused) for it in row.read_after] == [
        ("rest", 3, 0),
        ("grpc", 3, 0),
    ]


def test_the_bundle_records_what_was_read_after_each_write(tmp_path: Path) -> None:
    with world(tmp_path, CREATE) as (folder, _):
        done = wirelab(
            *("compare", folder, "rest", "grpc", "--only", "create"),
            *("--allow-writes", "--scratch", "--output", "bundle", *QUICK),
            folder=tmp_path,
        )
    assert done.returncode in (ExitCode.OK, ExitCode.CANNOT_TELL), done.stderr
    (row,) = Bundle.open(tmp_path / "bundle").equality

    assert row.read_after == tuple(
        ReadAfterWriteRecord(
            sequence="create",
            written_through=writer,
            read="read",
            contenders=("rest", "grpc"),
            writes=3,
            differing=0,
            refused=0,
        )
        for writer in ("rest", "grpc")
    )
