"""Reasons that runs do not count are reported once for each kind."""

from dataclasses import replace

from tests.support.bundles.reasons import FEW_FAILED, IT_DIED, wrong
from tests.support.bundles.slices import GRPC, REST
from tests.support.wording import assert_worded
from wirelab.analysis.answers.invalid_runs import each_kind, failing, group_reasons
from wirelab.analysis.model import Faulty
from wirelab.bundle.run_reasons import NotVerified, RunReason, StoppedAnswering, TransactionsFailed
from wirelab.errors import Failure
from wirelab.planning.schedule import Run
from wirelab.verify import Finding
from wirelab.verify.findings.finding_reasons import Differs

LABELS = {"rest": "REST", "grpc": "gRPC"}


def failed(count: int) -> TransactionsFailed:
    return TransactionsFailed(
        during="warm-up", failed=count, transactions=14145, errors={"grpc_status": count}
    )


def faulty(block: int, *reasons: RunReason, contender: str = "grpc") -> Faulty:
    cell = {"grpc": GRPC, "rest": REST}[contender]
    return Faulty(Run(f"{contender}-{block}", block, cell), "invalid", reasons)


def test_runs_whose_reasons_differ_only_in_figures_are_one_group() -> None:
    one = faulty(1, failed(9))
    died = [faulty(1, IT_DIED), faulty(2, IT_DIED), faulty(2, IT_DIED, contender="rest")]

    (single,) = group_reasons([one], LABELS)
    (alike,) = group_reasons([one, faulty(2, failed(10))], LABELS)
    (both,) = group_reasons(died, LABELS)

    assert (alike.reasons, alike.runs, alike.blocks) == ((failed(9),), 2, 2)
    assert (both.contenders, both.runs, both.blocks) == (("gRPC 2×", "REST 1×"), 3, 2)
    assert_worded("\n".join(each.sentence for each in (single, alike, both)))


def test_what_verification_found_is_not_repeated_for_runs() -> None:
    finding = Finding(severity="error", contender="b", operation="read", reason=Differs())

    (refused,) = group_reasons([faulty(1, NotVerified(finding=finding))], LABELS)

    assert refused.sentence == "gRPC: verification failed"


def test_a_run_of_the_twin_is_not_one_of_the_baseline() -> None:
    twin = Faulty(Run("rest-twin-1", 1, replace(REST, twin=True)), "invalid", (IT_DIED,))

    (of_twin,) = group_reasons([twin], LABELS)

    assert of_twin.contenders == ("REST (twin)",)


def test_several_reasons_of_the_same_runs_are_one() -> None:
    both = [faulty(1, wrong(1), FEW_FAILED), faulty(2, wrong(2), FEW_FAILED)]

    (same,) = group_reasons(both, LABELS)
    others = group_reasons([*both, faulty(3, FEW_FAILED)], LABELS)

    assert (same.reasons, same.runs) == ((wrong(1), FEW_FAILED), 2)
    assert [each.runs for each in others] == [3, 2]


def test_a_run_without_a_reason_is_reported_too() -> None:
    (group,) = group_reasons([faulty(1)], LABELS)

    assert (group.reasons, group.runs) == ((), 1)
    assert_worded(group.sentence)


def test_servers_that_are_silent_or_wrong_must_be_repaired() -> None:
    silent = StoppedAnswering(error="SilentError", failure=Failure("rest does not answer"))

    found = failing([faulty(1, IT_DIED, wrong()), faulty(2, silent, contender="rest")])
    others = failing([faulty(1, failed(9)), faulty(1, IT_DIED, contender="rest")])

    assert found == {"grpc", "rest"}
    assert not others


def test_each_kind_of_reason_is_stated_once() -> None:
    assert_worded("\n".join(each_kind([wrong(24), wrong(62), FEW_FAILED])))
