"""What each kind of finding says."""

from pathlib import Path

from tests.support.wording import assert_as_written
from wirelab.verify.findings import equality_reasons as equality
from wirelab.verify.findings import finding_reasons
from wirelab.verify.findings.finding_reasons import FindingReason
from wirelab.verify.servers.obstacles import MEANINGS, Obstacle
from wirelab.verify.servers.symptoms import Sign, Symptom

AFTER = {"other": "rest", "times": 2, "reads": 9, "write": "create", "through": "grpc"}
EACH: tuple[FindingReason, ...] = (
    finding_reasons.NotEncoded(),
    finding_reasons.NotEncoded(detail="no such field"),
    finding_reasons.NoReply(),
    finding_reasons.NoReply(detail="timed out", to="a body that is not JSON"),
    finding_reasons.GivenUp(requests=3),
    finding_reasons.Ended(service="the service users", exit="exit code 3"),
    finding_reasons.Obstructed(obstacle=Obstacle(429, retry_after="3")),
    *(finding_reasons.Obstructed(obstacle=Obstacle(status)) for status in (302, *MEANINGS)),
    finding_reasons.Obstructed(obstacle=Obstacle(403, cookie="id")),
    finding_reasons.Fails(detail="HTTP 500"),
    finding_reasons.NotBound(protocol="soap"),
    finding_reasons.NotOffered(protocol="soap"),
    finding_reasons.WronglyRefused(refusal="invalid"),
    finding_reasons.WronglyRefused(refusal="unreadable"),
    finding_reasons.WronglyAnswered(),
    finding_reasons.Differs(),
    finding_reasons.Differs(in_order=True),
    finding_reasons.NoValue(pointer="/notes"),
    finding_reasons.WrongPointer(problem="domain.toml: answer is '/x'; expected '/y'"),
    finding_reasons.UnusualRefusal(remark="the body is not a SOAP envelope"),
    finding_reasons.WrongParameters(workload="fetch", refusal="not_found", records=1),
    finding_reasons.NoRows(problem="there are no rows"),
    finding_reasons.MishandledMalformed(what="a body that is not JSON"),
    finding_reasons.MishandledMalformed(what="a body that is not JSON", refusal="internal"),
    finding_reasons.MishandledMalformed(what="a body that is not JSON", refusal="unreadable"),
    finding_reasons.OtherRequests(),
    finding_reasons.BytesVary(checked="length", is_sampled=True),
    finding_reasons.BytesVary(checked="status", is_sampled=False),
    finding_reasons.SeedIgnored(),
    finding_reasons.LeftOutOfMix(mix="all", workload="read", removed=2, planned=3),
    finding_reasons.Answered(),
    finding_reasons.TooSlow(),
    finding_reasons.NoService(),
    finding_reasons.Exposed(services=(), exposure="listens beyond 127.0.0.1"),
    finding_reasons.Exposed(services=("users",), exposure="runs as root"),
    finding_reasons.Exposed(services=("users", "orders"), exposure="runs as root"),
    finding_reasons.IgnoresSigterm(services=(), waited_s=5),
    finding_reasons.IgnoresSigterm(services=("users", "orders"), waited_s=5),
    finding_reasons.Symptomatic(sign=Sign(Symptom.HTTP_1_0, "it answers with HTTP/1.0")),
    equality.NoCommonShape(detail="it is a number"),
    equality.NoCommonShape(detail="it is a number", protocol="rest"),
    equality.NothingAnswered(requests=30),
    equality.SomeRefused(answered=20, sent=30),
    equality.Varies(),
    equality.OnlyStatusCompared(of="write"),
    equality.OnlyStatusCompared(of="text"),
    equality.OnlyStatusCompared(of="values"),
    equality.AllEmpty(),
    equality.AllAlike(parameter_sets=30),
    equality.PartlyCompared(whose="rest", share=0.05, only=("links/self",), shared=()),
    equality.PartlyCompared(whose="rest", share=0.2, only=("a", "b"), shared=("c",)),
    equality.PartlyCompared(whose="rest", share=0.6, only=(), shared=("c",), is_error=True),
    equality.OtherHeaders(other="rest", names=("pragma", "x-frame-options")),
    equality.HeaderDiffers(other="rest", name="link", differing=2, compared=30),
    equality.RefusesAlso(refusal="invalid", other="rest", other_refusal="not_found", times=2),
    equality.FewSets(parameter_sets=1, usual=30),
    equality.DiffersFromOthers(others=("rest",), differing=3, compared=30),
    equality.DiffersFromOthers(others=("rest", "grpc", "soap"), differing=3, compared=30),
    equality.OneRefuses(refusing="rest", refusal="invalid", answering="grpc", times=3),
    equality.NotProved(refused=()),
    equality.NotProved(refused=("rest",)),
    equality.NotProved(refused=("rest", "grpc")),
    equality.NotReadAgain(),
    equality.NoValueRead(sequence="life"),
    equality.ReadsOtherwise.model_validate(AFTER),
    equality.RefusesOtherwise.model_validate(AFTER | {"refusing": "soap", "refusal": "invalid"}),
    equality.RefusesOtherwise.model_validate(
        AFTER | {"refusing": "soap", "refusal": "invalid", "other_refusal": "conflict"}
    ),
    equality.RefusedInSequence(sequence="life", refusal="invalid", detail="HTTP 422"),
    equality.NothingToRemember(sequence="life", name="id"),
)


def test_each_kind_says_what_its_facts_are() -> None:
    assert_as_written(Path(__file__).with_name("wording.txt"), map(str, EACH))


def test_no_kind_is_left_out() -> None:
    abstract = {equality.ReadAfter}

    assert set(FindingReason.kinds()) - abstract == {type(each) for each in EACH}
