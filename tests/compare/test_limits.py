"""Limits on the command line: the same grammar as that of `wirelab-load --fail-if`."""

import json
from pathlib import Path

import pytest

from wirelab.compare.limits import Limit

GRAMMAR = json.loads((Path(__file__).parent / "limits.json").read_text())
"""The engine's own tests read it as well: `wirelab-load --fail-if` has the same grammar."""


@pytest.mark.parametrize(("written", "contender", "metric", "sign", "value"), GRAMMAR["read"])
def test_a_limit_is_read(
    written: str, contender: str, metric: str, sign: str, value: float
) -> None:
    limit = Limit.parse(written)

    assert (limit.contender, limit.metric, limit.sign) == (contender, metric, sign)
    assert limit.value == pytest.approx(value)


@pytest.mark.parametrize("limit", GRAMMAR["refused"])
def test_the_error_for_an_invalid_limit_states_what_is_expected(limit: str) -> None:
    with pytest.raises(ValueError, match=r"METRIC>VALUE|unit"):
        Limit.parse(limit)
