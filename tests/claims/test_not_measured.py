"""Claims that were not measured, or only in part: what they say, and what all of them lack."""

from dataclasses import replace

from tests.support.claims import claim, evidence
from wirelab.claims import ClaimVerdict, by_other_metrics, check, not_measured

GRPC_FASTER = {"kind": "direction", "lower": "grpc", "higher": "rest"}


def test_missing_measurements_are_named_with_the_reason() -> None:
    expectation = GRPC_FASTER | {"where": {"environment": ["native", "container"]}}
    absent = {"container": "not part of design smoke"}
    found = evidence({"rest": 100.0, "grpc": 80.0}, absent=absent)

    result = check("C1", claim(expectation), found)

    assert result.verdict is ClaimVerdict.PARTLY_MEASURED
    assert result.is_measured
    assert result.sentence == (
        "Partly measured: not measured in 1 of 2 tests: grpc below rest · fetch · container:"
        " no container (not part of design smoke); holds in 1."
    )


def test_measurements_that_several_tests_lack_are_named_once() -> None:
    where = {"workload": ["fetch", "list"], "environment": ["native", "container"]}
    absent = {"container": "no engine", "list": "not part of design smoke"}
    found = evidence({"rest": 100.0, "grpc": 80.0}, absent=absent)

    result = check("C1", claim(GRPC_FASTER | {"where": where}), found)

    assert result.sentence == (
        "Partly measured: not measured in 3 of 4 tests: no container (no engine);"
        " no list (not part of design smoke); holds in 1."
    )


def test_claims_without_a_measured_test_are_named_in_one_sentence() -> None:
    container = GRPC_FASTER | {"where": {"environment": "container"}}
    found = evidence({"rest": 100.0, "grpc": 80.0}, absent={"container": "no engine"})
    claims = [
        check("C1", claim(container), found),
        check("C2", claim(container), found),
        check("C3", claim(GRPC_FASTER, container), found),
    ]

    assert not_measured(claims) == "2 claims are not measured (C1, C2): no container (no engine)."
    assert not_measured(claims[2:]) == ""


def test_a_claim_about_nothing_that_was_measured_has_no_further_reason() -> None:
    everywhere = {"kind": "threshold", "where": {"contender": "elixir"}, "below": 2.0}
    found = check("C1", claim(everywhere), evidence({"rest": 100.0}))

    assert found.verdict is ClaimVerdict.NOT_MEASURED
    assert not_measured([replace(found, tests=())]) == "1 claim is not measured (C1)."


def test_it_is_stated_by_what_claims_are_tested_if_not_by_the_metric_of_the_study() -> None:
    by_mean = GRPC_FASTER | {"metric": "latency_mean_us"}
    found = check("C1", claim(by_mean), evidence({"rest": 100.0, "grpc": 80.0}))

    assert by_other_metrics([found], "latency_mean_us") == ""
    assert by_other_metrics([found], "latency_typical_us") == (
        "Claims are tested with the paper’s metrics (mean response time); the answer uses typical"
        " response time."
    )
    assert by_other_metrics([], "latency_typical_us") == ""
