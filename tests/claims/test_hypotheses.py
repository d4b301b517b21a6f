"""H0, H1 or H2: what all comparisons together say for the machine that measured."""

from collections.abc import Mapping

import pytest

from tests.study.builder import minimal, study_of
from tests.support.claims import JITTER, LEVELS
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


def decided(study: Study, in_container: Mapping[str, float], noise: float = 1.0) -> Decision:
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
    ("rest", "grpc", "accepted"),
    [
        (150.0, 140.0, "H2"),
        (60.0, 70.0, "H1"),
        (100.0, 100.5, "H0"),
        (150.0, 100.0, "H2"),
        (150.0, 60.0, None),
    ],
)
def test_differences_decide_unless_they_point_both_ways(
    study: Study, rest: float, grpc: float, accepted: str | None
) -> None:
    decision = decided(study, {"rest": rest, "grpc": grpc})

    assert decision.accepted == accepted


def test_the_sentence_counts_the_evidence_for_each_side(study: Study) -> None:
    assert decided(study, {"rest": 150.0, "grpc": 100.0}).sentence == (
        "H2 holds here: 1 of 2 comparisons have native lower,"
        " 1 of 2 comparisons are the same within the margin."
    )
    assert decided(study, {"rest": 150.0, "grpc": 60.0}).sentence.startswith(
        "None of them holds everywhere, H0 is refuted: "
    )


def test_an_undecided_comparison_leaves_it_open(study: Study) -> None:
    decision = decided(study, {"rest": 103.0, "grpc": 97.0}, noise=30.0)

    assert decision.accepted is None
    assert decision.sentence == "Not decided: 2 of 2 comparisons are undecided."


def test_missing_measurements_are_the_reason(study: Study) -> None:
    native = ClaimEvidence(
        {**BOTH, "environment": ("native",)}, lambda *_: {}, absent={"container": "no engine"}
    )

    decision = decide_hypotheses(study, native)

    assert decision is not None
    assert decision.sentence == "Not decided: no container (no engine)."


def test_a_study_without_hypotheses_decides_none(study: Study) -> None:
    plain = study.model_copy(update={"claims": ClaimsFile()})

    assert decide_hypotheses(plain, ClaimEvidence(BOTH, lambda *_: {})) is None
