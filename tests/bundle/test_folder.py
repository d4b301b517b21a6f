"""The results folder is written once, whole or absent, and detects changes."""

import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.bundles.reasons import BUSY
from tests.support.bundles.samples import create, record_of, schedule_of, sealed_bundle
from tests.support.requests import problems_of
from tests.support.wording import assert_worded, raises_worded
from wirelab.bundle import BlockRecord, Bundle, default_folder
from wirelab.bundle.redaction import redacted
from wirelab.bundle.run_reasons import Failed
from wirelab.errors import Failure
from wirelab.inputs.problems import ProblemsError
from wirelab.lab import credentials

DEEP = b"[" * 100_000 + b"]" * 100_000
"""JSON that is nested too deeply for Python."""


@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
    """A new one of one block."""
    return create(tmp_path / "bundle", blocks=1)


def test_a_new_bundle_contains_the_plan(tmp_path: Path) -> None:
    bundle = create(tmp_path / "bundle", blocks=3)

    assert bundle.info.status == "planned"
    assert [block.id for block in bundle.schedule.blocks] == ["block-1", "block-2", "block-3"]
    assert bundle.contenders["rest-flask"].versions == {"native": {"flask": "3.1.0"}}
    assert (bundle.study_folder / "study.toml").read_text() == "id = 'sample'\n"
    assert (bundle.domain_folder / "contenders" / "python" / "contender.toml").is_file()
    assert bundle.findings == []
    assert bundle.runs().empty


def test_a_folder_with_content_is_never_written_to(tmp_path: Path) -> None:
    (tmp_path / "precious.txt").write_text("mine")

    with pytest.raises(ProblemsError, match="choose another name"):
        create(tmp_path, blocks=1)

    assert [path.name for path in tmp_path.iterdir()] == ["precious.txt"]


def test_a_failed_creation_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        create(tmp_path / "bundle", blocks=1, study_files={"study.toml": tmp_path / "absent"})

    assert list(tmp_path.iterdir()) == []


def test_a_block_counts_only_when_it_is_recorded(tmp_path: Path) -> None:
    bundle = create(tmp_path / "bundle", blocks=2)
    (bundle.partial_block("block-1") / "engine.log").write_text("half")

    assert bundle.finished_block_ids() == set()

    folder = bundle.record_block(record_of(bundle.schedule.blocks[0]))

    assert bundle.finished_block_ids() == {"block-1"}
    assert bundle.schedule.remaining(bundle.finished_block_ids()) == bundle.schedule.blocks[1:]
    assert (folder / "engine.log").read_text() == "half"


def test_a_block_is_written_once_and_a_second_attempt_has_its_own_folder(bundle: Bundle) -> None:
    first = record_of(bundle.schedule.blocks[0], status="invalid", reasons=(BUSY,))
    bundle.record_block(first)

    with pytest.raises(FileExistsError):
        bundle.record_block(first)
    bundle.record_block(record_of(bundle.schedule.blocks[0], attempt=2))

    frame = bundle.runs()
    assert list(frame["status"]) == ["invalid", "valid"]
    assert list(frame["attempt"]) == [1, 2]
    assert {path.name for path in (bundle.path / "blocks").iterdir()} == {
        "block-1",
        "block-1.attempt-2",
    }
    assert bundle.finished_block_ids() == {"block-1"}
    assert [record.attempt for record in bundle.last_attempts()] == [2]


def test_attempts_are_put_in_order_as_numbers(tmp_path: Path) -> None:
    bundle = create(tmp_path / "bundle", blocks=12)
    for block in reversed(bundle.schedule.blocks):
        bundle.record_block(record_of(block))

    assert [record.block.number for record in bundle.block_records()] == list(range(1, 13))


def test_facts_of_environments_are_kept_by_level(bundle: Bundle) -> None:
    assert bundle.environments == {}

    bundle.write_environments({"container": {"engine": "Docker 20.10.24"}})

    assert bundle.environments == {"container": {"engine": "Docker 20.10.24"}}


def test_resuming_removes_unfinished_work(tmp_path: Path) -> None:
    with create(tmp_path / "bundle", blocks=2) as bundle:
        bundle.record_block(record_of(bundle.schedule.blocks[0]))
        (bundle.partial_block("block-2") / "samples.parquet").write_bytes(b"torn")
        bundle.seal("interrupted")

    with Bundle.resume(tmp_path / "bundle") as resumed:
        resumed.unseal()
        assert resumed.finished_block_ids() == {"block-1"}
        assert not list(resumed.path.rglob(".partial-*"))
        assert resumed.digest is None


def test_a_longer_schedule_replaces_the_first(tmp_path: Path) -> None:
    bundle = create(tmp_path / "bundle", blocks=2)
    bundle.record_block(record_of(bundle.schedule.blocks[0]))

    bundle.write_schedule(schedule_of(4))

    left = bundle.schedule.remaining(bundle.finished_block_ids())
    assert [block.id for block in left] == ["block-2", "block-3", "block-4"]


def test_two_writers_cannot_open_one_bundle(bundle: Bundle) -> None:
    with raises_worded(ProblemsError):
        Bundle.resume(bundle.path)

    bundle.close()
    Bundle.resume(bundle.path).close()


def test_events_survive_a_torn_line(bundle: Bundle) -> None:
    bundle.append_event("started", block="block-1")
    with (bundle.path / "events.jsonl").open("ab") as file:
        file.write(DEEP + b'\n{"at_utc": "2026-')
    bundle.append_event("resumed")

    assert [event["event"] for event in bundle.events()] == ["started", "resumed"]


@pytest.mark.parametrize(
    ("content", "key"),
    [("{", ""), (json.dumps({"format": "wirelab-bundle/3", "seed": "x"}), "seed")],
)
def test_a_broken_bundle_is_named_with_file_and_key(tmp_path: Path, content: str, key: str) -> None:
    file = tmp_path / "bundle.json"
    file.write_text(content)

    problems = problems_of(Bundle.open, tmp_path)

    assert (str(file), key) in [(problem.where, problem.key) for problem in problems]


@pytest.mark.parametrize("found", ["wirelab-bundle/2", "wirelab-bundle/9"])
def test_a_bundle_in_another_format_is_refused_whatever_else_it_contains(
    tmp_path: Path, found: str
) -> None:
    (tmp_path / "bundle.json").write_text(json.dumps({"format": found, "key_of_old": 1}))

    (problem,) = problems_of(Bundle.open, tmp_path)

    assert (problem.key, problem.value) == ("format", found)
    assert_worded(problem)


def test_the_error_without_a_bundle_states_what_to_give(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    for name in ("", "none", "file"):
        with raises_worded(ProblemsError):
            Bundle.open(tmp_path / name)


def test_json_that_is_nested_too_deeply_is_refused(bundle: Bundle) -> None:
    (bundle.path / "host.json").write_bytes(b'{"\\u001b": ' + DEEP + b"}")

    with raises_worded(ProblemsError):
        _ = bundle.host


@pytest.mark.parametrize("field", ["block", "run"])
def test_an_id_cannot_lead_out_of_the_bundle(field: str) -> None:
    good = record_of(schedule_of(1).blocks[0]).model_dump(mode="json")
    BlockRecord.model_validate(good)

    evil = good["block"] if field == "block" else good["runs"][0]["run"]
    evil["id"] = "../../elsewhere"

    with raises_worded(ValueError):
        BlockRecord.model_validate(good)


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("report", lambda path: path.symlink_to("/tmp")),
        ("host.json", os.mkfifo),
        ("bundle.json", os.mkfifo),
    ],
    ids=["link", "pipe", "first file"],
)
def test_a_bundle_with_symbolic_links_or_pipes_that_would_block_its_readers_is_refused(
    tmp_path: Path, name: str, spoil: Callable[[Path], None]
) -> None:
    bundle = sealed_bundle(tmp_path / "bundle")
    (bundle.path / name).unlink(missing_ok=True)
    spoil(bundle.path / name)

    with raises_worded(ProblemsError):
        Bundle.open(bundle.path)


@pytest.mark.parametrize("run_id", ["x/../../../tmp/y", "..", "/etc/passwd", ""])
def test_a_schedule_whose_ids_lead_out_of_the_bundle_is_refused(
    bundle: Bundle, run_id: str
) -> None:
    path = bundle.path / "schedule.json"
    schedule = json.loads(path.read_text())
    schedule["blocks"][0]["runs"][0]["id"] = run_id
    path.write_text(json.dumps(schedule))

    (problem,) = problems_of(lambda: bundle.schedule)
    assert problem.where == str(path)


def test_a_private_bundle_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    bundle = sealed_bundle(tmp_path / "bundle")

    bundle.make_private()

    modes = {path.stat().st_mode & 0o077 for path in (bundle.path, *bundle.path.rglob("*"))}
    assert modes == {0}


@pytest.mark.parametrize("secret", ["1000", "rest-flask", "block-1", "sample", "failed"])
def test_a_bundle_can_be_read_whatever_the_password_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, secret: str
) -> None:
    monkeypatch.setattr(credentials, "_known_secrets", {secret})
    bundle = create(tmp_path / "bundle", blocks=1)
    with redacted(bundle.path):
        reason = Failed(error="LabError", failure=Failure("was 1000"))
        record = record_of(bundle.schedule.blocks[0], status="invalid", reasons=(reason,))
        bundle.record_block(record)

    again = Bundle.open(bundle.path)

    (kept,) = again.block_records()
    assert kept.block == bundle.schedule.blocks[0]
    assert again.info.study == bundle.info.study
    if secret == "1000":
        assert str(kept.runs[0].reasons[0]) == "was (hidden)"


def test_laboratories_that_start_at_once_have_folders_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        folders = list(pool.map(default_folder, ["compare"] * 8))

    assert len(set(folders)) == 8
    assert all(folder.is_dir() and not any(folder.iterdir()) for folder in folders)
