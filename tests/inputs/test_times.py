"""The grammar of times: options, study files and the load engine read the same."""

import json
from pathlib import Path

import pytest

from wirelab.inputs.times import read_seconds, read_us

GRAMMAR = json.loads((Path(__file__).parent / "times.json").read_text())
"""The load engine's tests read it, too."""


@pytest.mark.parametrize(("written", "us"), GRAMMAR["read"])
def test_a_time_has_a_unit(written: str, us: float) -> None:
    assert read_us(written, needs_unit=True) == us
    assert read_seconds(written) == us / 1e6


@pytest.mark.parametrize(("written", "us"), GRAMMAR["plain"])
def test_a_plain_number_is_seconds_unless_a_unit_is_needed(written: str, us: float) -> None:
    assert read_us(written) == us
    with pytest.raises(ValueError, match="unit"):
        read_us(written, needs_unit=True)


@pytest.mark.parametrize("written", GRAMMAR["refused"])
def test_the_error_for_anything_else_states_what_is_expected(written: str) -> None:
    with pytest.raises(ValueError, match="500ms"):
        read_us(written)
