"""The twin: what a setting resolves, and whether the method can be believed."""

import pytest

from wirelab.statistics import Method, compare, resolution, resolves, twin_check

QUIET = [0.0, 0.01, -0.01, 0.005, -0.005, 0.0]


def test_a_setting_resolves_the_half_width_of_its_twins_interval() -> None:
    twin = compare(QUIET)

    found = resolution(twin)

    assert found.twin is twin
    assert found.half_width_ratio == twin.half_width_ratio
    assert found.half_width_ratio == pytest.approx(0.0074, abs=1e-4)
    assert not found.distinguished


def test_a_twin_that_differs_from_itself_is_a_false_alarm() -> None:
    assert resolution(compare([d + 0.1 for d in QUIET])).distinguished


def test_too_few_blocks_resolve_nothing() -> None:
    found = resolution(compare([0.1, 0.11, 0.1, 0.11, 0.1]))

    assert (found.half_width_ratio, found.distinguished) == (None, False)


@pytest.mark.parametrize(
    ("alarms", "comparisons", "reliable"),
    # Exact binomial tails at 5 %: P(X >= 4 | 20) = 0.0159, P(X >= 5 | 20) = 0.0026.
    [(0, 20, True), (4, 20, True), (5, 20, False), (1, 1, True), (2, 2, False)],
)
def test_too_many_false_alarms_make_a_study_unreliable(
    alarms: int, comparisons: int, reliable: bool
) -> None:
    check = twin_check([0.001] * alarms + [0.5] * (comparisons - alarms))

    assert (check.false_positives, check.comparisons) == (alarms, comparisons)
    assert check.reliable is reliable


def test_without_twins_nothing_speaks_against_the_study() -> None:
    assert twin_check([]).reliable


def test_a_setting_resolves_the_median_half_width_of_its_pairs() -> None:
    pairs = [compare([d * factor for d in QUIET]) for factor in (1, 3, 10)]
    few = compare([0.1, -0.1, 0.2])

    assert resolves([*pairs, few]) == pairs[1].half_width_ratio
    assert resolves([few]) is None
    assert resolves([]) is None


def test_a_twin_is_also_checked_after_any_block() -> None:
    four = compare([0.1, 0.11, 0.1, 0.11], method=Method.REPEATED_T)

    assert resolution(four).distinguished
    assert resolution(four).half_width_ratio == four.half_width_ratio
