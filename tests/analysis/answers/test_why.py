"""Why one side is faster: what was measured beside the times, and nothing else."""

from dataclasses import replace

import pytest

from tests.support.wording import assert_worded
from wirelab.analysis import Analysis
from wirelab.analysis.answers.headline import opening
from wirelab.analysis.model import ComparedPair
from wirelab.statistics import Outcome, compare, mean_estimate
from wirelab.statistics.block_value import BlockValue

WOBBLE = (-0.004, 0.004, -0.003, 0.003, -0.002, 0.002)


def with_costs(
    pair: ComparedPair, cpu: float | None, elsewhere: float | None, of_bytes: float | None
) -> ComparedPair:
    """The same comparison with other costs, each varying by less than a percent."""
    logs = [] if cpu is None else [BlockValue(cpu + each) for each in WOBBLE]
    return replace(
        pair,
        cpu=compare(logs, margin_ratio=0.05),
        elsewhere=None if elsewhere is None else mean_estimate([elsewhere + it for it in WOBBLE]),
        bytes_ratio=of_bytes,
    )


def why(analysis: Analysis, *pairs: ComparedPair) -> str:
    """The sentence about some comparisons alone."""
    answer = replace(analysis.answers[0], pairs=pairs)
    return opening(replace(analysis, answers=(answer,))).reasons.get("Why?", "")


@pytest.fixture(scope="module")
def slower(analysis: Analysis) -> ComparedPair:
    """A comparison whose first side is slower."""
    judged = ((pair, pair.verdict) for pair in analysis.pairs)
    return next(pair for pair, verdict in judged if verdict and verdict.outcome is Outcome.SLOWER)


def test_one_comparison_states_what_is_known(analysis: Analysis, slower: ComparedPair) -> None:
    known = (
        *((0.405, 0.0, 1.0), (0.0, 0.3, None), (-0.693, 0.3, 2.5)),
        *((None, None, 0.5), (None, None, None)),
    )

    *said, nothing = (why(analysis, with_costs(slower, *costs)) for costs in known)

    assert nothing == ""
    assert_worded("\n".join(said))


def test_both_orders_say_the_same(analysis: Analysis, slower: ComparedPair) -> None:
    assert slower.verdict is not None
    verdict = replace(slower.verdict, outcome=Outcome.FASTER)
    turned = replace(
        with_costs(slower, -0.405, -0.3, 0.5),
        a=slower.b,
        b=slower.a,
        a_label=slower.b_label,
        b_label=slower.a_label,
        verdict=verdict,
    )

    one = why(analysis, with_costs(slower, 0.405, 0.3, 2.0))
    assert why(analysis, turned).split("; ")[::2] == one.split("; ")[::2]


def test_what_noise_hides_is_not_said(analysis: Analysis, slower: ComparedPair) -> None:
    noisy = compare([BlockValue(each) for each in (-0.9, 1.1, -0.7, 0.8, 1.0, -1.1)])
    unsure = mean_estimate([-0.5, 0.5, -0.4, 0.4])

    assert why(analysis, replace(slower, cpu=noisy, elsewhere=unsure, bytes_ratio=None)) == ""


def test_several_comparisons_are_counted(analysis: Analysis, slower: ComparedPair) -> None:
    costs = [(0.4, 0.0, 0.9), (0.4, 0.3, 1.2), (-0.4, 0.3, 1.0)]
    cells = [replace(slower.a, workload=f"w{number}") for number in range(len(costs))]
    pairs = (
        replace(with_costs(slower, *it), a=cell) for it, cell in zip(costs, cells, strict=True)
    )

    assert_worded(why(analysis, *pairs))
