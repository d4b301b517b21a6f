"""If all contenders differ alike from the reference, the reference is probably wrong."""

from dataclasses import replace

from wirelab.verify import Finding
from wirelab.verify.shared_difference import shared_difference

DIFFERS = "the answer differs from the reference"
ONE = Finding("error", "rest-a", "read", "/name", DIFFERS, "A", "B", request="GET /items/1")
OTHER = replace(ONE, contender="grpc-b", request="")
BOTH = ("rest-a", "grpc-b")


def test_an_answer_that_all_contenders_share_is_named_with_its_operation() -> None:
    assert shared_difference([ONE, OTHER], BOTH) == (
        "both contenders agree on an answer to read that differs from the reference: check"
        " reference.py and the generator"
    )


def test_more_than_two_contenders_are_counted() -> None:
    third = replace(ONE, contender="soap-c")

    assert shared_difference([ONE, OTHER, third], (*BOTH, "soap-c")).startswith(
        "all 3 contenders agree on an answer to read "
    )


def test_two_different_wrong_answers_are_the_contenders_own() -> None:
    assert shared_difference([ONE, replace(OTHER, got="C")], BOTH) == ""


def test_a_contender_that_agrees_with_the_reference_supports_it() -> None:
    assert shared_difference([ONE, OTHER], (*BOTH, "soap-c")) == ""


def test_a_single_contender_agrees_with_no_other() -> None:
    assert shared_difference([ONE], ("rest-a",)) == ""


def test_refusals_of_one_kind_are_alike_whatever_their_texts() -> None:
    findings = [
        replace(each, path="", reason="refused as not_found", got=text, steps=("in sequence life",))
        for each, text in ((ONE, "HTTP 404: none"), (OTHER, "unknown item"))
    ]

    assert "an answer to read " in shared_difference(findings, BOTH)


def test_faults_and_malformed_requests_say_nothing_about_the_reference() -> None:
    for reason in ("refused as internal", "a body that is not JSON was accepted"):
        findings = [replace(each, reason=reason) for each in (ONE, OTHER)]

        assert shared_difference(findings, BOTH) == ""
