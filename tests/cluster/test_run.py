"""A study on the machines of a Ray cluster: the same as on one machine, but for who measured."""

import re
import signal
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

import wirelab
from tests.support.laboratory import measure
from tests.support.ray_machines import (
    RayMachines,
    finished,
    is_gone,
    output_of,
    run,
    start,
    wait_for,
    world,
)
from wirelab.analysis import analyse
from wirelab.bundle import Bundle
from wirelab.bundle.run_reasons import NoneToCompare
from wirelab.terminal.exit_codes import ExitCode
from wirelab.verify import Finding
from wirelab.verify.findings.finding_reasons import Exposed

BLOCKS = 3
OURS = re.compile(r"wirelab-|postgres|server\.py")
"""The commands of what a study starts."""


@dataclass(frozen=True)
class Interrupted:
    """A study on two machines whose head was killed, and which was then resumed."""

    bundle: Bundle
    left_by_the_head: list[psutil.Process]
    """What ran on the machines when the head was killed."""
    finished_before: dict[str, str]
    """When each block was finished that was finished before."""


@pytest.fixture(scope="module")
def interrupted(machines: RayMachines, tmp_path_factory: pytest.TempPathFactory) -> Interrupted:
    """Carry a study out on two machines, with an interruption after a block."""
    folder = tmp_path_factory.mktemp("spread")
    study, path = world(folder, blocks=BLOCKS), folder / "bundle"
    options = ("--design", "spread", "--output", path, "--only", "good,steady")
    command = start(machines, path, study, *options)
    wait_for(lambda: path.is_dir() and bool(Bundle(path).finished_block_ids()), command)
    there = _ours(machines)
    before = {record.block.id: record.finished_utc for record in Bundle.open(path).block_records()}

    command.send_signal(signal.SIGKILL)
    command.wait()
    wait_for(lambda: all(map(is_gone, there)))

    code = finished(start(machines, path, "--resume", path))
    assert code == ExitCode.OK, output_of(path)
    return Interrupted(Bundle.open(path), there, before)


@pytest.fixture(scope="module")
def spread(interrupted: Interrupted) -> Bundle:
    """Return the bundle of the study: an interruption must not show in it."""
    return interrupted.bundle


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """Carry the same study out on this machine alone."""
    study = world(tmp_path_factory.mktemp("alone"), blocks=BLOCKS)
    return measure(study, "good", "steady", design="spread").bundle


def without_paths(findings: Iterable[Finding]) -> list[Finding]:
    """Leave out who may read what where: machines differ in that."""
    return [it for it in findings if not isinstance(it.reason, Exposed)]


def test_schedule_and_records_are_those_of_a_single_machine(spread: Bundle, alone: Bundle) -> None:
    assert spread.schedule == alone.schedule
    assert spread.contenders == alone.contenders
    assert without_paths(spread.findings) == without_paths(alone.findings)
    assert spread.answers == alone.answers
    assert spread.info.status == alone.info.status == "complete"
    ours, theirs = spread.block_records(), alone.block_records()
    assert [record.block for record in ours] == [record.block for record in theirs]
    for one, other in zip(ours, theirs, strict=True):
        reported, also = (
            {run.run.id: (run.status, run.reasons, run.session) for run in record.runs}
            for record in (one, other)
        )
        assert reported == also
        assert _files(spread, one.folder_name) == _files(alone, other.folder_name)


def _files(bundle: Bundle, block: str) -> set[str]:
    folder = bundle.path / "blocks" / block
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def test_every_run_names_the_machine_that_measured_it(spread: Bundle, alone: Bundle) -> None:
    by_machine = spread.metrics().groupby("machine")["run_id"].count()

    assert set(by_machine.index) == {"one", "two"}
    assert by_machine.sum() == len(spread.schedule.runs)
    assert set(alone.metrics()["machine"]) == {""}
    records = {record.name: record for record in spread.machines}
    assert records.keys() == {"one", "two"}
    for record in records.values():
        assert record.host["kernel"] == alone.host["kernel"]
        assert record.host["cpu"]["model"] == alone.host["cpu"]["model"]
        assert (record.lost, record.missing) == ("", {})
    assert alone.machines == []


def test_the_bundle_is_sealed_and_has_the_logs_of_every_machine(spread: Bundle) -> None:
    assert spread.check() == []
    for name in ("one", "two"):
        logs = [path.name for path in (spread.path / "logs" / name).iterdir()]
        assert any(log.startswith("store-") for log in logs)
        assert any(log.startswith("verify-good") for log in logs)


def test_the_report_states_whether_results_depend_on_the_machine(spread: Bundle) -> None:
    analysis = analyse(spread)

    assert analysis.machines is not None
    assert [each.name for each in analysis.machines.machines] == ["one", "two"]
    assert sum(each.blocks for each in analysis.machines.machines) == BLOCKS
    for pair in analysis.machines.pairs:
        assert sum(each.blocks for each in pair.effect.machines.values()) == BLOCKS
    page = (spread.report_folder / "report.html").read_text()
    assert "Machine two" in page


def test_no_machine_keeps_processes_or_files(spread: Bundle, machines: RayMachines) -> None:
    del spread
    wait_for(lambda: not _ours(machines))


def test_another_version_of_wirelab_is_refused_and_both_are_named(
    machines: RayMachines, tmp_path: Path
) -> None:
    other = tmp_path / "wirelab-9.9.9.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: wirelab\nVersion: 9.9.9\n")
    machines.add("old", {"PYTHONPATH": f"{tmp_path}:{Path(wirelab.__file__).parents[1]}"})
    bundle = tmp_path / "bundle"

    try:
        code = run(machines, bundle, world(tmp_path, blocks=2), "good")
    finally:
        machines.remove("old")

    assert code == ExitCode.NOT_READY
    assert "old has wirelab 9.9.9" in output_of(bundle)
    assert not bundle.exists()


def test_a_block_goes_to_machines_with_the_required_programs_and_on_if_one_is_lost(
    machines: RayMachines, equipped: dict[str, str], tmp_path: Path
) -> None:
    study, path = world(tmp_path, blocks=3), tmp_path / "bundle"
    manifest = study.parent / "domain" / "contenders" / "python" / "contender.toml"
    text = manifest.read_text()
    manifest.write_text(
        text.replace("[contender.third]", '[contender.third]\nrequires = ["rare-program"]')
    )
    machines.add("doomed", equipped)
    options = ("--design", "spread", "--output", path, "--only", "good,third")
    command = start(machines, path, study, *options)

    def given() -> list[str]:
        events = Bundle(path).events() if path.is_dir() else []
        return [
            str(event["block"])
            for event in events
            if (event["event"], event.get("machine")) == ("block given", "doomed")
        ]

    wait_for(lambda: bool(given()), command)
    # Its servers are up, or about to be: at this moment the machine goes.
    wait_for(lambda: _measures(machines.running_on("doomed")), command)
    there = machines.running_on("doomed")
    machines.kill("doomed")

    wait_for(lambda: all(map(is_gone, there)))
    assert finished(command) == ExitCode.OK, output_of(path)
    bundle = Bundle.open(path)
    assert bundle.finished_block_ids() == {block.id for block in bundle.schedule.blocks}
    lost = {record.name: record.lost for record in bundle.machines if record.lost}
    assert lost.keys() == {"doomed"}
    named = re.search(r"while it measured (\S+)", lost["doomed"])
    assert named is not None
    assert named[1] in given()
    (again,) = [record for record in bundle.block_records() if record.block.id == named[1]]
    assert again.machine == "two"
    records = bundle.block_records()
    assert {record.machine for record in records} <= {"two", "doomed"}  # one lacks a program
    assert {run.status for record in records for run in record.runs} == {"valid"}
    missing = {it for machine in bundle.machines for it in machine.missing.values()}
    (cause,) = missing - {NoneToCompare(of="question")}
    assert "rare-program" in str(cause)
    assert "doomed takes no" in output_of(path)
    page = (path / "report" / "report.html").read_text()
    assert "1 machine was lost" in page


def _ours(machines: RayMachines) -> list[psutil.Process]:
    """Return what a study has started and what runs on both machines."""
    running = (process for name in ("one", "two") for process in machines.running_on(name))
    return [process for process in running if OURS.search(_command(process))]


def _measures(processes: list[psutil.Process]) -> bool:
    return any("wirelab-load" in _command(process) for process in processes)


def _command(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return ""


def test_a_killed_head_leaves_nothing_running_and_the_study_is_resumed(
    interrupted: Interrupted,
) -> None:
    assert interrupted.left_by_the_head  # something ran, and was gone before the study was resumed
    bundle, before = interrupted.bundle, interrupted.finished_before
    assert before
    assert bundle.finished_block_ids() == {block.id for block in bundle.schedule.blocks}
    now = {record.block.id: record.finished_utc for record in bundle.block_records()}
    assert before.items() <= now.items()  # what was finished is not measured again


def test_without_ray_one_sentence_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from wirelab.cli import main  # noqa: PLC0415

    monkeypatch.setitem(sys.modules, "ray", None)
    study = world(tmp_path, blocks=2)
    monkeypatch.setattr(sys, "argv", ["wirelab", "run", str(study), "--cluster", "auto"])

    assert main() == ExitCode.NOT_READY
    output = capsys.readouterr().err
    assert "needs Ray" in output
    assert "wirelab[cluster]" in output
