"""Carrying an operation out once, request by request, so that it can be sent again as it was.

Where an operation takes several rounds, the requests of a later one take values from the answers
of those before. Here that is done once, against the real server; what remains is a list of rounds
of finished requests that an engine can send without understanding them.
"""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wirelab.domain import pointer
from wirelab.domain.model import Operation, RequestTemplate
from wirelab.protocol.base import Codec
from wirelab.protocol.client_base import Client
from wirelab.protocol.message import Answer, Refusal, WireReply, WireRequest


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and the reply to it.

    `template` is what the request was made of, `place` says which items the stars of its `into`
    stand for: those of the first place, where the answer is put into several.
    """

    request: WireRequest
    reply: WireReply
    template: RequestTemplate
    place: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Transaction:
    """An operation carried out once: its rounds, and what came of all of them together.

    A refusal ends it: later rounds are not there then. Neither is a round with nothing to ask.
    `seconds` is how long all of it took a client that does nothing else.
    """

    rounds: tuple[tuple[Exchange, ...], ...]
    outcome: Answer | Refusal
    seconds: float = 0.0


def plan_transaction(
    client: Client, codec: Codec[Any], operation: Operation, parameters: Mapping[str, object]
) -> Transaction:
    """Carry out an operation over a real connection.

    A value that `each` selects several times is asked for once, and its answer put into every
    place. Raises `CannotEncodeError` and `NoReplyError`.
    """
    document: object = None
    rounds: list[tuple[Exchange, ...]] = []
    seconds = 0.0
    for round_ in codec.rounds(operation):
        exchanges: list[Exchange] = []
        earlier = document
        for template in round_:
            for item, places in _items(template, earlier):
                request = codec.encode_request(template, {**parameters, "item": item})
                began = time.perf_counter()
                reply = client.send(request)
                seconds += time.perf_counter() - began
                exchanges.append(Exchange(request, reply, template, places[0]))
                outcome = codec.decode_reply(template, reply)
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


def _items(
    template: RequestTemplate, document: object
) -> list[tuple[object, list[tuple[int, ...]]]]:
    """Return what a request is sent for: each distinct value once, with the places it came from."""
    if not template.each:
        return [(None, [()])]
    found: dict[str, tuple[object, list[tuple[int, ...]]]] = {}
    for stars, value in pointer.matches(document, template.each):
        if value is not None:
            found.setdefault(json.dumps(value), (value, []))[1].append(stars)
    return list(found.values())
