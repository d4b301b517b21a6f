"""The warm-up in turns: it lasts until every contender is steady, or its time is over."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from tests.measure.fake_engine import SLICE, WARM
from tests.study.builder import minimal, study_of
from wirelab.bundle.run_reasons import Unavailable
from wirelab.engine.events import SliceRow, Warm
from wirelab.engine.job import Slice
from wirelab.experiment.blocks.roster import Roster
from wirelab.experiment.blocks.slicing import LEAST_GUARD_S
from wirelab.experiment.blocks.turn_taking import MINIMUM_REHEARSALS, TurnTaking
from wirelab.measure.driver import Engine
from wirelab.planning.schedule import Block, Run
from wirelab.study import Cell, Slices, Study

REST, GRPC = (
    Run(name, 1, Cell(name, "fetch", "postgresql", "native", "u1")) for name in ("rest", "grpc")
)
SLICE_NS = 50_000_000

Course = Callable[[int], float]
"""The median response time in µs, by the number of the permutation."""


def flat(_: int) -> float:
    return 100.0


def falling(permutation: int) -> float:
    return 1000.0 - 10.0 * permutation


def falling_until(last: int) -> Course:
    return lambda permutation: falling(min(permutation, last))


class Scripted(Engine):
    """An engine whose targets answer as fast in each permutation as their courses say."""

    def __init__(self, *courses: Course) -> None:
        self.courses = courses
        self.permutations = 0
        self.failed = [0] * len(courses)
        self.error = "timeout"
        self.explained: list[int] = []
        self.recorded: set[bool] = set()
        self.firsts: list[int | None] = []

    def warm_up(self, target: int, *, transactions: int = 1, seconds: float = 0.0) -> Warm:
        return Warm.model_validate(WARM | {"target": target, "transactions": transactions})

    def slices(self, batch: Sequence[Slice], *, recorded: bool = True) -> list[SliceRow]:
        self.firsts += {each.first for each in batch}
        if recorded:
            self.explained += [each.target for each in batch]
        else:
            self.permutations += 1
        self.recorded.add(recorded)
        return [
            SliceRow.model_validate(
                SLICE
                | {"number": number, "target": each.target, "recorded": recorded}
                | {"started_ns": 0, "ended_ns": SLICE_NS, "failed": self.failed[each.target]}
                | {"errors": {self.error: failed} if (failed := self.failed[each.target]) else {}}
                | {"median_us": self.courses[each.target](self.permutations)}
            )
            for number, each in enumerate(batch)
        ]


def turn_taking(
    engine: Engine, longest_seconds: float, study: Study, *, load: str = "u1"
) -> TurnTaking:
    """Return the turns of REST and gRPC, which rehearse for at most these seconds each."""
    design = study.designs["smoke"]
    warm_up = design.warm_up.model_copy(update={"longest_seconds": longest_seconds})
    runs = tuple(replace(run, cell=replace(run.cell, load=load)) for run in (REST, GRPC))
    return TurnTaking(
        engine,
        runs,
        Roster(runs),
        study,
        design.model_copy(update={"warm_up": warm_up}),
        Block("b01-fetch", 1, 1, "fetch", runs, seed=1),
        parameter_sets=1,
        why_failed=lambda run, _: Unavailable(what=f"{run.id} failed"),
    )


def warm() -> dict[int, Warm]:
    """Return the outcome of the warm-up of both."""
    return {at: Warm.model_validate(WARM | {"target": at, "transactions": 100}) for at in (0, 1)}


def rehearsed(engine: Scripted, longest_seconds: float) -> TurnTaking:
    """Rehearse REST and gRPC, for at most this number of seconds each."""
    taking = turn_taking(engine, longest_seconds, study_of(minimal()))
    taking.rehearse(warm())
    return taking


@pytest.mark.parametrize(
    ("course", "longest_s", "permutations", "unsettled"),
    [
        (flat, 60.0, MINIMUM_REHEARSALS, ()),
        (falling_until(25), 60.0, 45, ()),
        (falling_until(40), 60.0, 67, ()),
        (falling, 25 * SLICE_NS / 1e9, 25, (GRPC.id,)),
        (falling, 0.0, 0, ()),
    ],
    ids=["steady", "falls", "falls longer", "time is over", "no time"],
)
def test_all_rehearse_until_each_is_steady_or_their_time_is_over(
    course: Course, longest_s: float, permutations: int, unsettled: tuple[str, ...]
) -> None:
    engine = Scripted(flat, course)

    taking = rehearsed(engine, longest_s)

    assert engine.permutations == permutations
    assert len(taking.turns) == 2 * permutations
    assert engine.recorded <= {False}
    assert taking.unsettled == unsettled
    assert taking.roster.left() == [REST, GRPC]


def test_turns_by_count_begin_behind_what_warm_up_and_rehearsal_sent() -> None:
    slices = Slices(permutations=3, by_count=True, transactions=4, milliseconds=0.001)
    engine = Scripted(flat, flat)
    taking = turn_taking(engine, 2 * SLICE_NS / 1e9, study_of(minimal()))
    taking = replace(
        taking, parameter_sets=25, design=taking.design.model_copy(update={"slices": slices})
    )

    taking.measure(taking.rehearse(taking.warm_up()), between=lambda: None)

    assert taking.design.warm_up.transactions == 10
    assert engine.firsts == [10, 14, 18, 22, 1]  # two rehearsals, then three recorded turns


def test_no_contender_waits_for_one_that_has_failed() -> None:
    engine = Scripted(flat, falling)
    engine.failed[1] = SLICE["transactions"]

    taking = rehearsed(engine, 60.0)

    assert engine.permutations == MINIMUM_REHEARSALS
    assert taking.roster.reasons == {GRPC.id: Unavailable(what="grpc failed")}
    assert taking.unsettled == ()
    assert engine.explained == []


@pytest.mark.parametrize("error", ["body_mismatch", "forbidden_content", "status", "grpc_status"])
def test_wrong_answers_before_the_measurement_are_recorded_once_for_their_excerpts(
    error: str,
) -> None:
    engine = Scripted(flat, falling)
    engine.failed[1], engine.error = SLICE["transactions"], error

    taking = rehearsed(engine, 60.0)

    assert engine.explained == [1]
    assert taking.roster.reasons == {GRPC.id: Unavailable(what="grpc failed")}
    assert {turn.row.recorded for turn in taking.turns} == {False}


@pytest.mark.parametrize(
    ("rate_per_s", "transactions", "longest_seconds", "rehearsals"),
    [(5.0, 5, 0.0, 0), (5.0, 5, 2.5, 3), (0.5, 1, 2.5, 2)],
)
def test_the_duration_of_all_turns_is_estimated_from_their_rate(
    rate_per_s: float, transactions: int, longest_seconds: float, rehearsals: int
) -> None:
    """A slice lasts for a second, or until a request: no rehearsal is cut short."""
    load = {"title": "sustained", "kind": "capacity", "objective": "p99<50ms"}
    study = study_of(minimal(load={"sustained": load}))
    taking = turn_taking(Scripted(flat, flat), longest_seconds, study, load="sustained")

    guard_s = 2 * WARM["p99_us"] / 1e6
    each_s = 2 * (transactions / rate_per_s + max(guard_s, LEAST_GUARD_S))
    permutations = taking.design.slices.permutations
    estimated = taking.expected_s(warm(), rate_per_s)
    assert estimated == pytest.approx((rehearsals + permutations) * each_s)
