"""Perform an operation once, request by request, so that the engine can send it again.

If an operation has several rounds, requests of a later round use values of the earlier answers.
They are filled in once, with answers of the real server; the result is a list of rounds of finished
requests, which an engine can send without interpreting them.
"""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wirelab.domain import pointer
from wirelab.domain.model import Operation, RequestTemplate
from wirelab.protocol.base import Codec
from wirelab.protocol.clients.base import Client
from wirelab.protocol.message import (
    Answer,
    CannotEncodeError,
    Refusal,
    WireReply,
    WireRequest,
)


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and the reply to it.

    `template` is the template of the request, `indices` are those for the stars of its `into`: the
    first ones, if the answer is inserted in several positions.
    """

    request: WireRequest
    reply: WireReply
    template: RequestTemplate
    indices: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Transaction:
    """An operation performed once: its rounds, and the outcome of all of them together.

    A refusal ends it, so later rounds are missing. Rounds without requests are missing, too.
    `seconds` is the total duration for a client that does nothing else.
    """

    rounds: tuple[tuple[Exchange, ...], ...]
    outcome: Answer | Refusal
    seconds: float = 0.0

    @property
    def exchanges(self) -> list[Exchange]:
        """The requests of all rounds, with their replies."""
        return [exchange for together in self.rounds for exchange in together]


def plan_transaction(
    client: Client, codec: Codec[Any], operation: Operation, parameters: Mapping[str, object]
) -> Transaction:
    """Perform an operation over a real connection.

    For a value that `each` selects several times, one request is sent, and its answer is inserted
    in every place. Raises `CannotEncodeError` and `NoReplyError`.
    """
    document: object = None
    rounds: list[tuple[Exchange, ...]] = []
    seconds = 0.0
    for round_ in codec.rounds(operation):
        exchanges: list[Exchange] = []
        earlier = document
        for template in round_:
            for item, places in _items(template, earlier):
                request = _encoded(codec, template, {**parameters, "item": item})
                began = time.perf_counter()
                reply = client.send(request)
                seconds += time.perf_counter() - began
                exchanges.append(Exchange(request, reply, template, places[0]))
                outcome = codec.outcome(template, reply)
                if isinstance(outcome, Refusal):
                    return Transaction((*rounds, tuple(exchanges)), outcome, seconds)
                try:
                    for stars in places:
                        document = pointer.put(document, template.into, stars, outcome.value)
                except LookupError as error:
                    refusal = Refusal("unreadable", f"cannot insert an answer: {error}")
                    return Transaction((*rounds, tuple(exchanges)), refusal, seconds)
        if exchanges:
            rounds.append(tuple(exchanges))
    return Transaction(tuple(rounds), Answer(document), seconds)


def _encoded(
    codec: Codec[Any], template: RequestTemplate, parameters: Mapping[str, object]
) -> WireRequest:
    try:
        return codec.encode_request(template, parameters)
    except UnicodeEncodeError:
        raise CannotEncodeError("a text has half of a surrogate pair, which UTF-8 lacks") from None


def _items(
    template: RequestTemplate, document: object
) -> list[tuple[object, list[tuple[int, ...]]]]:
    """Return the distinct values that a request is sent for, with the positions of each."""
    if not template.each:
        return [(None, [()])]
    pools: dict[str, tuple[object, list[tuple[int, ...]]]] = {}
    for stars, value in pointer.matches(document, template.each):
        if value is not None:
            pools.setdefault(json.dumps(value), (value, []))[1].append(stars)
    return list(pools.values())
