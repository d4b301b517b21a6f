"""Reasons that runs do not count are reported once for each kind."""

from dataclasses import replace

from tests.analysis.slices import GRPC, REST
from wirelab.analysis.answers.invalid_runs import each_kind, failing, group_reasons
from wirelab.analysis.model import Faulty
from wirelab.planning.schedule import Run

LABELS = {"rest": "REST", "grpc": "gRPC"}
WRONG = "wrong answers under load: {} of 1760"
FAILED = "{}779 of 14145 transactions of its warm-up failed (grpc_status)"


def faulty(block: int, *reasons: str, contender: str = "grpc") -> Faulty:
    cell = {"grpc": GRPC, "rest": REST}[contender]
    return Faulty(Run(f"{contender}-{block}", block, cell), "invalid", reasons)


def test_reasons_name_the_contenders_first_and_then_an_example() -> None:
    one = group_reasons([faulty(1, FAILED.format(9))], LABELS)
    alike = group_reasons([faulty(1, FAILED.format(9)), faulty(2, FAILED.format(10))], LABELS)
    both = group_reasons(
        [faulty(1, "it died"), faulty(2, "it died"), faulty(2, "it died", contender="rest")],
        LABELS,
    )

    assert [each.sentence for each in one] == [f"gRPC: {FAILED.format(9)}"]
    assert [each.sentence for each in alike] == [
        f"gRPC, 2 runs in 2 blocks: for example, {FAILED.format(9)}"
    ]
    assert [each.sentence for each in both] == [
        "gRPC 2× and REST 1×, 3 runs in 2 blocks: for example, it died"
    ]


def test_what_verification_found_is_not_repeated_for_runs() -> None:
    reason = "verification failed: b read /name: differs from the answer of a; expected 1, got 2"

    (refused,) = group_reasons([faulty(1, reason)], LABELS)

    assert refused.sentence == "gRPC: verification failed"


def test_a_run_of_the_twin_is_not_one_of_the_baseline() -> None:
    (of_twin,) = group_reasons(
        [Faulty(Run("rest-twin-1", 1, replace(REST, twin=True)), "invalid", ("it died",))], LABELS
    )

    assert of_twin.sentence == "REST (twin): it died"


def test_several_reasons_of_the_same_runs_are_one() -> None:
    few = "0.11% of transactions failed (limit 0.10%)"

    found = group_reasons(
        [faulty(1, WRONG.format(1), few), faulty(2, WRONG.format(2), few), faulty(3, few)], LABELS
    )
    same = group_reasons([faulty(1, WRONG.format(1), few), faulty(2, WRONG.format(2), few)], LABELS)

    assert [each.runs for each in found] == [3, 2]
    assert [each.sentence for each in same] == [
        f"gRPC, 2 runs in 2 blocks: for example, {WRONG.format(1)}; and {few}"
    ]


def test_servers_that_are_silent_or_wrong_must_be_repaired() -> None:
    silent = "rest does not answer at 127.0.0.1:80: ConnectionRefusedError"

    found = failing([faulty(1, "it died", WRONG.format(1)), faulty(2, silent, contender="rest")])
    others = failing([faulty(1, FAILED.format(9)), faulty(1, "it died", contender="rest")])

    assert found == {"grpc", "rest"}
    assert others == set()


def test_reasons_that_differ_in_figures_or_examples_are_of_one_kind() -> None:
    reasons = [
        "wrong answers under load: 24 of 1760; the first: body differs: expected d5c8, got 02c9",
        "wrong answers under load: 62 of 4588; the first: body differs: expected f1ec, got 6252",
        "1.4% of transactions failed (limit 0.10%)",
    ]

    assert list(each_kind(reasons)) == [f"{reasons[0]} and 1 more like it", reasons[2]]
