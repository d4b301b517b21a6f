"""Claims of several places, of two curves, and of levels that have a treatment of their own."""

from collections.abc import Mapping

import pytest
from pydantic import ValidationError

from tests.support.claims import JITTER, LEVELS, claim, evidence
from tests.support.wording import raises_worded
from wirelab.claims import ClaimEvidence, ClaimVerdict, check
from wirelab.statistics import AnyOf, Part, compare
from wirelab.study import Cell, Factor
from wirelab.study.claim import ClaimsFile

REPRODUCED, CONTRADICTED = ClaimVerdict.REPRODUCED, ClaimVerdict.CONTRADICTED
CANNOT_TELL = ClaimVerdict.CANNOT_TELL


@pytest.mark.parametrize("metric", ["throughput_per_s", "message_bytes"])
@pytest.mark.parametrize(
    ("grpc", "times", "expected"),
    [
        (90.0, 1.0, {REPRODUCED}),
        (130.0, 1.0, {CONTRADICTED}),
        (20.0, 4.0, {REPRODUCED}),
        (30.0, 4.0, {CONTRADICTED}),
    ],
)
def test_somewhere_needs_one_place(
    metric: str, grpc: float, times: float, expected: set[ClaimVerdict]
) -> None:
    expectation = {"kind": "somewhere", "metric": metric, "lower": "grpc", "times": times}
    found = evidence({"rest": 100.0, "grpc": grpc, "soap": 80.0})

    result = check("C1", claim(expectation | {"higher": ["rest", "soap"]}), found)

    assert {result.verdict} == expected
    assert len(result.tests) == 1


def test_somewhere_is_negligible_if_each_place_is() -> None:
    found = evidence({"rest": 100.0, "grpc": 100.0, "soap": 100.0})
    expectation = {"kind": "somewhere", "lower": "grpc", "higher": ["rest", "soap"]}

    assert check("C1", claim(expectation), found).verdict is ClaimVerdict.SAME_WITHIN_MARGIN


def test_one_of_several_is_corrected_for_their_number() -> None:
    parts = [Part.lower(compare([shift + each for each in JITTER])) for shift in (-1.02, -0.99)]

    several = AnyOf.of(parts)

    assert several.best is parts[0]
    assert several.p_holds == pytest.approx(2 * parts[0].p_holds)
    assert several.p_fails == max(part.p_fails for part in parts)


CURVES = {"steep": 2.0, "flat": 0.3, "as_steep": 2.0}
"""The exponent of each curve over 1, 2 and 4."""


@pytest.mark.parametrize(
    ("than", "expected"),
    [(["flat"], REPRODUCED), (["as_steep"], CANNOT_TELL), (["flat", "as_steep"], CANNOT_TELL)],
)
def test_a_curve_is_steeper_than_each_of_the_others(
    than: list[str], expected: ClaimVerdict
) -> None:
    points = {f"{name}_{x}": (x, power) for name, power in CURVES.items() for x in (1, 2, 4)}

    def values(_metric: str, cell: Cell) -> Mapping[int, float]:
        x, power = points[cell.workload]
        start = list(points).index(cell.workload)
        return {n: 100.0 * x**power * JITTER[(start + n) % len(JITTER)] for n in range(6)}

    def curve(name: str) -> dict[str, float]:
        return {f"{name}_{x}": float(x) for x in (1, 2, 4)}

    steeper = {"kind": "steeper", "compare": "workload", "where": {"contender": "rest"}}
    tested = claim(steeper | {"at": curve("steep"), "than": [curve(name) for name in than]})

    result = check("C1", tested, ClaimEvidence({**LEVELS, "workload": tuple(points)}, values))

    assert result.verdict is expected
    assert len(result.tests) == len(than)


def test_a_level_can_have_its_own_treatment() -> None:
    expectation = {
        "kind": "order",
        "ascending": ["grpc", "rest", "soap"],
        "where": {"load": "u1", "proxy": "none"},
    }
    own = {"own": {"rest": {"load": "u2", "proxy": "nginx"}}}
    levels: dict[Factor, tuple[str, ...]] = {"load": ("u1", "u2"), "proxy": ("none", "nginx")}
    found = evidence({"rest": 90.0, "grpc": 80.0, "soap": 100.0}, levels=levels)

    result = check(
        "C1", claim(expectation | own | {"where": {"load": "u1", "proxy": "none"}}), found
    )

    assert [[cell.load + cell.proxy for cell in test.cells] for test in result.tests] == [
        ["u1none", "u2nginx"],
        ["u2nginx", "u1none"],
    ]
    assert result.verdict is REPRODUCED
    with raises_worded(ValidationError):
        claim(expectation | {"own": {"rest": {"contender": "grpc"}}})


def test_a_claim_has_its_own_treatment_or_that_of_the_file() -> None:
    statement = {"text": "", "source": "", "expect": [{"kind": "qualitative", "reason": "taste"}]}
    claims = {
        "all": statement,
        "own": statement | {"treatment_differs": "in rounds"},
        "none": statement | {"treatment_differs": ""},
    }
    file = ClaimsFile.model_validate({"treatment_differs": "another client", "claim": claims})

    found = {name: file.treatment_of(name) for name in claims}
    assert found == {"all": "another client", "own": "in rounds", "none": ""}
