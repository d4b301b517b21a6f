"""Which blocks are measured: within the time budget, and as many looks as are left."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.study.builder import given, study_of
from tests.support.bundles.samples import create, record_of
from tests.support.observers import KeptNotes
from wirelab.analysis import ComparedPair
from wirelab.bundle import Bundle
from wirelab.experiment.blocks import queue
from wirelab.experiment.blocks.queue import BlockQueue
from wirelab.planning.plan import PlannedStudy
from wirelab.planning.schedule import Schedule, schedule
from wirelab.statistics import MINIMUM_BLOCKS, compare
from wirelab.study import Cell

REST, GRPC = (Cell(it, "fetch", "postgresql", "native", "u1") for it in ("rest", "grpc"))
VARIABLE = ComparedPair(
    a=GRPC,
    b=REST,
    a_label="gRPC",
    b_label="REST",
    comparison=compare([7.0, -7.0, 7.0, -7.0, 7.0, -7.0]),
    p_holm=None,
    verdict=None,
    other=None,
    stolen=None,
    cpu=None,
    bytes_ratio=None,
    line="",
)
"""A pair whose interval is never narrow enough."""


@dataclass
class Clockwork:
    """Measures nothing: a block takes as long as its group says, in seconds."""

    bundle: Bundle
    seconds: Callable[[str], int]

    def measure(self, queue: BlockQueue) -> None:
        while (block := queue.take()) is not None:
            times = {"finished_utc": f"2026-11-20T10:00:{self.seconds(block.group):02}.000+00:00"}
            self.bundle.record_block(record_of(block).model_copy(update=times))
            queue.finish(block)


@dataclass
class World:
    """A study whose blocks a clockwork measures."""

    bundle: Bundle
    clockwork: Clockwork
    queue: BlockQueue
    notes: list[str]

    def measure(self) -> None:
        self.clockwork.measure(self.queue)

    def kinds(self) -> list[object]:
        return [event["event"] for event in self.bundle.events()]


def world(
    folder: Path,
    *workloads: str,
    seconds: Callable[[str], int] = lambda _: 5,
    planned: int | None = None,
    earlier_looks: int = 0,
    **design: Any,
) -> World:
    """Plan a study; its schedule has `planned` blocks, if earlier looks have made it longer."""
    study = study_of(given().workloads(*workloads).design(**design).raw)
    laid_out = schedule(study, "smoke", 1, blocks=planned)
    bundle = create(folder / "bundle", blocks=1)
    bundle.write_schedule(laid_out)
    for _ in range(earlier_looks):
        bundle.append_event("look")
    observer = KeptNotes()
    plan = PlannedStudy(study, None, {}, laid_out)  # type: ignore[arg-type]
    queue = BlockQueue(plan, bundle, observer)
    return World(bundle, Clockwork(bundle, seconds), queue, observer.texts)


@pytest.mark.parametrize(
    ("budget_s", "measured", "left_out"),
    [
        (10, MINIMUM_BLOCKS, "6 blocks are"),
        (40, 8, "4 blocks are"),
        (44, 8, "4 blocks are"),
        (55, 11, "1 block is"),
    ],
)
def test_no_block_begins_that_would_exceed_the_budget_but_six_are_measured(
    tmp_path: Path, budget_s: int, measured: int, left_out: str
) -> None:
    found = world(tmp_path, "fetch", blocks=12, budget_minutes=budget_s / 60)

    found.measure()

    assert len(found.bundle.finished_block_ids()) == measured
    assert [block.number for block in found.bundle.schedule.blocks] == [*range(1, measured + 1)]
    assert found.notes == [f"the time budget is used up: {left_out} left out"]
    assert found.bundle.events()[-1]["left_out"] == 12 - measured


def test_a_block_is_expected_to_take_as_long_as_others_of_its_group(tmp_path: Path) -> None:
    def seconds(group: str) -> int:
        return 20 if group.startswith("insert") else 5

    # 8 s are left after six blocks of each: enough for one that fetches, not for one that inserts.
    found = world(
        tmp_path, "fetch", "insert", seconds=seconds, blocks=8, budget_minutes=(6 * 25 + 8) / 60
    )

    found.measure()

    assert found.bundle.schedule.repetitions == {"fetch": 7, "insert": MINIMUM_BLOCKS}


def test_without_a_budget_all_blocks_are_measured(tmp_path: Path) -> None:
    found = world(tmp_path, "fetch", blocks=12)

    found.measure()

    assert len(found.bundle.finished_block_ids()) == 12
    assert (found.notes, found.kinds()) == ([], [])


def test_further_blocks_end_with_the_reason_if_the_budget_ends_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def very_variable(_: Bundle, schedule: Schedule) -> dict[str, ComparedPair]:
        return dict.fromkeys(schedule.repetitions, VARIABLE)

    monkeypatch.setattr(queue, "most_variable", very_variable)
    found = world(tmp_path, "fetch", blocks=6, budget_minutes=50 / 60)

    found.measure()

    *announced, last = found.notes
    assert announced
    assert all("more block" in it for it in announced)
    assert last == "the time budget is used up before all intervals are within ±2.5\u00a0%"


@pytest.mark.parametrize(
    ("earlier_looks", "planned", "blocks"), [(0, 6, [8, 10]), (1, 8, [10]), (2, 10, [])]
)
def test_a_resumed_study_continues_with_the_next_look(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    earlier_looks: int,
    planned: int,
    blocks: list[int],
) -> None:
    def very_variable(_: Bundle, schedule: Schedule) -> dict[str, ComparedPair]:
        return dict.fromkeys(schedule.repetitions, VARIABLE)

    monkeypatch.setattr(queue, "most_variable", very_variable)
    found = world(
        tmp_path,
        "fetch",
        planned=planned,
        earlier_looks=earlier_looks,
        looks=[8, 10],
        precision=0.02,
    )

    found.measure()

    assert len(found.notes) == len(blocks)
    assert all("more block" in it and " gRPC against REST at “" in it for it in found.notes)
    looks = [event for event in found.bundle.events() if event["event"] == "look"]
    assert [[*look["blocks"].values()] for look in looks[earlier_looks:]] == [[n] for n in blocks]
    assert len(found.bundle.finished_block_ids()) == max(planned, *blocks, 0)
