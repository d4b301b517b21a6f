"""Searches for capacities that fail: which part failed, and whether the others continue."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.measure.fake_engine import SLICE
from tests.study.builder import minimal, study_of
from tests.support.capacity_searches import search
from wirelab.bundle.run_reasons import NoCapacity
from wirelab.engine.errors import EngineDiedError, EngineError, EngineHungError, NoCapacityError
from wirelab.engine.events import CapacityFound, Judged, SliceRow
from wirelab.engine.job import Slice
from wirelab.experiment.blocks.roster import Roster
from wirelab.experiment.blocks.trial_grid import BEYOND, TrialGrid
from wirelab.experiment.blocks.trials import WARM_UP_CLIENTS, Trials, warm_up
from wirelab.experiment.events import ActivityStarted, BlockEstimated, Event, Observer
from wirelab.measure.driver import Engine
from wirelab.planning.schedule import Block, Run
from wirelab.study import CapacityLoad, Cell

LOAD = {"sustained": {"title": "sustained", "kind": "capacity", "objective": "p99<50ms"}}
RUNS = tuple(
    Run(name, 1, Cell(name, "fetch", "postgresql", "native", "sustained"))
    for name in ("rest", "grpc")
)


class SearchFails(Engine):
    """An engine of which every search for a capacity fails."""

    def __init__(self, error: EngineError) -> None:
        self.error = error

    def find_capacity(self, *_: object, **__: object) -> CapacityFound:
        raise self.error


def trials(
    engine: Engine, grid: TrialGrid | None = None, runs: tuple[Run, ...] = RUNS, **more: Any
) -> Trials:
    """Return the trials of runs in the first block."""
    block, study = Block("b01-fetch", 1, 1, "fetch", RUNS, seed=1), study_of(minimal(load=LOAD))
    return Trials(engine, study, block, runs, Roster(runs), grid or TrialGrid(), **more)


@pytest.mark.parametrize("error", [EngineDiedError, EngineHungError])
def test_a_failure_of_the_engine_in_a_search_is_not_one_of_the_contender(
    error: type[EngineError],
) -> None:
    failing = trials(SearchFails(error("exit code 1")))

    with pytest.raises(error):
        failing.find_rates()

    assert failing.roster.left() == list(RUNS)


def test_a_contender_without_a_capacity_is_given_up_with_the_reason() -> None:
    failing = trials(SearchFails(NoCapacityError("none succeeded")))

    assert failing.find_rates() is None
    assert failing.roster.left() == []
    assert {each.brief for each in failing.roster.reasons.values()} == {"none succeeded"}


class Answers(Engine):
    """An engine that runs slices immediately, and keeps the requested ones."""

    def __init__(self) -> None:
        self.sent: list[Slice] = []

    def slices(self, slices: Sequence[Slice], *, recorded: bool = True) -> list[SliceRow]:
        self.sent += slices
        row = {**SLICE, "number": 0, "recorded": False}
        return [SliceRow.model_validate({**row, "target": each.target}) for each in slices]


def test_no_request_of_a_trial_is_due_just_when_it_ends() -> None:
    engine = Answers()
    asking = trials(engine)

    for rate in (141.9, 736.3, 1531.96):
        asking._trial(RUNS[0], rate, 20 / rate, seed=1)

    for each in engine.sent:
        assert each.rate_per_s is not None
        assert each.stop.seconds is not None
        for edge_s in (each.guard_us / 1e6, each.guard_us / 1e6 + each.stop.seconds):
            assert edge_s * each.rate_per_s % 1 == pytest.approx(0.5, abs=0.01)


class Expected(Observer):
    """Keeps estimates of the remaining time, and what may last much longer than anything else."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.long: list[str] = []

    def on(self, event: Event) -> None:
        match event:
            case ActivityStarted(text, is_long=True):
                self.long.append(text)
            case BlockEstimated(seconds, once_s):
                assert once_s >= 0
                self.seconds.append(seconds)


class FindsSlowServers(Answers):
    """An engine whose searches find a rate, which trials of 5 s can judge; 10/s are sustained."""

    found = 10.0

    def find_capacity(self, *_: object, **__: object) -> CapacityFound:
        return search(self.found, self.found).model_copy(update={"trial_s": 5.0})

    def slices(self, slices: Sequence[Slice], *, recorded: bool = True) -> list[SliceRow]:
        judged = [
            Judged(due=50, good=50, loss_ratio=0.0, is_kept=(each.rate_per_s or 0.0) < 10.0)
            for each in slices
        ]
        rows = super().slices(slices, recorded=recorded)
        return [row.model_copy(update={"judged": it}) for row, it in zip(rows, judged, strict=True)]


class NeverKept(FindsSlowServers):
    """An engine whose searches find a rate that no trial sustains."""

    def slices(self, slices: Sequence[Slice], *, recorded: bool = True) -> list[SliceRow]:
        return Answers.slices(self, slices, recorded=recorded)


def test_the_remaining_time_of_a_block_includes_what_follows_its_searches() -> None:
    observer = Expected()
    slow = trials(FindsSlowServers(), observer=observer, turns_s=lambda rate: 100 / rate)

    slow.find_rates()

    limit = "at most 40 s"
    assert observer.long == [f"search 1 of 2, {limit}, rest", f"search 2 of 2, {limit}, grpc"]
    (found,) = observer.seconds
    trials_s = len(RUNS) * (9 * 2 + 2) * 5.0 * 1.1
    queues_s = len(RUNS) * (9 + 2) * 32 / 10.0  # those of all connections, where they are filled
    turns_s, recoveries_s = 100 / 5.0, len(RUNS) * 2 * 20 / 5.0
    assert found == pytest.approx(trials_s + queues_s + turns_s + recoveries_s, rel=0.04)


@pytest.mark.parametrize("found", [1.0, 8.0, 60.0, 700.0])
def test_trials_approach_the_capacity_that_a_disturbed_search_missed(found: float) -> None:
    engine, grid = FindsSlowServers(), TrialGrid()
    engine.found = found
    turns = trials(engine, grid)

    turns.find_rates()

    assert [*turns.rates.values()] == pytest.approx([10.0, 10.0], rel=0.03)


@pytest.mark.parametrize(
    ("budget_s", "count", "seconds"), [(None, 18, 5.0), (900.0, 9, 5.0), (90.0, 9, 4.0)]
)
def test_a_budget_shortens_trials(budget_s: float | None, count: int, seconds: float) -> None:
    turns = trials(FindsSlowServers(), runs=RUNS[:1], budget_s=budget_s)

    turns.find_rates()

    (taken,) = turns.taken.values()
    assert [each.seconds for each in taken] == [pytest.approx(seconds)] * count


def test_a_server_that_meets_the_objective_at_no_rate_is_given_up_in_the_first_block() -> None:
    never = trials(NeverKept())

    assert never.find_rates() is None
    assert {*never.grid.without_capacity.values()} == {NoCapacity(of="no rate")}


class Sustains(FindsSlowServers):
    """An engine whose searches find 10 requests a second, of servers that sustain other rates."""

    def __init__(self, *rates_per_s: float) -> None:
        super().__init__()
        self.rates_per_s = rates_per_s

    def slices(self, slices: Sequence[Slice], *, recorded: bool = True) -> list[SliceRow]:
        rows = super().slices(slices, recorded=recorded)
        kept = [(each.rate_per_s or 0.0) <= self.rates_per_s[each.target] for each in slices]
        judged = [Judged(due=50, good=50, loss_ratio=0.0, is_kept=each) for each in kept]
        return [
            row.model_copy(update={"judged": one}) for row, one in zip(rows, judged, strict=True)
        ]


@pytest.mark.parametrize("rate_per_s", [13.0, 7.5])
def test_a_capacity_beyond_the_grid_is_found_by_further_trials(rate_per_s: float) -> None:
    grid = TrialGrid(approached={run.cell for run in RUNS})  # in an earlier block
    both = trials(Sustains(rate_per_s, 10.0), grid)

    both.find_rates()

    beyond, within = (both.record(run) for run in RUNS)
    assert beyond.rate_per_s == pytest.approx(rate_per_s, rel=0.04)
    assert within.rate_per_s == pytest.approx(10.0, rel=0.04)
    assert len(within.trials) == 9 * 2 < len(beyond.trials) <= (9 + BEYOND) * 2


def test_a_capacity_far_beyond_the_grid_is_left_to_the_next_block() -> None:
    grid = TrialGrid(approached={run.cell for run in RUNS})
    both = trials(Sustains(100.0, 10.0), grid)

    both.find_rates()

    assert both.record(RUNS[0]).rate_per_s is None
    assert both.roster.left() == [RUNS[1]]
    assert grid.rate(RUNS[0].cell, 0) > 11.0


def test_a_warm_up_uses_every_connection() -> None:
    engine, load = (
        Answers(),
        CapacityLoad(title="sustained", kind="capacity", objective="p99<50ms", connections=32),
    )

    warm_up(engine, 0, load, transactions=10, seconds=0.5)

    assert [each.clients for each in engine.sent] == [32, WARM_UP_CLIENTS, WARM_UP_CLIENTS]
    assert engine.sent[0].stop.transactions == 32
