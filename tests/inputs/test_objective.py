"""What can be asked for as an objective, and how all else is refused."""

import json
from pathlib import Path

import pytest

from tests.support.wording import assert_worded
from wirelab.inputs.objective import check_objective

GRAMMAR = json.loads((Path(__file__).parents[1] / "study" / "objectives.json").read_text())
"""The load engine's tests read it, too."""


@pytest.mark.parametrize("objective", GRAMMAR["read"])
def test_an_objective_has_conditions(objective: str) -> None:
    assert check_objective(objective) == objective


def test_invalid_objectives_are_refused_with_what_would_be_right() -> None:
    refused: dict[str, list[str]] = {}
    for objective in (*GRAMMAR["refused"], "p99<50ms,failed<1%,p99<20ms"):
        with pytest.raises(ValueError, match=r"\w") as error:
            check_objective(objective)
        refused.setdefault(str(error.value), []).append(objective)

    assert_worded("\n".join(f"{' | '.join(those)}: {why}" for why, those in refused.items()))
