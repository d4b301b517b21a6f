"""Perform an operation again, and decode its replies only if one differs from the earlier one."""

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from wirelab.domain.model import Operation
from wirelab.protocol.base import Codec
from wirelab.protocol.clients.base import Client
from wirelab.protocol.message import WireReply, WireRequest
from wirelab.protocol.plan import Transaction, plan_transaction


def perform_again(
    client: Client,
    codec: Codec[Any],
    operation: Operation,
    parameters: Mapping[str, object],
    first: Transaction,
) -> Transaction:
    """Send the requests of a transaction again.

    If status and body of all replies are equal, the outcome is that of `first` itself: decoding a
    large answer takes long. Otherwise, it is that of the replies received now. Raises
    `CannotEncodeError` and `NoReplyError`.
    """
    replies: list[WireReply] = []
    rounds = []
    seconds = 0.0
    for exchanges in first.rounds:
        repeated = []
        for exchange in exchanges:
            began = time.perf_counter()
            reply = client.send(exchange.request)
            seconds += time.perf_counter() - began
            replies.append(reply)
            if (reply.status, reply.body) != (exchange.reply.status, exchange.reply.body):
                resumed = _Resumed(client, replies)
                other = plan_transaction(resumed, codec, operation, parameters)
                return replace(other, seconds=seconds + other.seconds)
            repeated.append(replace(exchange, reply=reply))
        rounds.append(tuple(repeated))
    return Transaction(tuple(rounds), first.outcome, seconds)


class _Resumed(Client):
    """A client that has already received the replies to the first requests."""

    def __init__(self, client: Client, replies: list[WireReply]) -> None:
        self._client = client
        self._replies = iter(replies)

    def send(self, request: WireRequest) -> WireReply:
        received = next(self._replies, None)
        return self._client.send(request) if received is None else received

    def close(self) -> None:
        """Leave the connection to its owner."""
