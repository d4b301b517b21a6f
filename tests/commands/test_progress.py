"""What commands say of how far they have come, where there is no terminal."""

import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from rich.console import Console

from tests.compare.one_server import write_study
from tests.support.bundles.reasons import IT_DIED
from tests.support.bundles.synthetic import write_bundle
from wirelab.bundle import BlockRecord, Bundle
from wirelab.commands.progress import ProgressBar
from wirelab.commands.progress import clock as clock_time
from wirelab.commands.studies.report import publish
from wirelab.compare.terms import Terms
from wirelab.experiment.events import (
    ActivityStarted,
    BlockEstimated,
    BlockFinished,
    BlockStarted,
    BundleOpened,
    ComparisonsUpdated,
    Event,
    Observer,
    StageStarted,
    StepStarted,
)
from wirelab.experiment.stage_progress import StageProgress
from wirelab.experiment.study import ThisMachine, resume_study, run_study
from wirelab.planning.plan import plan_study


@dataclass
class Clock:
    """Time that passes when a test says so."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    return write_bundle(tmp_path_factory.mktemp("two") / "bundle", blocks=2, requests=200)


def test_each_step_is_a_line_with_what_is_done_and_left(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    with ProgressBar(clock=clock) as bar:
        bar.on(StageStarted("Building", 3))
        for step in ("rest", "grpc", "soap"):
            bar.on(StepStarted(step))
            clock.now += 70.0

    assert capsys.readouterr().err.splitlines() == [
        "Building 1/3: rest",
        "Building 2/3: grpc (2:20 left)",
        "Building 3/3: soap (1:10 left)",
    ]


def test_workloads_that_wirelab_has_named_are_shown_by_their_titles(
    bundle: Bundle, capsys: pytest.CaptureFixture[str]
) -> None:
    record = bundle.block_records()[0]
    (workload,) = {cell.workload for cell in record.block.cells}
    faulty = record.runs[0].model_copy(update={"status": "invalid", "reasons": (IT_DIED,)})
    titles = {workload: "GET /items", record.block.group: "GET /items"}
    with ProgressBar() as bar:
        bar.on(BundleOpened(bundle.path, expected_s=0.0, titles=titles))
        bar.on(StageStarted("Measuring", 1))
        bar.on(BlockStarted(record.block, 1))
        bar.on(BlockFinished(record.model_copy(update={"runs": (faulty,)})))

    started, fault = capsys.readouterr().err.splitlines()
    assert started.startswith(f"Measuring 1/1: block {record.block.number} · GET /items")
    assert f" {faulty.run.cell.registration} at “GET /items” " in fault
    assert str(IT_DIED) in fault


class Titles(Observer):
    """Keeps the titles of workloads."""

    def __init__(self) -> None:
        self.seen: list[Mapping[str, str]] = []

    def on(self, event: Event) -> None:
        if isinstance(event, BundleOpened):
            self.seen.append(event.titles)


class Interrupted(ThisMachine):
    """A machine on which nothing is measured: it is interrupted at once."""

    def run_stages(self, *_: object) -> None:
        raise KeyboardInterrupt


def test_a_resumed_comparison_shows_the_same_titles(tmp_path: Path) -> None:
    titles, machine = Titles(), Interrupted()
    study = write_study(tmp_path, "mine", Terms(margin=0.05))
    planned = plan_study(study, "compare", 1)
    run_study(planned, tmp_path / "bundle", observer=titles, machines=machine)
    resume_study(tmp_path / "bundle", observer=titles, machines=machine)

    assert titles.seen == [{"w-get": "GET /"}] * 2


def test_a_run_that_is_skipped_for_the_same_reason_is_counted(
    bundle: Bundle, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = bundle.block_records()[:2]

    def with_status(record: BlockRecord, status: str) -> BlockRecord:
        run = record.runs[0].model_copy(update={"status": status, "reasons": (IT_DIED,)})
        return record.model_copy(update={"runs": (run,)})

    with ProgressBar() as bar:
        bar.on(StageStarted("Measuring", 2))
        bar.on(BlockFinished(with_status(first, "invalid")))
        bar.on(BlockFinished(with_status(second, "skipped")))

    *_, last = capsys.readouterr().err.splitlines()
    assert last.startswith("1 more run ")


def test_short_steps_have_no_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    with ProgressBar(pause_s=2.0, clock=clock) as bar:
        bar.on(StageStarted("Counting", 30))
        for step in range(30):
            bar.on(StepStarted(f"entry {step}"))
            clock.now += 0.1

    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("Counting 21/30: entry 20")


def test_a_long_block_shows_its_activity_every_ten_seconds(
    bundle: Bundle, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = Clock()
    first = bundle.block_records()[0]
    with ProgressBar(clock=clock) as bar:
        bar.on(BundleOpened(bundle.path, expected_s=600))
        bar.on(StageStarted("Measuring", 2))
        bar.on(BlockStarted(first.block, 1))
        for number in range(1, 19):
            clock.now += 1.5
            bar.on(ActivityStarted(f"trial {number} of 18"))

    step = f"Measuring 1/2: block 1 · {first.block.group}"
    assert capsys.readouterr().err.splitlines() == [
        f"{step} (10:00 left)",
        f"{step}: trial 7 of 18 (9:50 left)",
        f"{step}: trial 14 of 18 (9:39 left)",
    ]


def test_each_block_states_what_is_decided_and_what_is_expected(
    bundle: Bundle, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = bundle.block_records()[:2]
    with ProgressBar() as bar:
        bar.on(StageStarted("Measuring", 12))
        bar.on(ComparisonsUpdated((), 7, 12, "fetch a hundred games", 5, seconds_left=100.0))
        bar.on(BlockStarted(first.block, 1))
        bar.on(BlockFinished(first))
        bar.on(ComparisonsUpdated((), 12, 12, seconds_left=0.0))
        bar.on(BlockStarted(second.block, 1))

    nearest, decided = capsys.readouterr().err.splitlines()
    expected = "7 of 12 decided; “fetch a hundred games” needs about 5 more blocks (1:40 left)"
    assert nearest.endswith(expected)
    assert decided.endswith("12 of 12 decided (0:00 left)")


def test_a_long_step_is_repeated_with_what_is_left(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    with ProgressBar(clock=clock) as bar:
        bar.on(StageStarted("Load", 1))
        bar.on(StepStarted("trial", expected_s=31.0))
        for _ in range(34):
            clock.now += 1.0
            bar.remind()

    assert capsys.readouterr().err.splitlines() == [
        "Load 1/1: trial (0:31 left)",
        "Load 1/1: trial (0:21 left)",
        "Load 1/1: trial (0:11 left)",
        "Load 1/1: trial (0:01 left)",
    ]


def test_steps_that_were_already_done_do_not_affect_the_estimate() -> None:
    stage = StageProgress("Setting up", 6, began=0.0)
    stage.next("building rest for native", 0.0)
    stage.next("building grpc for native", 0.01)
    stage.next("postgresql: state ten", 0.02)
    assert stage.seconds_left(0.02) is None
    assert stage.seconds_left(30.0) is None

    stage.next("ferretdb: state ten", 30.0)
    assert stage.seconds_left(40.0) == pytest.approx(20 + 2 * 29.98, abs=0.1)
    assert stage.seconds_left(75.0) == pytest.approx(2 * 37.5, abs=0.1)  # longer than the others

    stage.next("mongodb: state ten", 80.0)
    stage.next("mongodb: state million", 120.0)
    assert stage.seconds_left(130.0) == pytest.approx(30.0, abs=0.1)
    assert stage.seconds_left(170.0) is None  # nothing says how much longer the last one takes


def test_until_a_block_is_done_the_remaining_time_is_that_of_the_plan(
    bundle: Bundle, capsys: pytest.CaptureFixture[str]
) -> None:
    first = bundle.block_records()[0]
    with ProgressBar() as bar:
        bar.on(BundleOpened(bundle.path, expected_s=600.4))
        bar.on(StageStarted("Measuring", 2))
        bar.on(BlockStarted(first.block, 1))

    assert "(10:00 left)" in capsys.readouterr().err


def test_while_blocks_are_measured_the_remaining_time_does_not_grow() -> None:
    """A block that has begun says nothing about the duration of later ones."""
    stage = StageProgress("Measuring", 6, began=0.0)
    stage.begin_block("b1", "block 1", expected_s=480.0)
    assert stage.seconds_left(80.0) == 400.0
    stage.finish_block("b1", 100.0)
    stage.begin_block("b2", "block 2", expected_s=480.0)

    assert [stage.seconds_left(now) for now in (100.0, 130.0, 190.0)] == [500.0, 470.0, 410.0]
    assert stage.seconds_left(230.0) == 400.0  # the current block takes longer than the first
    stage.finish_block("b2", 240.0)
    assert stage.seconds_left(240.0) == 4 * 120.0


def test_blocks_that_overlap_count_with_the_time_of_all() -> None:
    """On a cluster, each machine has a block."""
    stage = StageProgress("Measuring", 6, began=0.0)
    for name in ("b1", "b2", "b3"):
        stage.begin_block(name, name, expected_s=480.0)
    stage.finish_block("b1", 100.0)
    stage.finish_block("b2", 100.0)

    assert stage.seconds_left(100.0) == 4 * 50.0


def test_until_a_search_has_ended_the_remaining_time_is_a_lower_bound(
    bundle: Bundle, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = Clock()
    first, second = bundle.block_records()[:2]
    with ProgressBar(clock=clock) as bar:
        bar.on(BundleOpened(bundle.path, expected_s=60, at_least=True))
        bar.on(StageStarted("Measuring", 3))
        bar.on(BlockStarted(first.block, 1))
        for now, what in (
            (5.0, "search 1 of 1"),
            (50.0, "trial 1 of 9"),
            (90.0, "trial 4 of 9"),
        ):
            clock.now = now
            if what == "trial 1 of 9":  # now the length of trials is known
                bar.on(BlockEstimated(120.0, once_s=40.0))
            bar.on(ActivityStarted(what, is_long="search" in what))
        clock.now = 170.0
        bar.on(BlockFinished(first))
        bar.on(BlockStarted(second.block, 1))

    # Each further block takes the time before the search, and what follows it.
    each = 10 + 120
    assert [line.rpartition(" (")[2] for line in capsys.readouterr().err.splitlines()] == [
        "at least 1:00 left)",
        "at least 1:00 left)",
        f"{clock_time(120 + 2 * each)} left)",
        f"{clock_time(80 + 2 * each)} left)",
        f"{clock_time(2 * each)} left)",
    ]


def test_blocks_are_counted_once_although_repeated(
    bundle: Bundle, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = bundle.block_records()[:2]
    with ProgressBar() as bar:
        bar.on(StageStarted("Measuring", 2))
        for record in (first, first.model_copy(update={"attempt": 2}), second):
            bar.on(BlockStarted(record.block, record.attempt))
            bar.on(BlockFinished(record))
    lines = capsys.readouterr().err.splitlines()

    assert [line.partition(":")[0] for line in lines] == [
        "Measuring 1/2",
        "Measuring 1/2",
        "Measuring 2/2",
    ]
    assert "repeated" in lines[1]
    assert "left)" in lines[2]


def test_a_terminal_gets_a_bar() -> None:
    screen = io.StringIO()
    with ProgressBar(console=Console(file=screen, force_terminal=True, width=120)) as bar:
        bar.on(StageStarted("Verifying", 2))
        bar.on(StepStarted("rest on postgresql"))
        bar.on(StepStarted("grpc on postgresql"))
        bar._progress.refresh()  # not only ten times a second

    assert "Verifying" in screen.getvalue()
    assert "grpc on postgresql" in screen.getvalue()
    assert "2/2" in screen.getvalue()


def test_a_long_step_leaves_space_for_its_progress() -> None:
    screen = io.StringIO()
    with ProgressBar(console=Console(file=screen, force_terminal=True, width=70)) as bar:
        bar.on(StageStarted("Drawing values", 2))
        bar.on(StepStarted(f"for GET /{'long/' * 30}"))
        bar._progress.refresh()

    (line,) = (it for it in screen.getvalue().splitlines() if "GET" in it)
    assert "Drawing values" in line
    assert "0/2" in line
    assert "for GET /long" in line


def test_writing_a_report_shows_its_steps(
    bundle: Bundle, capsys: pytest.CaptureFixture[str]
) -> None:
    files, _ = publish(bundle.path)

    assert files["html"].is_file()
    steps = [line.partition(":")[0] for line in capsys.readouterr().err.splitlines()]
    assert [step for step in steps if step.startswith("Report ")] == ["Report 1/2", "Report 2/2"]


def test_a_terminal_counts_a_block_as_soon_as_it_is_finished(bundle: Bundle) -> None:
    record = bundle.block_records()[0]
    console = Console(width=80, file=io.StringIO(), force_terminal=True, color_system=None)
    with ProgressBar(console=console) as bar:
        bar.on(StageStarted("Measuring", 2))
        bar.on(BlockStarted(record.block, 1))
        bar.on(BlockFinished(record))

        assert bar._progress.tasks[0].completed == 1
