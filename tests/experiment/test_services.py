"""A contender of several services is measured as one: its costs are theirs, and so is its death."""

import re
from pathlib import Path

import psutil
import pytest

from tests.support.laboratory import measure, reasons, runs_of
from tests.support.worlds import copy_world
from wirelab.analysis import Analysis
from wirelab.bundle import Bundle
from wirelab.bundle.run_reasons import in_words
from wirelab.commands.studies.report import publish
from wirelab.experiment.context import StudyOutcome
from wirelab.lab.processes.process import family

Report = tuple[dict[str, Path], Analysis]

ROLES = {"contender", "contender-front", "contender-back", "store", "engine"}


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> StudyOutcome:
    """Carry out a study of one program, of two services, and of two of which one dies."""
    study = copy_world(tmp_path_factory.mktemp("services"))
    return measure(study, "good", "good-services", "dying-services")


@pytest.fixture(scope="module")
def bundle(outcome: StudyOutcome) -> Bundle:
    return outcome.bundle


@pytest.fixture(scope="module")
def report(bundle: Bundle) -> Report:
    return publish(bundle.path)


def test_all_services_are_counted_and_make_up_the_contender(bundle: Bundle) -> None:
    runs = runs_of(bundle, "good-services")

    assert [run.status for run in runs] == ["valid", "valid"], reasons(bundle)
    for run in runs:
        assert run.roles.keys() == ROLES
        whole = run.roles["contender"]
        parts = [run.roles["contender-front"], run.roles["contender-back"]]
        assert all(part.cpu_us and part.memory_peak_bytes for part in parts)
        assert whole.cpu_us == pytest.approx(sum(part.cpu_us or 0.0 for part in parts))
        assert whole.memory_peak_bytes == sum(part.memory_peak_bytes or 0 for part in parts)
        assert run.idle_cpu_share is not None


def test_their_figures_are_columns_of_the_metrics_and_of_the_slices(bundle: Bundle) -> None:
    metrics, slices = bundle.metrics(), bundle.slices()
    of_services = metrics[metrics["contender"] == "good-services"]
    of_one = metrics[metrics["contender"] == "good"]

    assert of_services["contender-back_cpu_us_per_transaction"].notna().all()
    assert of_one["contender-back_cpu_us_per_transaction"].isna().all()
    more = of_services["contender_cpu_us_per_transaction"].mean()
    assert more > of_one["contender_cpu_us_per_transaction"].mean()  # a call costs something
    turns = slices[slices["contender"] == "good-services"]
    assert turns["contender-front_cpu_us"].notna().all()


def test_the_report_shows_the_cost_of_each_service(report: Report) -> None:
    files, analysis = report
    (setting,) = analysis.settings
    services = {row.summary.cell.contender: row.summary.services for row in setting.rows}

    assert [each.name for each in services["good-services"]] == ["back", "front"]
    assert services["good"] == ()
    assert "of each service" in files["html"].read_text()
    lines = files["markdown"].read_text().splitlines()
    (start,) = (at for at, line in enumerate(lines) if re.fullmatch("## .* each service", line))
    assert [line.split(" | ")[2:3] for line in lines[start + 4 : start + 6]] == [
        ["back"],
        ["front"],
    ]


def test_the_calls_of_a_transaction_are_counted_and_shown(bundle: Bundle, report: Report) -> None:
    files, _ = report
    (row,) = (each for each in bundle.call_records if each.contender == "good-services")

    assert (row.workload, row.caller, row.service, row.calls) == ("read", "front", "back", 1.0)
    assert row.sent_bytes > len("GET /counters/1 HTTP/1.1\r\n\r\n")
    assert row.received_bytes > row.sent_bytes  # headers of an answer, and a body
    assert {each.contender for each in bundle.call_records} <= {"good-services", "dying-services"}
    assert "Calls between services" in files["html"].read_text()
    lines = files["markdown"].read_text().splitlines()
    start = lines.index("## Calls between services")
    assert lines[start + 4].split(" | ")[2:5] == ["front", "back", "1"]


def test_a_service_that_exits_loses_only_the_runs_of_its_contender(bundle: Bundle) -> None:
    lost = runs_of(bundle, "dying-services")

    assert [run.status for run in lost] == ["invalid", "invalid"]
    for run in lost:
        text = in_words(run.reasons)
        assert "service back of" in text
        assert "exit code 3" in text
        assert "gives up" in text, "its last words"
    assert {run.status for run in runs_of(bundle, "good")} == {"valid"}, reasons(bundle)


def test_services_leave_nothing_behind(bundle: Bundle) -> None:
    servers = [
        process.cmdline()
        for process in psutil.process_iter()
        if process.pid in family(psutil.Process().pid) and "server.py" in process.cmdline()
    ]

    assert servers == []
    logs = {path.name for path in Path(bundle.path).rglob("good-services*.log")}
    assert any(name.endswith("-back.log") for name in logs)  # each service has a log of its own
