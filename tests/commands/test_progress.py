"""What commands say of how far they have come, where there is no terminal."""

import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from rich.console import Console

from tests.compare.one_server import write_study
from tests.support.bundles.reasons import BUSY, IT_DIED, wrong
from tests.support.bundles.samples import record_of, schedule_of
from tests.support.bundles.synthetic import write_bundle
from tests.support.wording import assert_worded
from wirelab.bundle import Bundle
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

Printed = Callable[..., list[str]]


@dataclass
class Clock:
    """Time that passes when a test says so."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Printed:
    """Return what is printed of events; a number between them lets so many seconds pass."""

    def lines(*events: Event | float, pause_s: float = 0.0) -> list[str]:
        clock = Clock()
        with ProgressBar(clock=clock, pause_s=pause_s) as bar:
            for event in events:
                if isinstance(event, float):
                    clock.now += event
                else:
                    bar.on(event)
        return capsys.readouterr().err.splitlines()

    return lines


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    return write_bundle(tmp_path_factory.mktemp("two") / "bundle", blocks=2, requests=200)


def test_each_step_is_a_line_with_what_is_done_and_left(printed: Printed) -> None:
    steps = map(StepStarted, ("rest", "grpc", "soap"))
    assert printed(StageStarted("Building", 3), *between(70.0, steps)) == [
        "Building 1/3: rest",
        "Building 2/3: grpc (2:20 left)",
        "Building 3/3: soap (1:10 left)",
    ]


def between(seconds: float, events: Iterable[Event]) -> Iterator[Event | float]:
    """Yield events, each with the time that passes after it."""
    for event in events:
        yield from (event, seconds)


def test_workloads_that_wirelab_has_named_are_shown_by_their_titles(
    bundle: Bundle, printed: Printed
) -> None:
    record = bundle.block_records()[0]
    (workload,) = {cell.workload for cell in record.block.cells}
    faulty = record.runs[0].model_copy(update={"status": "invalid", "reasons": (IT_DIED,)})
    titles = {workload: "GET /items", record.block.group: "GET /items"}

    started, fault = printed(
        BundleOpened(bundle.path, expected_s=0.0, titles=titles),
        StageStarted("Measuring", 1),
        BlockStarted(record.block, 1),
        BlockFinished(record.model_copy(update={"runs": (faulty,)})),
    )

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


def test_faults_of_a_kind_are_one_line_and_a_count(printed: Printed) -> None:
    faults = [
        *(("invalid", reason) for reason in (wrong(1), wrong(2), IT_DIED, BUSY)),
        ("skipped", IT_DIED),
    ]
    records = [
        record_of(block, status=status, reasons=(reason,))
        for block, (status, reason) in zip(schedule_of(len(faults)).blocks, faults, strict=True)
    ]

    assert_worded("\n".join(printed(*map(BlockFinished, records))))


def test_short_steps_have_no_line_each(printed: Printed) -> None:
    steps = (StepStarted(f"entry {step}") for step in range(30))
    (line,) = printed(StageStarted("Counting", 30), *between(0.1, steps), pause_s=2.0)

    assert line.startswith("Counting 21/30: entry 20")


def test_a_long_block_shows_its_activity_every_ten_seconds(
    bundle: Bundle, printed: Printed
) -> None:
    first = bundle.block_records()[0]
    begun = (
        BundleOpened(bundle.path, expected_s=600),
        StageStarted("Measuring", 2),
        BlockStarted(first.block, 1),
    )
    trials = (ActivityStarted(f"trial {number} of 18") for number in range(1, 19))

    step = f"Measuring 1/2: block 1 · {first.block.group}"
    assert printed(*begun, 1.5, *between(1.5, trials)) == [
        f"{step} (10:00 left)",
        f"{step}: trial 7 of 18 (9:50 left)",
        f"{step}: trial 14 of 18 (9:39 left)",
    ]


def test_each_block_states_what_is_decided_and_what_is_expected(
    bundle: Bundle, printed: Printed
) -> None:
    first, second = bundle.block_records()[:2]
    nearest, decided = printed(
        StageStarted("Measuring", 12),
        ComparisonsUpdated((), 7, 12, "fetch a hundred games", 5, seconds_left=100.0),
        BlockStarted(first.block, 1),
        BlockFinished(first),
        ComparisonsUpdated((), 12, 12, seconds_left=0.0),
        BlockStarted(second.block, 1),
    )

    assert_worded(nearest.rpartition(first.block.group)[2])
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
    bundle: Bundle, printed: Printed
) -> None:
    first = bundle.block_records()[0]
    opened = BundleOpened(bundle.path, expected_s=600.4)

    *_, last = printed(opened, StageStarted("Measuring", 2), BlockStarted(first.block, 1))

    assert "(10:00 left)" in last


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
    bundle: Bundle, printed: Printed
) -> None:
    first, second = bundle.block_records()[:2]
    lines = printed(
        BundleOpened(bundle.path, expected_s=60, at_least=True),
        StageStarted("Measuring", 3),
        BlockStarted(first.block, 1),
        5.0,
        ActivityStarted("search 1 of 1", is_long=True),
        45.0,
        BlockEstimated(120.0, once_s=40.0),  # now the length of trials is known
        ActivityStarted("trial 1 of 9", is_long=False),
        40.0,
        ActivityStarted("trial 4 of 9", is_long=False),
        80.0,
        BlockFinished(first),
        BlockStarted(second.block, 1),
    )

    # Each further block takes the time before the search, and what follows it.
    each = 10 + 120
    assert [line.rpartition(" (")[2] for line in lines] == [
        "at least 1:00 left)",
        "at least 1:00 left)",
        f"{clock_time(120 + 2 * each)} left)",
        f"{clock_time(80 + 2 * each)} left)",
        f"{clock_time(2 * each)} left)",
    ]


def test_blocks_are_counted_once_although_repeated(bundle: Bundle, printed: Printed) -> None:
    first, second = bundle.block_records()[:2]
    records = first, first.model_copy(update={"attempt": 2}), second
    blocks = [
        event
        for record in records
        for event in (BlockStarted(record.block, record.attempt), BlockFinished(record))
    ]

    lines = printed(StageStarted("Measuring", 2), *blocks)

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
