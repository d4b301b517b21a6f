"""Reasons of runs are stored with their facts, and say what these are."""

from typing import Any

from pydantic import TypeAdapter

from tests.support.bundles.samples import record_of, schedule_of
from tests.support.wording import assert_worded
from wirelab.bundle import BlockRecord
from wirelab.bundle import run_reasons as kinds
from wirelab.bundle.run_reasons import AnyReason, ApartReason, RunReason
from wirelab.engine.result import AnswerMismatch
from wirelab.errors import Failure, LabError, Log
from wirelab.lab.errors import SilentError
from wirelab.statistics import BrokenRule, Rule
from wirelab.verify import Finding
from wirelab.verify.findings.finding_reasons import Differs, LeftOutOfMix
from wirelab.verify.servers.obstacles import Obstacle

FINDING = Finding(severity="error", contender="rest", operation="read", reason=Differs(), got=1)
LEFT_OUT = LeftOutOfMix(mix="all", workload="read", removed=3, planned=3)
MISMATCH = AnswerMismatch(
    operation="read",
    parameter_set=0,
    reason="body differs",
    status=200,
    expected="d5c8",
    got="02c9",
    excerpt="x" * 99,
)
FAILED: dict[str, Any] = {"failed": 9, "transactions": 20}
MEMORY: dict[str, Any] = {"together": ("a", "a~twin"), "needed_bytes": 9e9, "available_bytes": 5e9}
EACH: tuple[RunReason | ApartReason, ...] = (
    kinds.Failed(error="LabError", failure=Failure("it ended", "look", Log("/log", "the end"))),
    kinds.Failed.from_error(SilentError("rest does not answer", "is it running?")),
    kinds.NotVerified(finding=FINDING),
    kinds.Unavailable(what="it needs Go"),
    kinds.NotReachable(),
    kinds.DoesNotOffer(contender="rest", title="Search"),
    kinds.NoneToCompare(of="contender"),
    kinds.NoneToCompare(of="question"),
    kinds.Unplanned(finding=FINDING.model_copy(update={"reason": LEFT_OUT})),
    kinds.WrongAnswers(wrong=9, transactions=200),
    kinds.WrongAnswers(wrong=9, transactions=200, first=MISMATCH, obstacle=Obstacle(403)),
    kinds.WrongSamples(wrong=1, compared=20, seen=90, operation="read", number=7, why="/id: 3"),
    kinds.TransactionsFailed(during="warm-up", errors={"timeout": 9}, **FAILED),
    kinds.TransactionsFailed(
        during="slice",
        errors={"timeout": 2, "status": 7},
        status="503 Service Unavailable",
        obstacle=Obstacle(429),
        **FAILED,
    ),
    kinds.TimedOut(limit_s=10.0),
    *(kinds.RuleBroken(broken=BrokenRule(rule, 0.91, 0.85)) for rule in Rule),
    kinds.NetworkNotKept(network="far", way="up", dropped=11, packets=10000),
    kinds.NoCapacity(of="no rate"),
    kinds.NoCapacity(of="slow"),
    *(
        kinds.NoTransition(trials=7, kept=kept, lowest_per_s=100.0, highest_per_s=220.0)
        for kept in (0, 3, 7)
    ),
    kinds.TooLittleMemory(contenders=4, groups=0, **MEMORY),
    kinds.TooLittleMemory(contenders=4, groups=2, **MEMORY),
    kinds.TooLittleMemory(contenders=4, groups=1, left_out=("huge",), **MEMORY),
    kinds.TooLittleDisk(why="3 copies do not fit on the disk"),
)
REASON: TypeAdapter[RunReason] = TypeAdapter(AnyReason)


def test_each_kind_says_what_its_facts_are() -> None:
    assert_worded("\n\n".join(map(str, EACH)))


def test_no_kind_is_left_out() -> None:
    known = {*RunReason.kinds(), *ApartReason.kinds()} - {kinds.Wrong}

    assert known == {type(each) for each in EACH}


def test_each_kind_is_read_as_it_was_written() -> None:
    for reason in EACH:
        if isinstance(reason, RunReason):
            assert REASON.validate_json(REASON.dump_json(reason)) == reason


def test_a_record_is_moved_with_the_logs_that_its_reasons_quote() -> None:
    failed = kinds.Failed.from_error(LabError("it ended", log=Log("/partial/1/a.log")))
    refused = kinds.NotVerified(finding=FINDING.model_copy(update={"log": Log("/partial/b.log")}))
    block = record_of(schedule_of(1).blocks[0], status="invalid", reasons=(failed, refused))

    moved = block.model_copy(update={"failures": (failed,)}).moved("/partial", "/done")

    again = BlockRecord.model_validate_json(moved.model_dump_json())
    assert again == moved
    (first, second), (third,) = again.runs[0].reasons, again.failures
    assert isinstance(first, kinds.Failed)
    assert isinstance(second, kinds.NotVerified)
    assert first == third
    logs = [first.failure.log, second.finding.log]
    assert [log and log.path for log in logs] == ["/done/1/a.log", "/done/b.log"]
