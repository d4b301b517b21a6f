"""A table of two factors is taken apart into their effects."""

import math

import numpy as np
import pytest

from wirelab.statistics import two_way

ROWS = np.array([0.5, 2.0])
COLUMNS = np.array([1.0, 2.0, 0.5])


def test_factors_that_multiply_are_found_with_their_shares() -> None:
    table = 100.0 * np.outer(ROWS, COLUMNS)

    found = two_way([table, table * 1.5])  # a slower block changes nothing

    assert found is not None
    assert [each.value for each in found.rows] == pytest.approx([0.5, 2.0])
    assert [each.value for each in found.columns] == pytest.approx([1.0, 2.0, 0.5])
    # Sums of squares: rows 3 * 2 * ln(2)², columns 2 * 2 * ln(2)².
    assert found.row_share == pytest.approx(0.6)
    assert found.column_share == pytest.approx(0.4)
    assert found.combination_share == pytest.approx(0.0, abs=1e-9)
    assert found.blocks == 2


def test_the_effect_of_a_combination_belongs_to_neither_factor() -> None:
    table = np.array([[2.0, 0.5], [0.5, 2.0]])

    found = two_way([table])

    assert found is not None
    assert found.row_share == pytest.approx(0.0)
    assert found.column_share == pytest.approx(0.0)
    assert found.combination_share == pytest.approx(1.0)
    assert found.rows[0].interval is None, "one block has no spread"


def test_intervals_cover_the_effect_as_often_as_stated() -> None:
    generator = np.random.Generator(np.random.PCG64(1))
    true, covered, tries = np.outer(ROWS, COLUMNS), 0, 400
    for _ in range(tries):
        noise = np.exp(generator.normal(0.0, 0.1, (6, 2, 3)))
        found = two_way(true * noise)
        assert found is not None
        interval = found.rows[1].interval
        assert interval is not None
        covered += interval.low <= 2.0 <= interval.high

    assert 0.92 <= covered / tries <= 0.98


def test_blocks_that_lack_a_value_are_left_out() -> None:
    whole = np.outer(ROWS, COLUMNS)
    holed = whole.copy()
    holed[0, 0] = math.nan

    found = two_way([whole, holed, whole])

    assert found is not None
    assert found.blocks == 2
    assert two_way([holed]) is None
    assert two_way([]) is None
    assert two_way([np.ones((2, 2))]) is None, "nothing differs"
