"""Claims about contenders that took turns are judged by the values of their blocks."""

import math
from dataclasses import replace

import pytest

from tests.support.claims import claim, evidence
from tests.support.wording import assert_worded, raises_worded
from wirelab.claims import ClaimVerdict, check
from wirelab.statistics import BlockValue
from wirelab.study import Cell

FASTER = {"kind": "direction", "lower": "grpc", "higher": "rest"}
NOISE = (0.01, -0.01, 0.0, 0.005, -0.005, 0.0)


def in_turns(metric: str, a: Cell, b: Cell) -> dict[int, BlockValue]:
    """In turns, gRPC took half of REST's time; SOAP was in no block with them."""
    logs = {"grpc": math.log(0.5), "rest": 0.0}
    if a.contender not in logs or b.contender not in logs:
        return {}
    difference = logs[a.contender] - logs[b.contender]
    sign = -1.0 if metric == "throughput_per_s" else 1.0
    return {block: BlockValue(sign * (difference + noise)) for block, noise in enumerate(NOISE)}


@pytest.mark.parametrize(
    ("metric", "verdict", "ratio"),
    [
        ("latency_mean_us", ClaimVerdict.REPRODUCED, 0.5),
        ("throughput_per_s", ClaimVerdict.CONTRADICTED, 2.0),
    ],
)
def test_turns_come_before_the_values_of_runs(
    metric: str, verdict: ClaimVerdict, ratio: float
) -> None:
    """The values of the runs alone, which noise has spread, show no difference."""
    alone = evidence({"rest": 100.0, "grpc": 100.0}, noise=20.0)
    taken = replace(alone, in_turns=in_turns)
    expected = claim(FASTER | {"metric": metric})

    assert check("C1", expected, alone).verdict is ClaimVerdict.CANNOT_TELL
    result = check("C1", expected, taken)
    assert result.verdict is verdict
    assert result.tests[0].measured == pytest.approx(ratio, rel=0.01)


def test_cells_that_never_took_turns_are_compared_by_their_values() -> None:
    found = replace(evidence({"rest": 100.0, "soap": 300.0}), in_turns=in_turns)

    result = check("C1", claim({"kind": "direction", "lower": "rest", "higher": "soap"}), found)

    assert result.verdict is ClaimVerdict.REPRODUCED
    assert result.tests[0].measured == pytest.approx(1 / 3, rel=0.01)


def test_a_published_range_is_a_range() -> None:
    ratio = {"kind": "ratio", "numerator": "rest", "denominator": "grpc", "ratio": 2.0, "up_to": 4}

    result = check("C1", claim(ratio), evidence({"rest": 300.0, "grpc": 100.0}))

    assert result.verdict is ClaimVerdict.REPRODUCED
    assert_worded(result.tests[0].expected)
    with raises_worded(ValueError):
        claim(ratio | {"up_to": 2.0})
