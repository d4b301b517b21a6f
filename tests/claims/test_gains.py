"""Claims that something is the same, that it is no more, and that it gains most somewhere."""

from collections.abc import Mapping

import pytest

from tests.support.claims import JITTER, LEVELS, claim, evidence
from tests.support.wording import assert_worded, raises_worded
from wirelab.claims import ClaimEvidence, ClaimVerdict, check
from wirelab.study import Cell, Factor
from wirelab.terminal.words import between, estimate

SAME = {"kind": "same", "level": "grpc", "other": "rest"}
AT_MOST = {"kind": "at_most", "level": "grpc", "other": "rest"}


@pytest.mark.parametrize("metric", ["latency_mean_us", "throughput_per_s"])
def test_no_higher_states_how_much_higher_and_how_many_blocks_would_decide(metric: str) -> None:
    found = evidence({"rest": 100.0, "grpc": 100.0}, noise=20.0)

    (test,) = check("C1", claim(AT_MOST | {"metric": metric}), found).tests

    assert test.measured is not None
    assert estimate(test.measured, test.interval) in test.reason
    assert test.further_blocks is not None


@pytest.mark.parametrize("expected", [SAME, AT_MOST])
def test_noise_never_shows_that_something_is_the_same(expected: Mapping[str, object]) -> None:
    quiet, noisy = (evidence({"rest": 100.0, "grpc": 100.0}, noise=n) for n in (1.0, 20.0))

    assert check("C1", claim(expected), quiet).verdict is ClaimVerdict.REPRODUCED
    assert check("C1", claim(expected), noisy).verdict is ClaimVerdict.CANNOT_TELL


def gains(values: Mapping[tuple[str, str], float]) -> ClaimEvidence:
    """Return evidence with a mean for each contender and workload."""

    def of(_metric: str, cell: Cell) -> dict[int, float]:
        mean = values[cell.contender, cell.workload]
        start = list(values).index((cell.contender, cell.workload))
        return {block: mean * JITTER[(3 * start + block) % len(JITTER)] for block in range(6)}

    workloads = tuple(dict.fromkeys(workload for _, workload in values))
    return ClaimEvidence({**LEVELS, "workload": workloads}, of)


MOST = {
    "kind": "largest_gain",
    "metric": "throughput_per_s",
    "level": "grpc",
    "over": "rest",
    "across": "workload",
    "at": "tree",
    "among": ["leaf", "tree", "list"],
}


@pytest.mark.parametrize(
    ("at_the_list", "expected"),
    [
        (110.0, ClaimVerdict.REPRODUCED),
        (200.0, ClaimVerdict.SAME_WITHIN_MARGIN),
        (300.0, ClaimVerdict.CONTRADICTED),
    ],
)
def test_a_gain_is_the_largest_relative_to_what_it_started_from(
    at_the_list: float, expected: ClaimVerdict
) -> None:
    found = gains(
        {
            ("rest", "leaf"): 5000.0,
            ("grpc", "leaf"): 5000.0,
            ("rest", "tree"): 10.0,
            ("grpc", "tree"): 20.0,
            ("rest", "list"): 100.0,
            ("grpc", "list"): at_the_list,
        }
    )

    result = check("C1", claim(MOST), found)

    assert result.verdict is expected
    first = result.tests[0]
    assert first.measured == pytest.approx(2.0, rel=0.02)
    assert first.interval is not None
    assert between(first.interval) in first.reason


@pytest.mark.parametrize("expected", [SAME, AT_MOST, MOST], ids=lambda each: each["kind"])
def test_each_test_describes_what_is_expected(expected: Mapping[str, object]) -> None:
    workload: dict[Factor, tuple[str, ...]] = {"workload": ("leaf", "tree", "list")}
    found = check("C1", claim(expected), evidence({}, levels=workload))

    assert_worded("\n".join(test.expected for test in found.tests))


def test_a_gain_across_what_is_compared_is_refused() -> None:
    with raises_worded(ValueError):
        claim(MOST | {"across": "contender", "at": "grpc", "among": ["grpc", "soap"]})
