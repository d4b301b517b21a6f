"""What each kind of finding says."""

from pathlib import Path

from tests.support.wording import assert_as_written
from wirelab.verify.findings import equality_reasons as equality
from wirelab.verify.findings import reasons
from wirelab.verify.findings.reasons import FindingReason
from wirelab.verify.servers.obstacles import MEANINGS, Obstacle
from wirelab.verify.servers.symptoms import Sign, Symptom

AFTER = {"other": "rest", "times": 2, "reads": 9, "write": "create", "through": "grpc"}
EACH: tuple[FindingReason, ...] = (
    reasons.NotEncoded(),
    reasons.NotEncoded(detail="no such field"),
    reasons.NoReply(),
    reasons.NoReply(detail="timed out", to="a body that is not JSON"),
    reasons.GivenUp(requests=3),
    reasons.Ended(service="the service users", exit="exit code 3"),
    reasons.Obstructed(obstacle=Obstacle(429, retry_after="3")),
    *(reasons.Obstructed(obstacle=Obstacle(status)) for status in (302, *MEANINGS)),
    reasons.Obstructed(obstacle=Obstacle(403, cookie="id")),
    reasons.Fails(detail="HTTP 500"),
    reasons.NotBound(protocol="soap"),
    reasons.NotOffered(protocol="soap"),
    reasons.WronglyRefused(refusal="invalid"),
    reasons.WronglyRefused(refusal="unreadable"),
    reasons.WronglyAnswered(),
    reasons.Differs(),
    reasons.Differs(in_order=True),
    reasons.NoValue(pointer="/notes"),
    reasons.WrongPointer(problem="domain.toml: answer is '/x'; expected '/y'"),
    reasons.UnusualRefusal(remark="the body is not a SOAP envelope"),
    reasons.WrongParameters(workload="fetch", refusal="not_found", records=1),
    reasons.NoRows(problem="there are no rows"),
    reasons.MishandledMalformed(what="a body that is not JSON"),
    reasons.MishandledMalformed(what="a body that is not JSON", refusal="internal"),
    reasons.MishandledMalformed(what="a body that is not JSON", refusal="unreadable"),
    reasons.OtherRequests(),
    reasons.BytesVary(checked="length", is_sampled=True),
    reasons.BytesVary(checked="status", is_sampled=False),
    reasons.SeedIgnored(),
    reasons.LeftOutOfMix(mix="all", workload="read", removed=2, planned=3),
    reasons.Answered(),
    reasons.TooSlow(),
    reasons.NoService(),
    reasons.Exposed(services=(), exposure="listens beyond 127.0.0.1"),
    reasons.Exposed(services=("users",), exposure="runs as root"),
    reasons.Exposed(services=("users", "orders"), exposure="runs as root"),
    reasons.IgnoresSigterm(services=(), waited_s=5),
    reasons.IgnoresSigterm(services=("users", "orders"), waited_s=5),
    reasons.Symptomatic(sign=Sign(Symptom.HTTP_1_0, "it answers with HTTP/1.0")),
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
