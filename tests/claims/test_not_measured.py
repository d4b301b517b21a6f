"""Claims that were not measured, or only in part: what they say, and what all of them lack."""

from dataclasses import replace

import pytest

from tests.support.claims import claim, evidence
from tests.support.wording import assert_worded
from wirelab.claims import ClaimVerdict, by_other_metrics, check, not_measured

GRPC_FASTER = {"kind": "direction", "lower": "grpc", "higher": "rest"}


@pytest.mark.parametrize(
    ("where", "missing"),
    [
        ({"environment": ["native", "container"]}, {"container": "no engine"}),
        (
            {"environment": ["native", "container"], "workload": ["fetch", "list"]},
            {"container": "no engine", "list": "left out"},
        ),
    ],
    ids=["one test", "several tests"],
)
def test_missing_measurements_are_named_once_with_the_reason(
    where: dict[str, object], missing: dict[str, str]
) -> None:
    found = evidence({"rest": 100.0, "grpc": 80.0}, absent=missing)

    result = check("C1", claim(GRPC_FASTER | {"where": where}), found)

    assert result.verdict is ClaimVerdict.PARTLY_MEASURED
    assert result.is_measured
    assert_worded(result.sentence)


def test_claims_without_a_measured_test_are_named_in_one_sentence() -> None:
    container = GRPC_FASTER | {"where": {"environment": "container"}}
    found = evidence({"rest": 100.0, "grpc": 80.0}, absent={"container": "no engine"})
    claims = [
        check("C1", claim(container), found),
        check("C2", claim(container), found),
        check("C3", claim(GRPC_FASTER, container), found),
    ]

    assert_worded(not_measured(claims))
    assert not_measured(claims[2:]) == ""


def test_a_claim_about_nothing_that_was_measured_has_no_further_reason() -> None:
    everywhere = {"kind": "threshold", "where": {"contender": "elixir"}, "below": 2.0}
    found = check("C1", claim(everywhere), evidence({"rest": 100.0}))

    assert found.verdict is ClaimVerdict.NOT_MEASURED
    assert_worded(not_measured([replace(found, tests=())]))


def test_it_is_stated_by_what_claims_are_tested_if_not_by_the_metric_of_the_study() -> None:
    by_mean = GRPC_FASTER | {"metric": "latency_mean_us"}
    found = check("C1", claim(by_mean), evidence({"rest": 100.0, "grpc": 80.0}))

    assert by_other_metrics([found], "latency_mean_us") == ""
    assert_worded(by_other_metrics([found], "latency_typical_us"))
    assert by_other_metrics([], "latency_typical_us") == ""
