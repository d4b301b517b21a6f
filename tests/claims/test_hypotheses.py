"""H0, H1 or H2: what all comparisons together say for the machine that measured."""

from collections.abc import Mapping

import pytest

from tests.study.builder import minimal, study_of
from tests.support.claims import JITTER, LEVELS
from tests.support.wording import assert_worded
from wirelab.claims import ClaimEvidence, Decision, decide_hypotheses
from wirelab.study import Cell, Study
from wirelab.study.claim import ClaimsFile

BOTH = {**LEVELS, "contender": ("rest", "grpc"), "environment": ("native", "container")}


@pytest.fixture
def study() -> Study:
    claims = ClaimsFile.model_validate(
        {
            "hypotheses": {
                "metric": "latency_mean_us",
                "compare": "environment",
                "one": "container",
                "other": "native",
                "H0": "no difference",
                "H1": "containers are better",
                "H2": "this machine is better",
            }
        }
    )
    made = study_of(minimal(environments=["native", "container"]))
    return made.model_copy(update={"claims": claims})


def decided(study: Study, in_container: Mapping[str, float], noise: float) -> Decision:
    """Decide where every contender takes 100 natively, and this much in a container."""

    def values(_metric: str, cell: Cell) -> dict[int, float]:
        mean = in_container[cell.contender] if cell.environment == "container" else 100.0
        start = 3 * (cell.environment == "container")
        return {
            block: mean * (1.0 + noise * (JITTER[(start + block) % len(JITTER)] - 1.0))
            for block in range(6)
        }

    decision = decide_hypotheses(study, ClaimEvidence(BOTH, values))
    assert decision is not None
    return decision


@pytest.mark.parametrize(
    ("rest", "grpc", "noise", "accepted"),
    [
        (150.0, 140.0, 1.0, "H2"),
        (60.0, 70.0, 1.0, "H1"),
        (100.0, 100.5, 1.0, "H0"),
        (150.0, 100.0, 1.0, "H2"),
        (150.0, 60.0, 1.0, None),
        (103.0, 97.0, 30.0, None),
    ],
)
def test_differences_decide_unless_noise_hides_them_or_they_point_both_ways(
    study: Study, rest: float, grpc: float, noise: float, accepted: str | None
) -> None:
    decision = decided(study, {"rest": rest, "grpc": grpc}, noise)

    assert decision.accepted == accepted
    assert_worded(decision.sentence)


def test_missing_measurements_are_the_reason(study: Study) -> None:
    native = ClaimEvidence(
        {**BOTH, "environment": ("native",)}, lambda *_: {}, absent={"container": "no engine"}
    )

    decision = decide_hypotheses(study, native)

    assert decision is not None
    assert decision.accepted is None
    assert_worded(decision.sentence)


def test_a_study_without_hypotheses_decides_none(study: Study) -> None:
    plain = study.model_copy(update={"claims": ClaimsFile()})

    assert decide_hypotheses(plain, ClaimEvidence(BOTH, lambda *_: {})) is None
