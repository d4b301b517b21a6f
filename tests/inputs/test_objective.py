"""What can be asked for as an objective, and how all else is refused."""

import json
from pathlib import Path

import pytest

from tests.support.wording import raises_worded
from wirelab.inputs.objective import check_objective

GRAMMAR = json.loads((Path(__file__).parents[1] / "study" / "objectives.json").read_text())
"""The load engine's tests read it, too."""


@pytest.mark.parametrize("objective", GRAMMAR["read"])
def test_an_objective_has_conditions(objective: str) -> None:
    assert check_objective(objective) == objective


@pytest.mark.parametrize("objective", GRAMMAR["refused"])
def test_an_invalid_objective_is_refused(objective: str) -> None:
    with raises_worded(ValueError):
        check_objective(objective)


def test_an_objective_has_each_criterion_once() -> None:
    with raises_worded(ValueError):
        check_objective("p99<50ms,failed<1%,p99<20ms")
