"""Equality without a reference, of replies that tests make up: nothing listens."""

import json
from collections import Counter
from collections.abc import Callable
from itertools import chain, count, repeat
from pathlib import Path

import pytest

from tests.verify.equality.reports import write_parameters
from wirelab import protocol
from wirelab.domain import Domain
from wirelab.domain_file import load_domain
from wirelab.protocol.clients.base import Client
from wirelab.protocol.message import WireReply, WireRequest
from wirelab.study import Workload
from wirelab.verify import Equality, Verification
from wirelab.verify.findings.equality_reasons import (
    AllAlike,
    NoCommonShape,
    OnlyStatusCompared,
    Varies,
)
from wirelab.verify.findings.finding_reasons import Fails, FindingReason, Obstructed, WrongPointer

DOMAIN = """
name = "own"
title = "Own"
summary = "items"
parameters = "parameters.ndjson"

[operation.item]
summary = "an item"
effect = "{effect}"
parameters = ["id"]
{common}

[operation.item.rest]
method = "{method}"
path = "/items/{{id}}"
answer = "{pointer}"
content = "any"

[operation.price]
summary = "its price"
effect = "read"
parameters = ["id"]

[operation.price.rest]
method = "GET"
path = "/prices/{{id}}"
"""
SETS = 30
Answering = Callable[[int, int], WireReply]
"""Answers a request for the item of a number; the second argument counts requests for it."""
Compare = Callable[..., list[Verification]]


class Server(Client):
    """Answers requests for items as configured, and those for prices with the price."""

    def __init__(self, answering: Answering) -> None:
        self.answering = answering
        self.requests: Counter[int] = Counter()

    def send(self, request: WireRequest) -> WireReply:
        kind, _, number = request.path.strip("/").partition("/")
        if kind == "prices":
            return reply(int(number))
        self.requests[int(number)] += 1
        return self.answering(int(number), self.requests[int(number)])

    def close(self) -> None:
        """Nothing is open."""


def reply(value: object, status: int = 200, **headers: str) -> WireReply:
    """Return a reply with a JSON body, or with a text that is not JSON."""
    body = value if isinstance(value, str) else json.dumps(value)
    form = "text/html" if isinstance(value, str) else "application/json"
    named = {"content-type": form, **headers}
    return WireReply(status, tuple(named.items()), body.encode())


def errors(verification: Verification, operation: str = "item") -> list[FindingReason]:
    return reasons(verification, "error", operation)


def warnings(verification: Verification) -> list[FindingReason]:
    return reasons(verification, "warning", "item")


def reasons(verification: Verification, severity: str, operation: str) -> list[FindingReason]:
    return [
        it.reason
        for it in verification.findings
        if (it.severity, it.operation) == (severity, operation)
    ]


@pytest.fixture
def compare(tmp_path: Path) -> Compare:
    """Return a function that compares servers with each other, one after the other."""

    def carry_out(
        *servers: Answering, method: str = "GET", common: str = "", pointer: str = ""
    ) -> list[Verification]:
        effect = "read" if method == "GET" else "write"
        written = DOMAIN.format(method=method, effect=effect, common=common, pointer=pointer)
        (tmp_path / "domain.toml").write_text(written)
        write_parameters(
            tmp_path, *((name, {"id": n}) for name in ("item", "price") for n in range(SETS))
        )
        domain: Domain = load_domain(str(tmp_path))
        codec = protocol.get("rest").bind(domain, "/")
        workloads = {
            name: Workload(title=name, operation=name, state="", parameter_sets=3)
            for name in domain.operations
        }
        equality = Equality(domain)
        names = ("one", "other", "third")
        return [
            equality.verify(name, codec, Server(each), workloads)
            for name, each in zip(names, servers, strict=False)
        ]

    return carry_out


def test_an_operation_that_moved_is_reported_once_and_the_others_are_compared(
    compare: Compare,
) -> None:
    _, moved = compare(
        lambda number, _: reply({"id": number}),
        lambda number, _: reply({}, 301, location=f"/v2/items/{number}"),
    )

    ((status, location),) = (
        (it.obstacle.status, it.obstacle.location)
        for it in errors(moved)
        if isinstance(it, Obstructed)
    )
    assert (status, location.startswith("/v2/items/")) == (301, True)
    assert errors(moved, "price") == []
    assert {plan.operation for plan in moved.plans} == {"price"}


def test_a_fault_behind_an_ordinary_refusal_is_reported(compare: Compare) -> None:
    statuses = chain([404, 500], repeat(200))
    (found,) = compare(lambda number, _: reply({"id": number}, next(statuses)))

    assert any(isinstance(it, Fails) for it in errors(found))


def test_an_expression_that_does_not_fit_an_answer_is_named(compare: Compare) -> None:
    (found,) = compare(
        lambda number, _: reply({"id": number, "tags": None}),
        common='common = { project = { rest = "{n: length(tags)}" } }',
    )

    (reason,) = errors(found)
    assert isinstance(reason, NoCommonShape)
    assert reason.protocol == "rest"
    assert "the expression '{n: length(tags)}'" in reason.detail
    assert 'received: "null"' in reason.detail


def test_a_pointer_to_no_part_of_any_response_is_named_with_the_parts(compare: Compare) -> None:
    (wrong,) = compare(lambda number, _: reply({"item": {"id": number}}), pointer="/itm")
    (partly,) = compare(
        lambda number, _: reply({"item": number} if number else {}), pointer="/item"
    )

    (reason,) = errors(wrong)
    assert isinstance(reason, WrongPointer)
    assert "answer is '/itm'" in reason.problem
    assert "'/item'?" in reason.problem
    assert errors(partly) == []


@pytest.mark.parametrize("common", ["", 'common = { ignored = ["n"] }'])
def test_answers_that_are_all_the_same_prove_nothing(compare: Compare, common: str) -> None:
    """Whatever they contain beside what is compared."""
    tick = count()
    (found,) = compare(
        lambda number, _: reply({"v": 1, "at": next(tick)} | ({"n": number} if common else {})),
        common=common,
    )

    assert AllAlike(parameter_sets=SETS) in errors(found)


def test_parts_that_vary_at_different_servers_may_leave_nothing_to_compare(
    compare: Compare,
) -> None:
    tick = count()
    one, other = compare(
        lambda number, _: reply({"id": number, "at": next(tick)}),
        lambda number, _: reply({"id": next(tick), "at": number}),
    )

    assert errors(one) == []
    assert OnlyStatusCompared(of="values") in errors(other)


def test_under_load_an_object_instead_of_a_page_with_a_nonce_is_wrong(compare: Compare) -> None:
    tick = count()
    (found,) = compare(lambda *_: reply(f"<p>Hello {next(tick)}"))

    assert errors(found) == []
    assert OnlyStatusCompared(of="text") in warnings(found)
    known = found.plans[0].rounds[0][0].known
    assert known is not None
    assert known.why_wrong(200, b"<p>Hello 12345") == ""
    assert known.why_wrong(200, b'{"error": "down"}') != ""


def test_a_write_may_answer_with_nothing_but_a_new_id(compare: Compare) -> None:
    tick = count()
    both = compare(*[lambda *_: reply({"id": next(tick)})] * 2, method="POST")

    for found in both:
        assert errors(found) == []
        assert OnlyStatusCompared(of="write") in warnings(found)
        assert "item" in {plan.operation for plan in found.plans}


def test_answers_to_writes_that_are_possible_once_need_not_be_equal(compare: Compare) -> None:
    tick = count()
    both = compare(
        *[lambda _, request: reply({"at": next(tick)}, 200 if request == 1 else 404)] * 2,
        method="DELETE",
    )

    for found in both:
        assert errors(found) == []
        assert OnlyStatusCompared(of="write") in warnings(found)
        assert Varies() not in warnings(found)


@pytest.mark.parametrize(("status", "expected"), [(429, Obstructed), (500, Fails)])
def test_a_fault_at_the_second_call_of_a_write_is_reported(
    compare: Compare, status: int, expected: type[FindingReason]
) -> None:
    (found,) = compare(
        lambda number, request: reply({"id": number}, 200 if request == 1 else status), method="PUT"
    )

    assert any(isinstance(it, expected) for it in errors(found))
