"""Searches for capacities that fail: who is blamed, and whether the others go on."""

import pytest

from tests.study.builder import minimal, study_of
from wirelab.experiment.roster import Roster
from wirelab.experiment.trial_grid import Grid
from wirelab.experiment.trials import Trials
from wirelab.measure.engine import Engine
from wirelab.measure.errors import (
    EngineDiedError,
    EngineError,
    EngineHungError,
    NoCapacityError,
)
from wirelab.measure.events import CapacityFound
from wirelab.schedule import Block, Run
from wirelab.study import Cell

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


def trials(error: EngineError) -> Trials:
    block = Block("b01-fetch", 1, 1, "fetch", RUNS, seed=1)
    study = study_of(minimal(load=LOAD))
    return Trials(SearchFails(error), study, block, RUNS, Roster(RUNS), Grid())


@pytest.mark.parametrize("error", [EngineDiedError, EngineHungError])
def test_an_engine_that_fails_in_a_search_is_not_blamed_on_the_contender(
    error: type[EngineError],
) -> None:
    failing = trials(error("the engine ended with exit code 1"))

    with pytest.raises(error):
        failing.carry_out()

    assert failing.roster.left() == list(RUNS)


def test_a_contender_without_a_capacity_is_given_up_with_the_reason() -> None:
    failing = trials(NoCapacityError("none of 20 transactions of the warm-up succeeded"))

    assert failing.carry_out() is None
    assert failing.roster.left() == []
    assert set(failing.roster.reasons.values()) == {
        "none of 20 transactions of the warm-up succeeded"
    }
