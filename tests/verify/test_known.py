"""Answers whose bytes vary: what they mean is held against the verified one."""

import json
from itertools import count
from typing import Any

import pytest

from tests.support.note_servers import Logic, http, rest, serving
from tests.support.note_verification import PROTOCOLS, Workload, verified
from wirelab import protocol
from wirelab.domain import Dataset
from wirelab.protocol.base import Codec
from wirelab.protocol.clients.client import connect
from wirelab.protocol.plan import Exchange, plan_transaction
from wirelab.verify import Plan
from wirelab.verify.known import KnownAnswer, reference_differ


def exchanges(
    name: str, dataset: Dataset, operation: str, count: int
) -> tuple[Codec[Any], list[Exchange]]:
    """Ask for different things with one operation; return what was asked and answered."""
    definition = dataset.domain.operations[operation]
    codec = protocol.get(name).bind(dataset.domain, "/")
    with (
        serving(name, Logic(dataset)) as address,
        connect(codec.transport, address, codec.path, timeout_s=10.0) as client,
    ):
        done = [
            plan_transaction(client, codec, definition, parameters)
            for parameters in dataset.draw(definition, count, seed=1)
        ]
    return codec, [exchange for each in done for round_ in each.rounds for exchange in round_]


@pytest.mark.parametrize("name", PROTOCOLS)
def test_an_answer_is_correct_for_its_own_request_only(name: str, dataset: Dataset) -> None:
    operation = dataset.domain.operations["read"]
    codec, (one, *others) = exchanges(name, dataset, "read", 4)
    known = KnownAnswer.create(operation, codec, one, reference_differ(operation))
    assert known is not None

    assert known.why_wrong(one.reply.status, one.reply.body) == ""
    other = next(each for each in others if each.request != one.request)
    assert "expected" in known.why_wrong(other.reply.status, other.reply.body)
    assert "refused" in known.why_wrong(one.reply.status, b"\xff not an answer")


def test_the_same_content_in_other_bytes_is_correct(dataset: Dataset) -> None:
    operation = dataset.domain.operations["read"]
    codec, (one,) = exchanges("rest", dataset, "read", 1)
    known = KnownAnswer.create(operation, codec, one, reference_differ(operation))
    assert known is not None
    note = json.loads(one.reply.body)

    shuffled = json.dumps(dict(reversed(note.items())), indent=2).encode()
    assert known.why_wrong(200, shuffled) == ""
    lie = json.dumps({**note, "id": "x" * len(note["id"])}).encode()
    assert known.why_wrong(200, lie).startswith("/id: expected")
    assert "HTTP 500" in known.why_wrong(500, b"no")
    assert "twice" in known.why_wrong(200, one.reply.body.replace(b"{", b'{"id": "x", ', 1))
    for depth in (600, 100_000):
        assert known.why_wrong(200, b'{"id": ' + b"[" * depth + b"]" * depth + b"}")


def test_a_part_of_a_composed_answer_is_compared_at_its_place(dataset: Dataset) -> None:
    operation = dataset.domain.operations["follow"]
    codec, definition = exchanges("rest", dataset, "follow", 8)
    parts = [each for each in definition if each.template.into]
    assert parts

    for part in parts:
        known = KnownAnswer.create(operation, codec, part, reference_differ(operation))
        assert known is not None
        assert known.why_wrong(200, part.reply.body) == ""
        wrong = known.why_wrong(200, part.reply.body.replace(b'"title": "', b'"title": "X'))
        assert wrong.startswith(part.template.into.split("/*")[0]), wrong


def test_only_answers_to_reads_are_known(dataset: Dataset) -> None:
    operation = dataset.domain.operations["create"]
    codec, (one,) = exchanges("rest", dataset, "create", 1)

    assert KnownAnswer.create(operation, codec, one, reference_differ(operation)) is None


def _requests(plans: tuple[Plan, ...]) -> list[Any]:
    return [request for plan in plans for round_ in plan.rounds for request in round_]


def test_bytes_that_were_the_same_by_chance_are_not_expected(dataset: Dataset) -> None:
    right, reads = rest(Logic(dataset)), count()

    def handle(method: str, path: str, request: bytes) -> tuple[int, str, bytes]:
        status, form, body = right(method, path, request)
        # Of the six first answers the last alone has another order.
        if path.startswith("/notes/") and status == 200 and next(reads) == 5:
            body = json.dumps(dict(reversed(json.loads(body).items()))).encode()
        return status, form, body

    with http(handle) as address:
        done = verified("rest", dataset, address, {"fetch_one": Workload("read", 3)})

    requests = _requests(done.plans)
    assert [request.expectation.body_xxh3 for request in requests] == [None] * 3
    assert all(request.expectation.body_length for request in requests)
    assert all(request.known is not None for request in requests)


def test_bytes_that_are_always_the_same_are_expected_and_not_kept(dataset: Dataset) -> None:
    with serving("rest", Logic(dataset)) as address:
        done = verified("rest", dataset, address, {"fetch_one": Workload("read", 3)})

    requests = _requests(done.plans)
    assert all(request.expectation.body_xxh3 for request in requests)
    assert [request.known for request in requests] == [None] * 3
