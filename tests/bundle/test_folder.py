"""What the results folder promises: written once, whole or absent, and it tells when changed."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from wirelab.bundle import Bundle, RunRecord
from wirelab.problems import ProblemsError

from .samples import create, record_of, schedule_of


def test_a_new_bundle_says_what_is_planned(tmp_path: Path) -> None:
    bundle = create(tmp_path / "bundle", runs=3)

    assert bundle.info.status == "planned"
    assert [run.id for run in bundle.schedule.runs] == ["run-0", "run-1", "run-2"]
    assert bundle.contenders["rest-flask"].versions == {"native": {"flask": "3.1.0"}}
    assert (bundle.study_folder / "study.toml").read_text() == "id = 'sample'\n"
    assert (bundle.domain_folder / "contenders" / "python" / "contender.toml").is_file()
    assert bundle.findings == []
    assert bundle.runs().empty


def test_a_folder_with_content_is_never_written_to(tmp_path: Path) -> None:
    (tmp_path / "precious.txt").write_text("mine")

    with pytest.raises(ProblemsError, match="choose another name"):
        create(tmp_path, runs=1)

    assert [path.name for path in tmp_path.iterdir()] == ["precious.txt"]


def test_a_failed_creation_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        create(tmp_path / "bundle", runs=1, study_files={"study.toml": tmp_path / "absent"})

    assert list(tmp_path.iterdir()) == []


def test_a_run_counts_only_when_it_is_recorded(tmp_path: Path) -> None:
    bundle = create(tmp_path / "bundle", runs=2)
    (bundle.partial_run("run-0") / "contender.log").write_text("half")

    assert bundle.finished_run_ids() == set()

    folder = bundle.record_run(record_of(bundle.schedule.runs[0]))

    assert bundle.finished_run_ids() == {"run-0"}
    assert (folder / "contender.log").read_text() == "half"


def test_a_run_is_written_once_and_a_second_attempt_stands_beside_it(tmp_path: Path) -> None:
    bundle = create(tmp_path / "bundle", runs=1)
    first = record_of(bundle.schedule.runs[0], status="invalid", reasons=("generator busy",))
    bundle.record_run(first)

    with pytest.raises(FileExistsError):
        bundle.record_run(first)
    bundle.record_run(record_of(bundle.schedule.runs[0], attempt=2))

    frame = bundle.runs()
    assert list(frame["status"]) == ["invalid", "valid"]
    assert list(frame["run_id"]) == ["run-0", "run-0.attempt-2"]
    assert bundle.finished_run_ids() == {"run-0"}


def test_resuming_sweeps_unfinished_work_away(tmp_path: Path) -> None:
    with create(tmp_path / "bundle", runs=2) as bundle:
        bundle.record_run(record_of(bundle.schedule.runs[0]))
        (bundle.partial_run("run-1") / "samples.parquet").write_bytes(b"torn")
        bundle.seal("interrupted")

    with Bundle.resume(tmp_path / "bundle") as resumed:
        assert resumed.finished_run_ids() == {"run-0"}
        assert not list(resumed.path.rglob(".partial-*"))
        assert resumed.digest is None


def test_two_writers_cannot_have_one_bundle(tmp_path: Path) -> None:
    bundle = create(tmp_path / "bundle", runs=1)

    with pytest.raises(ProblemsError, match="no other wirelab writes"):
        Bundle.resume(bundle.path)

    bundle.close()
    Bundle.resume(bundle.path).close()


def test_events_survive_a_torn_line(tmp_path: Path) -> None:
    bundle = create(tmp_path / "bundle", runs=1)
    bundle.append_event("started", run="run-0")
    with (bundle.path / "events.jsonl").open("ab") as file:
        file.write(b'{"at_utc": "2026-')
    bundle.append_event("resumed")

    assert [event["event"] for event in bundle.events()] == ["started", "resumed"]


def test_a_sealed_bundle_is_whole_until_somebody_touches_it(tmp_path: Path) -> None:
    bundle = create(tmp_path / "bundle", runs=2)
    for run in bundle.schedule.runs:
        bundle.record_run(record_of(run))
    assert [str(problem) for problem in bundle.check()] == [
        "hashes.json: missing: the bundle was never sealed"
    ]
    bundle.seal()
    digest = bundle.digest

    assert bundle.check() == []
    assert bundle.info.status == "complete"
    assert digest is not None
    assert len(digest) == 64

    record = bundle.path / "runs" / "run-0" / "run.json"
    record.write_text(record.read_text().replace("valid", "VALID"))
    (bundle.path / "runs" / "run-1" / "run.json").unlink()
    (bundle.path / "extra.txt").write_text("new")
    (bundle.path / "study" / "claims.toml").symlink_to("/etc/hostname")

    assert {problem.path: problem.reason for problem in bundle.check()} == {
        "runs/run-0/run.json": "changed since the bundle was sealed",
        "runs/run-1/run.json": "missing",
        "extra.txt": "not there when the bundle was sealed",
        "study/claims.toml": "not there when the bundle was sealed",
    }


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "bundle.json"),
        (json.dumps({"format": "wirelab-bundle/9"}), "wirelab-bundle/1"),
        (json.dumps({"format": "wirelab-bundle/1", "seed": "x"}), "seed"),
    ],
)
def test_a_broken_bundle_is_named_with_file_and_key(
    tmp_path: Path, content: str, message: str
) -> None:
    (tmp_path / "bundle.json").write_text(content)

    with pytest.raises(ProblemsError, match=message):
        Bundle.open(tmp_path)


def test_no_bundle_at_all_says_what_to_give(tmp_path: Path) -> None:
    with pytest.raises(ProblemsError, match="the folder that `wirelab run` wrote"):
        Bundle.open(tmp_path)


def test_a_run_id_cannot_lead_out_of_the_bundle() -> None:
    run = schedule_of(1).runs[0]

    with pytest.raises(ValueError, match="fit for the name of a folder"):
        RunRecord.model_validate(
            {
                "run": asdict(run) | {"id": "../../elsewhere"},
                "status": "valid",
                "started_utc": "",
                "finished_utc": "",
            }
        )
