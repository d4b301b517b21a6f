"""The parts of claims: what they say, when they hold and fail, and how large an effect is."""

import math

import numpy as np
import pytest

from tests.statistics.constructed import ALTERNATING, known, measured, once
from wirelab.statistics import (
    EffectSize,
    Interval,
    Method,
    Part,
    compare,
    effect_size,
    log_log_slope,
)

LEVEL = 0.025


@pytest.mark.parametrize("method", Method)
@pytest.mark.parametrize(
    ("ratio", "holds", "fails"),
    [
        (0.90, ("lower", "at_most"), ("higher", "same")),
        (1.10, ("higher",), ("lower", "at_most", "same")),
        (1.00, ("at_most", "same"), ()),
        (1.05, ("higher",), ("lower",)),
    ],
)
def test_what_holds_and_what_fails(
    method: Method, ratio: float, holds: tuple[str, ...], fails: tuple[str, ...]
) -> None:
    comparison = measured(ratio, spread=0.015, method=method)
    parts = {
        "lower": Part.lower(comparison),
        "higher": Part.higher(comparison),
        "at_most": Part.at_most(comparison),
        "same": Part.same(comparison),
    }

    assert {name for name, part in parts.items() if part.p_holds < LEVEL} == {*holds}
    assert {name for name, part in parts.items() if part.p_fails < LEVEL} == {*fails}


def test_a_part_holds_at_the_level_of_a_95_percent_interval() -> None:
    comparison = measured(1.02)
    assert comparison.interval95 is not None
    low, high = np.log(comparison.interval95)

    assert Part.within(comparison, low, math.inf).p_holds == pytest.approx(LEVEL)
    assert Part.within(comparison, high, math.inf).p_fails == pytest.approx(LEVEL)
    assert Part.within(comparison, low - 1e-6, high + 1e-6).p_holds < LEVEL


@pytest.mark.parametrize(
    ("published", "low", "high"),
    [
        (once(2.0), 1.6, 2.5),
        (once(0.5), 0.4, 0.625),
        (once(1.1), 1.0, 1.375),
        (once(0.9), 0.72, 1.0),
        (once(1.02), 1 / 1.05, 1.275),
        (once(0.98), 0.784, 1.05),
        (once(1.0), 0.8, 1.25),
        (Interval(2.0, 4.0), 1.6, 5.0),
        (Interval(0.9, 1.1), 0.72, 1.375),
        (Interval(1.0, 1.5), 1 / 1.05, 1.875),
    ],
)
def test_a_size_is_within_a_factor_of_the_published_one(
    published: Interval, low: float, high: float
) -> None:
    part = Part.size(measured(1.0), published)

    assert (math.exp(part.low), math.exp(part.high)) == pytest.approx((low, high))


def test_precision_does_not_speak_against_a_size() -> None:
    """True 1.02 times the published ratio: the more exact, the better it is reproduced."""
    p_values = [Part.size(measured(2.04, spread), once(2.0)).p_holds for spread in (0.3, 0.1, 0.02)]

    assert p_values[0] > LEVEL
    assert LEVEL > p_values[1] > p_values[2]


def test_noise_does_not_reproduce_a_size() -> None:
    assert Part.size(measured(2.0, spread=0.5), once(2.0)).p_holds > LEVEL


@pytest.mark.parametrize(
    ("ratio", "published", "expected"),
    [
        (0.96, once(0.59), EffectSize.MUCH_SMALLER),
        (0.75, once(0.59), EffectSize.SMALLER),
        (0.62, once(0.59), EffectSize.AS_PUBLISHED),
        (0.40, once(0.59), EffectSize.LARGER),
        (0.20, once(0.59), EffectSize.MUCH_LARGER),
        (1.30, once(0.59), EffectSize.MUCH_SMALLER),
        (1.10, once(2.00), EffectSize.MUCH_SMALLER),
        (3.00, once(2.00), EffectSize.LARGER),
        (5.00, once(2.00), EffectSize.MUCH_LARGER),
        (2.50, once(2.00), EffectSize.UNDECIDED),
        (3.00, Interval(2.0, 4.0), EffectSize.AS_PUBLISHED),
        (1.10, once(1.00), EffectSize.AS_PUBLISHED),
        (1.50, once(1.00), EffectSize.LARGER),
        (0.60, once(1.00), EffectSize.LARGER),
        (1.25, once(1.00), EffectSize.UNDECIDED),
    ],
)
def test_effects_are_compared_with_published_ones(
    ratio: float, published: Interval, expected: EffectSize
) -> None:
    comparison = measured(ratio)

    assert effect_size(comparison, published) is expected
    assert Part.higher(comparison, published).effect is expected


def assert_shows_nothing(part: Part) -> None:
    assert (part.p_holds, part.p_fails, part.effect) == (1.0, 1.0, None)
    assert not part.is_negligible


@pytest.mark.parametrize("method", Method)
def test_too_few_blocks_show_nothing(method: Method) -> None:
    few = compare((0.3 + 0.01 * ALTERNATING)[: method.least_blocks - 1], method=method)

    part = Part.higher(few, once(1.35))

    assert_shows_nothing(part)
    assert part.further_blocks(holds_at=LEVEL, fails_at=LEVEL) == 1


def test_without_a_spread_the_repeated_t_shows_nothing() -> None:
    part = Part.higher(compare([0.3] * 10, method=Method.REPEATED_T), once(1.35))

    assert_shows_nothing(part)
    assert part.further_blocks(holds_at=LEVEL, fails_at=LEVEL) is None


@pytest.mark.parametrize("method", Method)
def test_blocks_that_would_close_a_part(method: Method) -> None:
    """The farther the mean lies from the limits, and the higher the level, the fewer."""
    near, far = (measured(ratio, spread=0.2, method=method) for ratio in (1.05, 1.2))

    def further(part: Part, level: float = LEVEL) -> int:
        return known(part.further_blocks(holds_at=level, fails_at=level))

    assert further(Part.higher(near)) > further(Part.higher(far)) > 0
    assert further(Part.lower(near)) == further(Part.higher(near))
    assert further(Part.higher(near), LEVEL / 10) > further(Part.higher(near))
    assert further(Part.same(measured(1.0, 0.2, method))) > 0


def test_the_exponent_of_a_power_law_is_recovered() -> None:
    levels = np.array([3, 4, 5, 10, 20])

    assert log_log_slope(levels, 7.0 * levels**0.5) == pytest.approx(0.5)
    assert log_log_slope(levels, np.full(5, 40.0)) == pytest.approx(0.0)
