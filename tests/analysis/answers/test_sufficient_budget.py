"""The budget that would decide a comparison: longer blocks first, more of them then."""

from typing import cast

import pytest

from wirelab.analysis.answers.effort import Effort
from wirelab.analysis.answers.sufficient_budget import (
    EXPECTED_BLOCKS,
    MOST_PERMUTATIONS,
    Undecided,
    sufficient_s,
)
from wirelab.analysis.model import ComparedPair
from wirelab.compare.budget import spend
from wirelab.statistics import VarianceComponents

REQUEST_S = 0.001
CONTENDERS = 3
BLOCK_S, PERMUTATION_S = 0.9, 0.174
"""The duration of a block without turns, and of a turn of each contender, as `spend` assumes."""
PERMUTATIONS = 10
LENGTH_S = BLOCK_S + PERMUTATIONS * PERMUTATION_S


def undecided(
    blocks: int,
    *,
    of_permutations: float,
    of_blocks: float,
    permutations: int = PERMUTATIONS,
    group: str = "fetch",
) -> Undecided:
    """Return a pair that so many blocks of the present length would decide."""
    components = VarianceComponents(
        permutation=of_permutations,
        blocks_observed=of_blocks + of_permutations / permutations,
        block=of_blocks,
    )
    return Undecided(cast("ComparedPair", None), group, blocks, permutations, components)


def budget_of(*pairs: Undecided) -> float:
    groups = {each.group for each in pairs}
    efforts = [
        Effort(group, 6, BLOCK_S, PERMUTATION_S, pairs[0].permutations, None) for group in groups
    ]
    return sufficient_s(pairs, efforts, dict.fromkeys(groups, LENGTH_S))


def test_if_permutations_vary_a_budget_for_longer_blocks_suffices() -> None:
    """Eight blocks with half as many permutations again are as exact as twelve."""
    found = budget_of(undecided(12, of_permutations=0.1, of_blocks=0.0))

    permutations = 12 * PERMUTATIONS // EXPECTED_BLOCKS
    assert found == pytest.approx(EXPECTED_BLOCKS * (BLOCK_S + permutations * PERMUTATION_S))
    spent = spend(found + 0.001, 1, CONTENDERS, request_s=REQUEST_S, start_s=0.0)
    assert spent.permutations == permutations


def test_if_blocks_vary_the_budget_includes_their_growth() -> None:
    """Longer blocks do not help, but a longer budget begins with them."""
    found = budget_of(undecided(12, of_permutations=0.0, of_blocks=0.01))

    longest_s = BLOCK_S + MOST_PERMUTATIONS * PERMUTATION_S
    assert found == pytest.approx(12 * longest_s)
    spent = spend(found, 1, CONTENDERS, request_s=REQUEST_S, start_s=0.0)
    assert spent.permutations == MOST_PERMUTATIONS
    assert found > 2 * 12 * LENGTH_S  # the present length would suggest too short a budget


@pytest.mark.parametrize(
    ("blocks", "pairs"),
    [
        (60, [undecided(60, of_permutations=0.1, of_blocks=0.01, permutations=MOST_PERMUTATIONS)]),
        (
            80,
            [
                undecided(number, of_permutations=0.0, of_blocks=0.01, group=group)
                for number, group in ((60, "fetch"), (20, "list"))
            ],
        ),
    ],
    ids=["cannot grow", "each group"],
)
def test_blocks_of_every_group_that_cannot_grow_only_become_more(
    blocks: int, pairs: list[Undecided]
) -> None:
    longest_s = BLOCK_S + MOST_PERMUTATIONS * PERMUTATION_S
    assert budget_of(*pairs) == pytest.approx(blocks * longest_s)
