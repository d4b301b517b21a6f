"""The table of verdicts, case by case."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.statistics.constructed import ALTERNATING
from tests.support.wording import assert_worded
from wirelab.statistics import (
    RATE,
    Basis,
    Nuance,
    Outcome,
    Verdict,
    blocks_for,
    compare,
    decide,
    tie_groups,
)


def verdict_on(
    centre: float, spread: float, *, p_holm: float | None = None, blocks: int = 10
) -> Verdict:
    """Decide about log-ratios `centre` ± `spread`; half-width of the 95 % interval 0.754 spread."""
    differences = centre + spread * ALTERNATING[:blocks]
    comparison = compare(differences, margin_ratio=0.05)
    return decide(comparison, p_holm=comparison.p_value if p_holm is None else p_holm)


@pytest.mark.parametrize(
    ("centre", "spread", "outcome", "nuance"),
    [
        (-0.30, 0.05, Outcome.FASTER, Nuance.CLEARLY),
        (+0.30, 0.05, Outcome.SLOWER, Nuance.CLEARLY),
        (-0.07, 0.05, Outcome.FASTER, Nuance.PLAIN),
        (+0.07, 0.05, Outcome.SLOWER, Nuance.PLAIN),
        (0.00, 0.01, Outcome.SAME, Nuance.PLAIN),
        (-0.03, 0.01, Outcome.SAME, Nuance.NEGLIGIBLY),
        (+0.03, 0.01, Outcome.SAME, Nuance.NEGLIGIBLY),
        (0.00, 0.20, Outcome.CANNOT_TELL, Nuance.PLAIN),
    ],
)
def test_each_row_of_the_table(
    centre: float, spread: float, outcome: Outcome, nuance: Nuance
) -> None:
    verdict = verdict_on(centre, spread)

    assert (verdict.outcome, verdict.nuance) == (outcome, nuance)
    assert_worded(f"{verdict}: {verdict.reason}")


@pytest.mark.parametrize("centre", [0.0, 0.03, 0.10])
def test_noise_makes_no_verdict_easier_but_cannot_tell(centre: float) -> None:
    outcomes = [verdict_on(centre, spread).outcome for spread in (0.005, 0.02, 0.1, 0.5, 2.0)]

    noisy = outcomes.index(Outcome.CANNOT_TELL)
    assert len(set(outcomes[:noisy])) == 1
    assert set(outcomes[noisy:]) == {Outcome.CANNOT_TELL}


def test_the_margin_is_the_declared_one_however_wide() -> None:
    comparison = compare(0.15 + 0.01 * ALTERNATING, margin_ratio=0.5)

    assert decide(comparison, p_holm=1e-6).outcome is Outcome.SAME


def test_a_verdict_hidden_by_noise_has_the_number_of_blocks_that_would_suffice() -> None:
    verdict = verdict_on(0.0, 0.2)

    assert verdict.basis is Basis.NOISE
    # s = 0.2·√(10/9): 8.57·s²/(ln 1.05)² + 2 = 162.0 blocks.
    assert verdict.blocks_needed == 163
    # (s · (2.802 + 2.927)/ln 1.05)² + 2 = 614.8 blocks, if the ratio is 1.024.
    assert verdict.most_blocks_needed == 615


def test_a_difference_that_the_correction_removes_is_undecided() -> None:
    verdict = verdict_on(0.07, 0.05, p_holm=0.2)

    assert (verdict.outcome, verdict.basis) == (Outcome.CANNOT_TELL, Basis.FAMILY_CORRECTION)
    assert_worded(verdict.reason)


def test_a_pair_that_only_holm_leaves_open_needs_blocks_for_its_difference() -> None:
    comparison = compare(0.37 + 0.1535 * np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0]))
    shown = comparison.interval95
    assert shown == pytest.approx((1.213, 1.728), abs=0.01)

    verdict = decide(comparison, p_holm=20 * comparison.p_value)

    assert 0.05 < 20 * comparison.p_value < 0.07
    assert verdict.blocks_needed == 8
    # (3.82 · 0.168/ln 1.213)² + 4.4 = 15.5 blocks, if the ratio is the low end of the interval.
    assert verdict.most_blocks_needed == 16
    assert blocks_for(comparison.standard_deviation or 0.0, 0.05) > 100


def test_a_large_family_takes_more_blocks() -> None:
    comparison = compare(0.1 + 0.1 * ALTERNATING)

    needed = [decide(comparison, p_holm=n * comparison.p_value).blocks_needed for n in (10, 50)]

    assert needed == [19, 25]


def test_a_p_value_too_small_for_a_float_has_a_reason() -> None:
    comparison = compare([0.3] * 6)

    assert comparison.p_value == 0.0
    assert decide(comparison, p_holm=1.0).outcome is Outcome.CANNOT_TELL


@pytest.mark.parametrize("blocks", [1, 2, 5])
def test_fewer_than_six_blocks_never_give_a_verdict(blocks: int) -> None:
    verdict = verdict_on(-3.0, 0.01, blocks=blocks)

    assert (verdict.outcome, verdict.basis) == (Outcome.CANNOT_TELL, Basis.TOO_FEW_BLOCKS)
    assert verdict.further_blocks == 6 - blocks
    assert_worded(verdict.reason)


@given(st.lists(st.floats(min_value=-0.5, max_value=0.5), min_size=6, max_size=20))
def test_the_mirror_image_gets_the_mirrored_verdict(differences: list[float]) -> None:
    comparison, mirrored = compare(differences), compare([-d for d in differences])
    mirror = {Outcome.FASTER: Outcome.SLOWER, Outcome.SLOWER: Outcome.FASTER}

    outcome = decide(comparison, p_holm=comparison.p_value).outcome

    assert decide(mirrored, p_holm=comparison.p_value).outcome is mirror.get(outcome, outcome)


@pytest.mark.parametrize(
    ("centre", "outcome", "words"),
    [
        (0.2, Outcome.FASTER, "clearly more"),
        (-0.2, Outcome.SLOWER, "clearly less"),
        (0.02, Outcome.SAME, "practically the same"),
    ],
)
def test_of_rates_the_higher_one_is_better(centre: float, outcome: Outcome, words: str) -> None:
    comparison = compare(np.full(8, centre) + np.linspace(-0.01, 0.01, 8))

    verdict = decide(comparison, p_holm=comparison.p_value, direction=RATE)

    assert (verdict.outcome, verdict.words) == (outcome, words)


def verdict(outcome: Outcome) -> Verdict:
    return Verdict(outcome, Nuance.PLAIN, str(outcome), "")


def test_neighbours_that_are_not_distinguished_share_a_group() -> None:
    verdicts = {
        ("grpc", "rest"): verdict(Outcome.FASTER),
        ("websocket", "rest"): verdict(Outcome.CANNOT_TELL),
        ("websocket", "graphql"): verdict(Outcome.SAME),
        ("graphql", "soap"): verdict(Outcome.FASTER),
    }

    groups = tie_groups(["grpc", "rest", "websocket", "graphql", "soap"], verdicts)

    assert groups == [["grpc"], ["rest", "websocket", "graphql"], ["soap"]]


def test_no_group_contains_two_that_are_distinguished() -> None:
    verdicts = {
        ("rest", "grpc"): verdict(Outcome.SAME),
        ("grpc", "websocket"): verdict(Outcome.CANNOT_TELL),
        ("websocket", "rest"): verdict(Outcome.SLOWER),
    }

    assert tie_groups(["rest", "grpc", "websocket"], verdicts) == [["rest", "grpc"], ["websocket"]]


def test_no_contenders_make_no_groups() -> None:
    assert tie_groups([], {}) == []


def test_neighbours_without_a_verdict_make_no_order() -> None:
    assert tie_groups(["rest", "soap"], {}) is None


@pytest.mark.parametrize(
    ("names", "outcome"),
    [
        (("rest", "grpc"), Outcome.SLOWER),
        (("grpc", "rest"), Outcome.FASTER),
        (("rest", "soap"), Outcome.SLOWER),
    ],
)
def test_a_verdict_that_contradicts_the_order_leaves_none(
    names: tuple[str, str], outcome: Outcome
) -> None:
    verdicts = {
        ("rest", "grpc"): verdict(Outcome.SAME),
        ("grpc", "soap"): verdict(Outcome.SAME),
    }
    verdicts.pop((names[1], names[0]), None)

    assert tie_groups(["rest", "grpc", "soap"], verdicts | {names: verdict(outcome)}) is None
