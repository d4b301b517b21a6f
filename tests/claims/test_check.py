"""Claims come to every verdict that they can come to, each for the right reason."""

from dataclasses import replace
from typing import Any

import pytest

from tests.study.builder import minimal, study_of
from tests.support.claims import claim, evidence
from tests.support.wording import assert_worded
from wirelab.claims import ClaimsFile, ClaimVerdict, check, check_claims
from wirelab.claims.judge import COUNTED_ONCE
from wirelab.statistics import Basis, EffectSize, Method
from wirelab.study import Cell, Published
from wirelab.terminal.words import between

GRPC_FASTER = {"kind": "direction", "lower": "grpc", "higher": "rest"}
RATIO = {"kind": "ratio", "numerator": "grpc", "denominator": "rest", "ratio": 2.0}


def verdict(expectation: dict[str, Any], found: Any) -> ClaimVerdict:
    return check("C1", claim(expectation), found).verdict


def published(*, rest: float, grpc: float) -> Published:
    """Return a table of mean latencies."""
    printed = {"contender": {"R": "rest", "G": "grpc"}}
    rows = [{"contender": "R", "values": [rest]}, {"contender": "G", "values": [grpc]}]
    table = {"source": "Table 1", "title": "t", "columns": ["latency_mean_us"], "rows": rows}
    return Published.model_validate(
        {"names": printed, "table": [table]}, context={"printed": printed}
    )


RATES = {"metric": "throughput_per_s"}
REST_FASTER = {"kind": "direction", "lower": "rest", "higher": "grpc"}
SAME = {"kind": "same", "level": "grpc", "other": "rest"}
AT_MOST = SAME | {"kind": "at_most"}
ORDER = {"kind": "order", "ascending": ["grpc", "rest", "soap"]}
LIMIT = {"kind": "threshold", "where": {"contender": "rest"}}


@pytest.mark.parametrize(
    ("expectation", "means", "expected", "measured"),
    [
        (GRPC_FASTER, (100.0, 80.0), "REPRODUCED", 0.8),
        (GRPC_FASTER, (100.0, 92.0), "REPRODUCED", 0.92),
        (GRPC_FASTER, (100.0, 100.0), "SAME_WITHIN_MARGIN", 1.0),
        (GRPC_FASTER, (100.0, 125.0), "CONTRADICTED", 1.25),
        (GRPC_FASTER | {"times": 1.5}, (200.0, 100.0), "REPRODUCED", 0.75),
        (GRPC_FASTER | {"times": 3.0}, (200.0, 100.0), "CONTRADICTED", 1.5),
        # The lower number is the smaller one, also where more is better.
        (REST_FASTER | RATES, (500.0, 1000.0), "REPRODUCED", 0.5),
        (GRPC_FASTER | RATES, (500.0, 1000.0), "CONTRADICTED", 2.0),
        (GRPC_FASTER | RATES | {"times": 3.0}, (100.0, 180.0), "CONTRADICTED", 5.4),
        (ORDER, (100.0, 50.0, 300.0), "REPRODUCED", 0.5),
        (ORDER, (100.0, 50.0, 100.0), "SAME_WITHIN_MARGIN", 0.5),
        (ORDER, (100.0, 50.0, 90.0), "CONTRADICTED", 0.5),
        (RATIO, (100.0, 200.5), "REPRODUCED", 2.005),
        (RATIO, (100.0, 210.0), "REPRODUCED", 2.1),
        (RATIO, (100.0, 260.0), "DIRECTION_ONLY", 2.6),
        (RATIO, (100.0, 500.0), "DIRECTION_ONLY", 5.0),
        (RATIO, (100.0, 100.0), "SAME_WITHIN_MARGIN", 1.0),
        (RATIO, (100.0, 50.0), "CONTRADICTED", 0.5),
        (RATIO | RATES, (500.0, 1000.0), "REPRODUCED", 2.0),
        (SAME, (100.0, 100.0), "REPRODUCED", 1.0),
        (SAME, (100.0, 125.0), "CONTRADICTED", 1.25),
        (SAME, (100.0, 80.0), "CONTRADICTED", 0.8),
        (SAME, (100.0, 105.5), "CANNOT_TELL", 1.055),
        (AT_MOST, (100.0, 50.0), "REPRODUCED", 0.5),
        (AT_MOST, (100.0, 103.0), "REPRODUCED", 1.03),
        (AT_MOST, (100.0, 105.0), "CANNOT_TELL", 1.05),
        (AT_MOST, (100.0, 120.0), "CONTRADICTED", 1.2),
        (AT_MOST | RATES, (100.0, 50.0), "REPRODUCED", 0.5),
        (AT_MOST | RATES, (100.0, 120.0), "CONTRADICTED", 1.2),
        (LIMIT | {"below": 110.0}, (100.0,), "REPRODUCED", None),
        (LIMIT | {"above": 110.0}, (100.0,), "CONTRADICTED", None),
        (LIMIT | {"above": 100.0}, (100.0,), "CANNOT_TELL", None),
    ],
)
def test_each_kind_of_claim_comes_to_its_verdicts(
    expectation: dict[str, Any], means: tuple[float, ...], expected: str, measured: float | None
) -> None:
    found = evidence(dict(zip(("rest", "grpc", "soap"), means, strict=False)))

    result = check("C1", claim(expectation), found)

    assert result.verdict is ClaimVerdict[expected]
    first = result.tests[0]
    assert first.measured == (measured and pytest.approx(measured, rel=0.02))
    if first.interval is not None:
        assert first.interval.contains(measured or 0.0)
        assert between(first.interval) in first.reason


def test_a_wider_margin_turns_a_small_difference_into_none() -> None:
    found = evidence({"rest": 100.0, "grpc": 92.0}, margin_ratio=0.2)

    assert verdict(GRPC_FASTER, found) is ClaimVerdict.SAME_WITHIN_MARGIN


@pytest.mark.parametrize(
    ("expectation", "expected"),
    [
        (RATIO | {"ratio": 0.5}, "REPRODUCED"),
        (RATIO | {"ratio": 0.2}, "DIRECTION_ONLY"),
        (RATIO, "CONTRADICTED"),
        (SAME, "CONTRADICTED"),
        (AT_MOST, "REPRODUCED"),
        (GRPC_FASTER | {"times": 1.6}, "REPRODUCED"),
        (GRPC_FASTER | {"times": 3.0}, "CONTRADICTED"),
    ],
)
def test_counts_of_bytes_need_no_blocks_whatever_is_claimed(
    expectation: dict[str, object], expected: str
) -> None:
    counted = evidence({"rest": 6000, "grpc": 3000}, blocks=2, noise=0)

    found = verdict(expectation | {"metric": "wire_marginal_bytes"}, counted)

    assert found is ClaimVerdict[expected]


def test_a_difference_hidden_by_noise_is_undecided() -> None:
    result = check("C1", claim(GRPC_FASTER), evidence({"rest": 100.0, "grpc": 95.0}, noise=15))

    (test,) = result.tests
    assert (result.verdict, test.cause) == (ClaimVerdict.CANNOT_TELL, Basis.NOISE)
    assert test.further_blocks is not None
    assert test.further_blocks > 0


@pytest.mark.parametrize("expectation", [GRPC_FASTER, AT_MOST], ids=lambda each: each["kind"])
@pytest.mark.parametrize("method", Method)
def test_too_few_blocks_cannot_tell_however_clear_the_difference(
    method: Method, expectation: dict[str, Any]
) -> None:
    values, least = {"rest": 100.0, "grpc": 50.0}, method.least_blocks
    few, enough = (
        check("C1", claim(expectation), evidence(values, blocks=count, method=method))
        for count in (least - 1, least)
    )

    (test,) = few.tests
    assert (few.verdict, test.cause) == (ClaimVerdict.CANNOT_TELL, Basis.TOO_FEW_BLOCKS)
    assert test.measured == pytest.approx(0.5, rel=0.01)
    assert test.further_blocks == 1
    assert enough.verdict is ClaimVerdict.REPRODUCED


def test_a_contender_without_a_valid_run_is_undecided() -> None:
    result = check("C1", claim(GRPC_FASTER), evidence({"rest": 100.0}))

    assert result.verdict is ClaimVerdict.CANNOT_TELL
    assert result.tests[0].measured is None


def test_all_claims_of_a_study_are_one_family() -> None:
    """p is 0.015, one-sided: enough for one claim, and not for the nearest of three."""
    found = evidence({"rest": 100.0, "grpc": 91.0}, noise=6)
    claims = {name: claim(GRPC_FASTER) for name in ("C1", "C2", "C3")}
    study = study_of(minimal()).model_copy(
        update={"claims": ClaimsFile.model_construct(claims=claims)}
    )

    alone, together = check("C1", claims["C1"], found), check_claims(study, found)

    assert alone.verdict is ClaimVerdict.REPRODUCED
    for each in together:
        assert (each.verdict, each.holding, each.tested) == (ClaimVerdict.CANNOT_TELL, 1, 1)
        assert each.tests[0].cause is Basis.FAMILY_CORRECTION
        assert each.tests[0].further_blocks is not None


@pytest.mark.parametrize(
    ("grpc", "verdict", "effect"),
    [
        (59.0, ClaimVerdict.REPRODUCED, EffectSize.AS_PUBLISHED),
        (93.0, ClaimVerdict.REPRODUCED, EffectSize.MUCH_SMALLER),
        (30.0, ClaimVerdict.REPRODUCED, EffectSize.MUCH_LARGER),
    ],
)
def test_a_direction_is_reproduced_with_the_size_of_its_effect(
    grpc: float, verdict: ClaimVerdict, effect: EffectSize
) -> None:
    found = evidence({"rest": 100.0, "grpc": grpc})

    result = check("C1", claim(GRPC_FASTER), found, published(rest=100.0, grpc=59.0))

    assert (result.verdict, result.tests[0].effect) == (verdict, effect)
    assert ("0.59× was published" in result.sentence) is (effect is not EffectSize.AS_PUBLISHED)


@pytest.mark.parametrize(
    ("kind", "level", "expected", "holding"),
    [
        ("lowest", "grpc", ClaimVerdict.REPRODUCED, 2),
        ("highest", "rest", ClaimVerdict.CONTRADICTED, 1),
    ],
)
def test_an_extreme_is_compared_with_every_other(
    kind: str, level: str, expected: ClaimVerdict, holding: int
) -> None:
    expectation = {"kind": kind, "level": level, "among": ["rest", "grpc", "soap"]}

    result = check("C1", claim(expectation), evidence({"rest": 100.0, "grpc": 50.0, "soap": 200.0}))

    assert (result.verdict, result.holding, result.tested) == (expected, holding, 2)
    assert_worded("\n".join([result.sentence, *(test.expected for test in result.tests)]))


def test_a_claim_with_two_expectations_needs_both() -> None:
    soap_slower = {"kind": "direction", "lower": "rest", "higher": "soap"}
    found = evidence({"rest": 100.0, "grpc": 80.0, "soap": 100.0})

    result = check("C1", claim(GRPC_FASTER, soap_slower), found)

    assert result.verdict is ClaimVerdict.SAME_WITHIN_MARGIN
    assert [test.verdict for test in result.tests] == [
        ClaimVerdict.REPRODUCED,
        ClaimVerdict.SAME_WITHIN_MARGIN,
    ]


def test_a_ratio_that_no_block_measured_has_the_reason_alone() -> None:
    result = check("C1", claim(RATIO), evidence({"rest": 100.0}))

    assert result.tests[0].cause is Basis.TOO_FEW_BLOCKS
    assert_worded(result.tests[0].reason)


def test_counts_of_bytes_are_compared_directly_without_blocks() -> None:
    expectation = {
        "kind": "lowest",
        "metric": "wire_single_bytes",
        "level": "grpc",
        "among": ["rest", "grpc", "soap"],
    }
    fewest = evidence({"grpc": 3000, "rest": 3100, "soap": 9000}, blocks=1, noise=0)
    level = evidence({"grpc": 3000, "rest": 3001, "soap": 9000}, blocks=1, noise=0)
    most = evidence({"grpc": 3200, "rest": 3100, "soap": 9000}, blocks=1, noise=0)
    none = evidence({}, blocks=1)

    assert verdict(expectation, fewest) is ClaimVerdict.REPRODUCED
    assert verdict(expectation, level) is ClaimVerdict.SAME_WITHIN_MARGIN
    assert verdict(expectation, most) is ClaimVerdict.CONTRADICTED
    assert verdict(expectation, none) is ClaimVerdict.NOT_MEASURED
    assert "3\u202f200 against 3\u202f100\u00a0B" in check("C1", claim(expectation), most).sentence


def test_no_ratio_is_taken_of_counts_that_are_not_above_zero() -> None:
    """The bytes of a set-up come from a fit, which can go below zero."""
    expectation = GRPC_FASTER | {"metric": "wire_setup_bytes"}

    for rest, grpc in ((600, -50), (0, 600), (-50, -60)):
        result = check("C1", claim(expectation), evidence({"rest": rest, "grpc": grpc}, noise=0))

        assert result.verdict is ClaimVerdict.CANNOT_TELL
        assert "not above 0" in result.sentence


def test_a_published_zero_has_no_ratio() -> None:
    measured = evidence({"rest": 100.0, "grpc": 50.0})

    (test,) = check("C1", claim(GRPC_FASTER), measured, published(rest=0.0, grpc=3.0)).tests

    assert (test.published, test.effect) == (None, None)


@pytest.mark.parametrize(
    "expectation",
    [
        {"kind": "same", "level": "u1", "other": "u2"},
        {"kind": "direction", "lower": "u1", "higher": "u2"},
        {"kind": "ratio", "numerator": "u1", "denominator": "u2", "ratio": 1.0},
        {"kind": "somewhere", "lower": "u1", "higher": "u2"},
    ],
)
def test_bytes_that_are_counted_once_for_all_loads_test_no_claim_about_loads(
    expectation: dict[str, object],
) -> None:
    variant = expectation | {
        "compare": "load",
        "metric": "wire_marginal_bytes",
        "where": {"contender": "rest"},
    }

    result = check(
        "C1", claim(variant), evidence({"rest": 3000}, noise=0, levels={"load": ("u1", "u2", "u4")})
    )

    assert result.verdict is ClaimVerdict.NOT_TESTABLE
    assert result.tests[0].reason == COUNTED_ONCE
    assert result.tests[0].measured is None


def test_environments_are_compared_within_each_contender() -> None:
    expectation = {
        "kind": "direction",
        "compare": "environment",
        "lower": "native",
        "higher": "container",
        "where": {"contender": ["rest", "grpc"]},
    }
    environments = ("native", "container")

    result = check(
        "C1",
        claim(expectation),
        evidence({"native": 100.0, "container": 130.0}, levels={"environment": environments}),
    )

    assert result.verdict is ClaimVerdict.REPRODUCED
    assert [[cell.contender for cell in test.cells] for test in result.tests] == [
        ["rest", "rest"],
        ["grpc", "grpc"],
    ]


def test_a_claim_that_cannot_be_measured_is_not_testable() -> None:
    result = check("C1", claim({"kind": "qualitative", "reason": "taste"}), evidence({}))

    assert result.verdict is ClaimVerdict.NOT_TESTABLE
    assert_worded(result.sentence)


def test_a_claim_about_levels_of_which_none_was_measured_is_not_measured() -> None:
    found = evidence({}, levels={"store": ()})

    result = check("C1", claim(GRPC_FASTER), found)

    assert result.verdict is ClaimVerdict.NOT_MEASURED
    assert_worded(result.sentence)


def test_a_combination_outside_the_design_is_not_measured() -> None:
    values = {"rest": 100.0, "grpc": 80.0}
    rest = Cell("rest", "fetch", "postgresql", "native", "u1")
    grpc = replace(rest, contender="grpc")
    apart = replace(evidence(values), cells={rest, replace(grpc, load="u2")})
    together = replace(evidence(values), cells={rest, grpc})

    result = check("C1", claim(GRPC_FASTER), apart)

    assert result.verdict is ClaimVerdict.NOT_MEASURED
    assert_worded(result.sentence)
    assert verdict(GRPC_FASTER, together) is ClaimVerdict.REPRODUCED


def test_bytes_of_a_planned_workload_count_for_every_load() -> None:
    fewer = GRPC_FASTER | {"metric": "wire_single_bytes"}
    rest = Cell("rest", "fetch", "postgresql", "native", "u2")
    planned = {rest, replace(rest, contender="grpc")}
    found = replace(evidence({"rest": 3000, "grpc": 2000}, noise=0), cells=planned)

    assert verdict(fewer, found) is ClaimVerdict.REPRODUCED
