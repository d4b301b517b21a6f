"""A study over emulated networks: the condition holds, is recorded, and faults cost one attempt."""

import os
import signal
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.study.builder import minimal, study_of
from tests.support.laboratory import measure, reasons, runs_of
from tests.support.worlds import copy_world
from wirelab.analysis import analyse
from wirelab.bundle import Bundle, LinkDirection, LinkRecord
from wirelab.bundle.run_reasons import Failed, NetworkNotKept
from wirelab.experiment.blocks.linking import why_not_as_declared
from wirelab.experiment.blocks.roster import Roster
from wirelab.experiment.blocks.session import Session
from wirelab.experiment.context import StudyOutcome
from wirelab.experiment.events import Observer
from wirelab.lab.network.link import REMEDY, Link, Ready, why_no_link
from wirelab.planning.plan import plan_study
from wirelab.planning.schedule import Block, Run
from wirelab.report import write_report
from wirelab.study import Cell

DELAY_MS = 3
OWN = f"""
[network.near]
source = "a test"
down = {{ delay_ms = {DELAY_MS}, rate_mbit_s = 50, queue_kb = 500 }}
up = {{ delay_ms = {DELAY_MS} }}
"""


def over(study: Path, *networks: str, design: str = "") -> None:
    """Let the study be carried out over these networks, in one short block."""
    file = study / "study.toml"
    text = file.read_text().replace("blocks = 2", "blocks = 1")
    names = ", ".join(f'"{name}"' for name in networks)
    text = text.replace("stores =", f"networks = [{names}]\nstores =")
    file.write_text(text.replace("permutations = 8", f"permutations = 6{design}") + OWN)


def needs_link() -> None:
    if missing := why_no_link():
        pytest.skip(f"{missing}: {REMEDY}")


def devices() -> list[str]:
    return [name for name in os.listdir("/sys/class/net") if name.startswith("wirelab")]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> StudyOutcome:
    needs_link()
    study = copy_world(tmp_path_factory.mktemp("networks"))
    over(study, "loopback", "near")
    return measure(study, "good", "steady")


def test_runs_over_both_networks_count(outcome: StudyOutcome) -> None:
    runs = runs_of(outcome.bundle, "good")

    assert {run.run.cell.network: run.status for run in runs} == {
        "loopback": "valid",
        "near": "valid",
    }, reasons(outcome.bundle)
    assert outcome.bundle.check() == []
    assert devices() == []


def test_every_answer_takes_a_round_trip(outcome: StudyOutcome) -> None:
    metrics = outcome.bundle.metrics()
    near = metrics[metrics["network"] == "near"]

    assert len(near) == 3
    assert (near["latency_min_us"] >= 2 * 1000 * DELAY_MS).all()


def test_the_counters_of_the_link_are_in_the_bundle(outcome: StudyOutcome) -> None:
    links = [
        session.link
        for block in outcome.bundle.last_attempts()
        for session in block.sessions
        if session.link is not None
    ]

    assert links
    for link in links:
        assert link.network == "near"
        assert link.down.packets == link.down.delivered_packets + link.down.dropped_by_queue
        assert link.up.packets == link.up.delivered_packets > 100
        assert link.cpu_seconds > 0


def test_the_emulator_is_a_role_with_its_own_figures(outcome: StudyOutcome) -> None:
    by_network = {run.run.cell.network: run for run in runs_of(outcome.bundle, "good")}

    assert "link" not in by_network["loopback"].roles
    use = by_network["near"].roles["link"]
    assert (use.cpu_us_per_transaction or 0) > 0
    assert (use.memory_peak_bytes or 0) > 0


def test_the_report_describes_the_network(outcome: StudyOutcome, tmp_path: Path) -> None:
    facts = outcome.bundle.environments["near"]
    assert facts["down"].startswith(f"{DELAY_MS} ms, 50 Mbit/s")
    assert facts["source"] == "a test"
    assert facts["congestion control"]

    titles = [setting.title for setting in analyse(outcome.bundle).settings]
    assert any(title.endswith("over near") for title in titles)
    write_report(outcome.bundle, tmp_path)
    assert "over near" in (tmp_path / "report.md").read_text()
    page = (tmp_path / "report.html").read_text()
    assert "over near" in page
    assert f"{DELAY_MS} ms, 50 Mbit/s" in page


def test_if_the_emulator_ends_its_block_is_lost_and_the_study_continues(tmp_path: Path) -> None:
    needs_link()
    study = copy_world(tmp_path)
    over(study, "near")
    killed = threading.Thread(target=kill_the_first_link, args=(study.parent / "bundle",))
    killed.start()
    outcome = measure(study, "good", "steady")
    killed.join()

    first, second = outcome.bundle.block_records()
    (failed,) = first.failures
    assert isinstance(failed, Failed)
    assert (failed.error, "exit code 137" in failed.failure.what) == ("LinkError", True)
    assert {run.status for run in first.runs} == {"invalid"}
    assert second.failures == ()
    assert {run.status for run in second.runs} == {"valid"}, reasons(outcome.bundle)
    assert outcome.bundle.info.status == "complete"
    assert devices() == []


def kill_the_first_link(bundle: Path) -> None:
    """Wait for slices over a link, then kill what emulates it."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        for path in bundle.glob("blocks/.partial-*/1/job.json"):
            events = path.with_name("link.jsonl").read_text()
            pid = int(events.split('"pid":')[1].split(",")[0])
            time.sleep(0.3)
            os.kill(pid, signal.SIGKILL)
            return
        time.sleep(0.01)


def test_without_the_rights_networks_are_skipped_with_the_remedy(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    over(study, "loopback", "near", "mobile")
    monkeypatch.setattr("wirelab.planning.plan.why_no_link", lambda: "not root")

    schedule = plan_study(study, "smoke", 1, ["good", "steady"]).schedule

    assert {cell.network for cell in schedule.cells} == {"loopback"}
    skipped = {each.level: each.reason for each in schedule.skipped if each.wanted}
    assert skipped.keys() == {"near", "mobile"}
    assert skipped["mobile"] == f"not root; {REMEDY}"


def test_a_network_that_cannot_be_opened_leaves_the_others_alone(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs_link()
    over(study, "loopback", "near")
    monkeypatch.setattr("wirelab.lab.network.link.why_no_link", lambda: "no device")

    outcome = measure(study, "good", "steady")

    bundle: Bundle = outcome.bundle
    assert {run.run.cell.network: run.status for run in runs_of(bundle, "good")} == {
        "loopback": "valid",
        "near": "skipped",
    }
    assert any("no device" in reason for reason in reasons(bundle))


@pytest.mark.parametrize("own", ["overrun", "dropped_by_device", "refused"])
def test_packets_that_the_emulator_drops_make_runs_invalid(own: str) -> None:
    fine = LinkDirection.model_validate(direction())
    record = LinkRecord(
        network="far",
        seconds=1.0,
        cpu_seconds=0.5,
        ignored=0,
        real_time=True,
        congestion_control="cubic",
        down=fine,
        up=fine,
    )
    assert why_not_as_declared(None) == why_not_as_declared(record) == ()
    few = LinkDirection.model_validate(direction() | {own: 10})
    assert why_not_as_declared(record.model_copy(update={"up": few})) == ()
    many = LinkDirection.model_validate(direction() | {own: 11})

    assert why_not_as_declared(record.model_copy(update={"up": many})) == (
        NetworkNotKept(network="far", way="up", dropped=11, packets=10000),
    )


class Dropping(Link):
    """A link whose emulator itself has dropped packets."""

    ready = Ready("", "", Path(), real_time=True, congestion_control="cubic")

    def __init__(self, overrun: int) -> None:
        self.name, self.overrun = "far", overrun

    def counters(self) -> Mapping[str, Any]:
        whole = {"seconds": 1.0, "cpu_seconds": 0.5, "ignored": 0}
        return whole | {"up": direction(), "down": direction() | {"overrun": self.overrun}}


@dataclass
class Overload:
    """Trials of which the overload makes the emulator drop packets."""

    roster: Roster
    link: Dropping
    left: list[Run] = field(default_factory=list)

    def overload(self) -> None:
        self.left = self.roster.left()
        self.link.overrun += 5000


@pytest.mark.parametrize(("before", "counts"), [(0, True), (11, False)])
def test_a_network_is_judged_before_the_overload(before: int, counts: bool) -> None:
    study = study_of(minimal())
    run = Run("rest", 1, Cell("rest", "fetch", "postgresql", "native", "u1", network="far"))
    block = Block("b01-fetch", 1, 1, "fetch", (run,), seed=1)
    link = Dropping(before)
    context = SimpleNamespace(laboratory=None, observer=Observer())
    session = Session(
        context,  # type: ignore[arg-type]
        study,
        study.designs["smoke"],
        block,
        (run,),
        1,
        Path(),
        link=link,
    )
    overload = Overload(session.roster, link)

    record = session._overload(overload)  # type: ignore[arg-type]

    assert overload.left == ([run] if counts else [])
    assert bool(session.roster.reasons) is not counts
    assert session.roster.ended_late == {}
    assert record is not None
    assert record.down.overrun == before


def direction() -> dict[str, object]:
    return {
        "packets": 10_000,
        "bytes": 1_000_000,
        "delivered_packets": 9_000,
        "delivered_bytes": 900_000,
        "dropped_by_queue": 500,
        "lost": 500,
        "overrun": 0,
        "dropped_by_device": 0,
        "refused": 0,
        "queue_high_water_bytes": 1000,
        "held_high_water_packets": 10,
        "lateness_us": {"p50": 1.0, "p99": 10.0, "max": 100.0},
    }
