"""A repeated operation is decoded only if a reply differs from the earlier one."""

import time
from dataclasses import dataclass, field

import pytest

from tests.support.note_servers import Handler, Logic, rest
from wirelab import protocol
from wirelab.domain import Dataset
from wirelab.protocol.clients.base import Client
from wirelab.protocol.message import Answer, Refusal, WireReply, WireRequest
from wirelab.protocol.plan import Transaction, plan_transaction
from wirelab.protocol.rest import RestCodec, RestRequest
from wirelab.verify.reference.comparison import perform_again

SLOW_S = 0.02


@dataclass
class Calling(Client):
    """A client that calls a server of the notes in this process, and remembers what it called."""

    handler: Handler
    changed: dict[int, bytes] = field(default_factory=dict)
    """Other bodies, by the number of the request."""
    called: list[str] = field(default_factory=list)

    def send(self, request: WireRequest) -> WireReply:
        time.sleep(SLOW_S)
        status, form, body = self.handler(request.method, request.path, request.body)
        body = self.changed.get(len(self.called), body)
        self.called.append(request.path)
        return WireReply(status, (("content-type", form),), body)

    def close(self) -> None:
        """Nothing is open."""


def repeated(
    dataset: Dataset, changed: dict[int, bytes], monkeypatch: pytest.MonkeyPatch
) -> tuple[Transaction, Transaction, Calling, list[bytes]]:
    """Follow a note with two links twice, with some replies changed the second time.

    Returns both transactions, the second client, and the replies that were then decoded.
    """
    operation = dataset.domain.operations["follow"]
    linked = next(row["id"] for row in dataset.tables["note"] if len(set(row["links"])) == 2)
    codec = protocol.get("rest").bind(dataset.domain, "/")
    first = plan_transaction(Calling(rest(Logic(dataset))), codec, operation, {"id": linked})
    decoded: list[bytes] = []
    decode = RestCodec.decode_reply

    def noted(self: RestCodec, request: RestRequest, reply: WireReply) -> Answer | Refusal:
        decoded.append(reply.body)
        return decode(self, request, reply)

    monkeypatch.setattr(RestCodec, "decode_reply", noted)
    client = Calling(rest(Logic(dataset)), changed)
    again = perform_again(client, codec, operation, {"id": linked}, first)
    return first, again, client, decoded


def test_equal_replies_are_not_decoded_again(
    dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, again, client, decoded = repeated(dataset, {}, monkeypatch)

    assert [len(round_) for round_ in again.rounds] == [1, 2]
    assert again.rounds == first.rounds
    assert again.outcome is first.outcome
    assert decoded == []
    assert len(client.called) == 3


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_reply_that_differs_is_part_of_the_answer_and_no_request_is_sent_twice(
    number: int, dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    links = [row["links"] for row in dataset.tables["note"] if len(set(row["links"])) == 2]
    note = f'{{"id": "another", "links": {links[0]}}}'.replace("'", '"').encode()

    first, again, client, decoded = repeated(dataset, {number: note}, monkeypatch)

    assert isinstance(again.outcome, Answer)
    assert isinstance(again.outcome.value, dict)
    got = [again.outcome.value, *again.outcome.value["linked"]]
    assert [each["id"] == "another" for each in got] == [each == number for each in range(3)]
    assert client.called == [each.request.path for round_ in first.rounds for each in round_]
    assert len(decoded) == 3
    assert again.seconds >= 3 * SLOW_S  # the time until the difference counts, too
