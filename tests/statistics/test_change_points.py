"""Levels are found where they change, and nowhere else."""

import numpy as np
import pytest

from wirelab.statistics import levels

ERROR = 0.01


def starts(values: object, variances: object) -> list[int]:
    return [level.first for level in levels(values, variances)][1:]  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [1, 2, 3, 60, 300])
def test_noise_alone_has_one_level(size: int) -> None:
    random = np.random.default_rng(size)
    runs = 200

    wrong = sum(
        bool(starts(random.normal(0.0, ERROR, size), np.full(size, ERROR**2))) for _ in range(runs)
    )

    assert wrong <= 0.05 * runs


def test_levels_have_weighted_means_and_cover_all_values() -> None:
    values, variances = [0.0, 0.02, 1.0, 1.3, 1.0], [1e-4, 1e-4, 1e-4, 1e-2, 1e-4]

    first, second = levels(values, variances)

    assert (first.first, first.end, second.first, second.end) == (0, 2, 2, 5)
    assert first.mean == pytest.approx(0.01)
    assert second.mean == pytest.approx((2e4 + 130) / (2e4 + 100))


@pytest.mark.parametrize("values", [[0.0, 0.36], [0.0, 0.0, 0.36], [0.0, 0.36, 0.36, 0.36]])
def test_a_large_change_is_found_in_a_short_series(values: list[float]) -> None:
    assert starts(values, [ERROR**2] * len(values)) == [values.index(0.36)]


@pytest.mark.parametrize("step", [0.03, 0.05, 0.1])
def test_three_changes_of_a_few_percent_are_found(step: float) -> None:
    random = np.random.default_rng(1)
    truth = np.repeat([0.0, step, 0.0, step], 15)
    runs = 100

    found = [
        starts(truth + random.normal(0.0, ERROR, 60), np.full(60, ERROR**2)) for _ in range(runs)
    ]

    near = sum(
        len(each) == 3 and all(abs(a - b) <= 1 for a, b in zip(each, (15, 30, 45), strict=True))
        for each in found
    )
    assert near >= 0.9 * runs


def test_variation_between_sessions_is_not_taken_for_changes() -> None:
    random = np.random.default_rng(2)
    values = random.normal(0.0, 5 * ERROR, (100, 60))

    wrong = sum(bool(starts(each, np.full(60, ERROR**2))) for each in values)

    assert wrong <= 10
