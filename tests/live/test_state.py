"""Events of a study folded into figures."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.measure.fake_engine import SLICE
from tests.support.bundles.reasons import IT_DIED
from tests.support.bundles.samples import record_of, schedule_of
from wirelab.engine.events import SliceRow
from wirelab.experiment.events import (
    ActivityStarted,
    BlockFinished,
    BlockStarted,
    BundleOpened,
    StageStarted,
    StepStarted,
    TurnsFinished,
)
from wirelab.live.state import MOST_BINS, History, LiveState
from wirelab.planning.schedule import Block, Run

BLOCK = schedule_of(1).blocks[0]
(RUN,) = BLOCK.runs
WHO = RUN.cell.registration


def turn(**changes: Any) -> tuple[Run, SliceRow]:
    """A slice of 50 ms with ten transactions of 4 ms, and a guard of 50 ms."""
    figures = {
        "transactions": 10,
        "failed": 0,
        "errors": {},
        "guard_ns": 50_000_000,
        "started_ns": 50_000_000,
        "ended_ns": 100_000_000,
        "drain_ns": 0,
        "mean_us": 4000.0,
        "median_us": 4000.0,
        "p90_us": 5000.0,
        "p99_us": 9000.0,
        "cpu_us": {"contender": 30_000.0, "store": None},
        "number": 0,
        "target": 0,
        "recorded": True,
    }
    return RUN, SliceRow.model_validate(SLICE | figures | changes)


def finish(state: LiveState, at: float, block: Block = BLOCK, **changes: Any) -> None:
    state.take(at, BlockFinished(record_of(block, **changes)))


@pytest.fixture
def state() -> LiveState:
    made = LiveState()
    made.take(100.0, BundleOpened(Path("/bundle"), expected_s=60.0))
    return made


def test_stages_count_their_steps_and_estimate_the_remaining_time(state: LiveState) -> None:
    state.take(100.0, StageStarted("Setting up", 4))
    state.take(100.0, StepStarted("building a"))
    state.take(103.0, StepStarted("building b"))
    stage = state.stages[0]
    assert (stage.done, stage.step) == (1, "building b")
    assert stage.seconds_left(103.0) == pytest.approx(9.0)

    state.take(110.0, StageStarted("Measuring", 6))
    assert (stage.done, stage.seconds(200.0), stage.seconds_left(200.0)) == (4, 10.0, None)
    measuring = state.stages[1]
    assert measuring.seconds_left(110.0) is None
    state.take(110.0, BlockStarted(BLOCK, 1))
    assert measuring.seconds_left(120.0) == pytest.approx(50.0)  # as planned
    finish(state, 130.0, status="invalid", reasons=(IT_DIED,))
    assert measuring.seconds_left(130.0) == pytest.approx(100.0)  # as it turned out
    assert state.runs_invalid == 1
    assert list(state.notes) == [f"not counted: {RUN.id}: it died"]


def test_a_block_that_is_repeated_counts_once(state: LiveState) -> None:
    state.take(100.0, StageStarted("Measuring", 2))
    for attempt in (1, 2):
        state.take(100.0, BlockStarted(BLOCK, attempt))
        finish(state, 101.0)
    assert (state.stages[0].done, state.blocks_finished) == (1, {BLOCK.id})


def test_turns_become_rates_percentiles_errors_and_costs(state: LiveState) -> None:
    first = turn(p99_us=10_000.0)
    second = turn(transactions=30, failed=3, errors={"timeout": 3}, p99_us=20_000.0)
    state.take(101.0, TurnsFinished((first, second)))

    tally = state.tallies[WHO]
    assert tally.rate() == pytest.approx(40 / 0.1)
    assert tally.percentile_us("p99") == pytest.approx(15_000.0)
    assert (tally.transactions, tally.failed, tally.errors["timeout"]) == (40, 3, 3)
    assert tally.duration_s == pytest.approx(37 * 0.004)
    assert state.cpu_s[WHO, "contender"] == pytest.approx(0.06)
    assert (WHO, "store") not in state.cpu_s  # it was gone
    series = state.history.since(0, 101.5)
    assert series[f"rate/{WHO}"] == [None, pytest.approx(400.0)]
    assert series[f"cpu/{WHO}/contender"] == [None, pytest.approx(0.3)]


def test_the_activity_is_removed_when_the_block_ends(state: LiveState) -> None:
    state.take(100.0, StageStarted("Measuring", 2))
    state.take(100.0, BlockStarted(BLOCK, 1))
    state.take(101.0, ActivityStarted("trial 7 of 18\x1b"))
    assert state.doing == "trial 7 of 18\\x1b"

    finish(state, 102.0)
    assert state.doing == ""


def test_a_slice_without_any_success_has_no_percentiles(state: LiveState) -> None:
    nothing = {"mean_us": None, "median_us": None, "p90_us": None, "p99_us": None}
    state.take(101.0, TurnsFinished((turn(failed=10, **nothing),)))

    assert state.tallies[WHO].percentile_us("p50") is None
    assert state.tallies[WHO].duration_s == 0


def test_figures_remain_until_the_next_block_has_some(state: LiveState) -> None:
    state.take(101.0, TurnsFinished((turn(),)))
    state.take(102.0, BlockStarted(replace(BLOCK, id="b2"), 1))
    tally = state.tallies[WHO]
    assert tally.is_before
    assert tally.rate() == pytest.approx(200.0)

    state.take(103.0, TurnsFinished((turn(transactions=30),)))
    assert not tally.is_before
    assert tally.rate() == pytest.approx(600.0)
    assert tally.transactions == 40


def test_attempts_at_blocks_have_a_begin_and_an_end(state: LiveState) -> None:
    state.take(100.0, BlockStarted(BLOCK, 1))
    state.take(103.0, BlockStarted(BLOCK, 2))
    finish(state, 105.0)
    state.take(106.0, BlockStarted(replace(BLOCK, id="b2"), 1))

    spans = [(span.block, span.begin, span.end) for span in state.spans]
    assert spans == [(BLOCK.id, 100.0, 103.0), (BLOCK.id, 103.0, 105.0), ("b2", 106.0, None)]
    state.take(109.0, StageStarted("Sealing", 1))
    assert state.spans[-1].end == 109.0


def test_a_history_of_hours_keeps_its_size_and_its_means() -> None:
    history = History(0.0)
    hours = 4 * 3600
    for second in range(hours):
        history.add(second, "rate/a", 10.0 + second % 2)

    series = history.since(0, hours)["rate/a"]
    assert len(series) <= MOST_BINS
    assert history.width_s == 32
    assert set(series[:-1]) == {10.5}


def test_gaps_are_not_filled() -> None:
    history = History(0.0)
    history.add(0.5, "rate/a", 6.0, 2.0)
    history.add(3.5, "rate/a", 8.0)

    assert history.since(0, 4.2)["rate/a"] == [3.0, None, None, 8.0, None]
    assert history.since(3, 4.2)["rate/a"] == [8.0, None]
