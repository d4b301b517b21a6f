"""Outages: what is found of contenders that keep what they refused, or refuse it the wrong way."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from tests.support.note_servers import Handler, Logic, Reply, http, rest
from wirelab import protocol
from wirelab.domain import Dataset
from wirelab.domain.checks import Look, Outage
from wirelab.protocol.clients.client import connect
from wirelab.verify.findings.finding import Finding, Moment
from wirelab.verify.findings.finding_reasons import (
    Answered,
    Differs,
    FindingReason,
    NoService,
    TooSlow,
    WronglyRefused,
)
from wirelab.verify.reference import outage as module
from wirelab.verify.reference.outage import Reached, verify_outage

OUTAGE = Outage(
    summary="a note is there or it is not",
    operation="create",
    remember={"id": "/id"},
    deadline_s=0.2,
    looks=(Look(operation="list"), Look(operation="read", parameters={"id": "{id}"})),
)


class TwoServices:
    """A front that answers, and a back that is only spoken of."""

    def __init__(self, dataset: Dataset, front: Handler, reached: Reached) -> None:
        self.names = ("back", "front")
        self.front, self.reached, self.dataset = front, reached, dataset
        self.states: list[str] = []

    def reach(self, service: str) -> Reached:
        assert service == "front"
        return self.reached

    def called(self) -> list[str]:
        return ["back"]

    @contextmanager
    def delayed(self, services: Sequence[str], seconds: float) -> Iterator[None]:
        assert list(services) == ["back"]
        with self._being("late" if seconds > OUTAGE.deadline_s else "slow"):
            yield

    @contextmanager
    def frozen(self, service: str) -> Iterator[None]:
        with self._being("frozen"):
            yield

    def kill(self, service: str) -> None:
        self.states.append("gone")

    def restart(self) -> None:
        self.states.append("")

    @contextmanager
    def _being(self, state: str) -> Iterator[None]:
        self.states.append(state)
        yield
        self.states.append("")


def found(dataset: Dataset, **wrong: str) -> list[Finding]:
    """Verify a front; `wrong` says what it does in a state that it should not."""
    inner, states = rest(Logic(dataset)), [""]

    def front(method: str, path: str, body: bytes) -> Reply:
        state = states[-1]
        if method != "POST" or state in ("", "slow"):
            return inner(method, path, body)
        match wrong.get(state):
            case "keeps it":
                inner(method, path, body)
            case "says it failed":
                return 500, "application/problem+json", b"{}"
            case "answers":
                return inner(method, path, body)
            case "takes its time":
                time.sleep(2 * OUTAGE.deadline_s)
        return (503 if state == "gone" else 504), "application/problem+json", b"{}"

    codec = protocol.get("rest").bind(dataset.domain, "/")
    with http(front) as address, connect(codec.transport, address) as client:
        services = TwoServices(dataset, front, Reached(codec, client))
        services.states = states
        findings = verify_outage("two", OUTAGE, services, dataset)
    assert [state for state in states if state] == ["slow", "frozen", "late", "gone"]
    return findings


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SETTLING_S", 0.1)
    monkeypatch.setattr(module, "ALLOWANCE_S", 0.1)


def test_nothing_is_found_if_a_refusal_changes_nothing(dataset: Dataset) -> None:
    assert found(dataset) == []


@pytest.mark.parametrize(
    ("state", "does", "when", "reason"),
    [
        ("frozen", "says it failed", "silent", WronglyRefused(refusal="internal")),
        ("gone", "says it failed", "stopped", WronglyRefused(refusal="internal")),
        ("late", "takes its time", "late", TooSlow()),
    ],
)
def test_a_refusal_must_be_of_the_right_kind_and_in_time(
    state: str, does: str, when: str, reason: FindingReason, dataset: Dataset
) -> None:
    (finding,) = found(dataset, **{state: does})

    assert (finding.severity, finding.contender, finding.operation) == ("error", "two", "create")
    assert finding.reason == reason
    assert finding.when is not None
    assert (finding.when.state, finding.when.services, finding.when.is_over) == (
        when,
        ("back",),
        False,
    )


@pytest.mark.parametrize("does", ["keeps it", "answers"])
def test_writes_that_were_refused_or_should_have_been_must_have_no_effect(
    does: str, dataset: Dataset
) -> None:
    findings = found(dataset, late=does)

    first = next(each for each in findings if each.operation == "list")
    assert first.when == Moment(state="late", services=("back",), is_over=True)
    assert first.reason == Differs()
    assert (Answered() in [each.reason for each in findings]) == (does == "answers")


def test_an_unknown_service_is_named(dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = OUTAGE.model_copy(update={"looks": (Look(operation="list", service="stock"),)})
    monkeypatch.setattr(f"{__name__}.OUTAGE", elsewhere)

    findings = found(dataset)

    assert {each.reason for each in findings} == {NoService()}
    assert {each.got for each in findings} == {"stock"}
