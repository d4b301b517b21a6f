"""All permutations against the least-stolen half."""

import math

import numpy as np
import pytest

from wirelab.statistics import block_value, compare, is_too_stolen, stolen_effect

RNG = np.random.default_rng(30)
STOLEN = RNG.uniform(0.0, 0.4, (6, 30))
LOG_RATIOS = 0.1 + RNG.normal(0.0, 0.05, (6, 30))


def test_the_least_stolen_half_of_each_block_is_compared_too() -> None:
    found = stolen_effect(list(LOG_RATIOS), list(STOLEN))

    halves = [
        block_value(d[np.argsort(stolen)[:15]])
        for d, stolen in zip(LOG_RATIOS, STOLEN, strict=True)
    ]
    assert found.everything == compare([block_value(d) for d in LOG_RATIOS])
    assert found.least_stolen == compare(halves)
    assert found.kept_share == 0.5
    assert not found.differ


def test_a_difference_caused_by_stolen_time_is_found() -> None:
    made = LOG_RATIOS + np.where(np.median(STOLEN, axis=1, keepdims=True) < STOLEN, 0.3, 0.0)

    found = stolen_effect(list(made), list(STOLEN))

    assert found.differ
    assert found.least_stolen.ratio == pytest.approx(math.exp(0.1), rel=0.02)
    assert found.everything.ratio > math.exp(0.15)


def test_permutations_that_lost_equally_little_are_all_kept() -> None:
    """Ticks of the clock are coarse: most permutations of a quiet machine lost none."""
    quiet = np.where(STOLEN > 0.3, STOLEN, 0.0)

    found = stolen_effect(list(LOG_RATIOS), list(quiet))

    assert found.kept_share == pytest.approx(np.mean(quiet == 0.0))


def test_unknown_shares_are_not_among_the_least_stolen() -> None:
    unknown = np.full((6, 30), math.nan)
    partly = np.where(np.arange(30) < 10, math.nan, STOLEN)

    nothing = stolen_effect(list(LOG_RATIOS), list(unknown))

    assert (nothing.least_stolen.blocks, nothing.kept_share) == (0, 0.0)
    assert not nothing.differ
    assert stolen_effect(list(LOG_RATIOS), list(partly)).kept_share == pytest.approx(1 / 3)


def test_one_block_shows_no_difference() -> None:
    assert not stolen_effect([LOG_RATIOS[0]], [STOLEN[0]]).differ


@pytest.mark.parametrize(
    ("shares", "too_stolen"),
    [
        ([0.5] * 30, False),
        ([0.51] * 16 + [0.0] * 14, True),
        ([0.99] * 14 + [0.1] * 16, False),
        ([0.6, math.nan], True),
        ([math.nan], False),
        ([], False),
    ],
)
def test_a_block_that_lost_half_its_time_is_too_disturbed(
    shares: list[float], too_stolen: bool
) -> None:
    assert is_too_stolen(shares) is too_stolen
