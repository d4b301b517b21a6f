"""Holm's method, and the family of a study's comparisons."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirelab.statistics import holm


def test_vector_5_holm_multtest() -> None:
    p = [
        0.838541367553, 0.642193923795, 0.680845947633, 0.967833824309, 0.71626938238,
        0.177096952723, 5.23656777208e-05, 0.0202732688798, 0.00028140506198, 0.0149877310796,
    ]  # fmt: skip
    expected = [1, 1, 1, 1, 1, 1, 5.23656777e-04, 0.14191288216, 0.00253264558, 0.11990184864]

    assert holm(p) == pytest.approx(expected, rel=1e-8)


def test_vector_5_holm_small() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


@given(st.lists(st.floats(min_value=0.0, max_value=1.0), min_size=1, max_size=30))
def test_holm_never_lowers_a_p_and_keeps_their_order(p_values: list[float]) -> None:
    adjusted = holm(p_values)

    assert np.all(adjusted >= np.array(p_values))
    assert np.all(np.diff(adjusted[np.argsort(p_values, kind="stable")]) >= 0.0)


def test_an_empty_family_stays_empty() -> None:
    assert holm([]).size == 0
