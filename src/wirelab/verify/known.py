"""Check the meaning of answers whose bytes vary, as sampled by the engine."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from wirelab.domain import pointer
from wirelab.domain.canonical import ValueDifference, canonical, difference
from wirelab.domain.model import Operation
from wirelab.engine.answers import LONGEST_BODY
from wirelab.protocol.base import Codec
from wirelab.protocol.message import Refusal, WireReply
from wirelab.protocol.plan import Exchange
from wirelab.verify.equality.common_shape import ShapeError, shape, shape_differences

Differ = Callable[[object, object], ValueDifference | None]
"""Compares a correct answer with another one; returns the first difference."""

TOO_LONG = 2
"""An answer this many times as long as the correct one is wrong, even if its body was not kept."""


@dataclass(frozen=True, slots=True)
class KnownAnswer:
    """The verified answer to a request; all other answers to it must mean the same."""

    codec: Codec[Any]
    exchange: Exchange
    differ: Differ

    @classmethod
    def create(
        cls, operation: Operation, codec: Codec[Any], exchange: Exchange, differ: Differ
    ) -> Self | None:
        """Return the known answer if other answers can be compared with it.

        They cannot if the operation writes (its next answer differs), if the answer is longer than
        the engine keeps, or if it is a stream (the engine does not keep the ends of its items).
        """
        if operation.effect == "write" or exchange.request.stream:
            return None
        if len(exchange.reply.content) > LONGEST_BODY:
            return None
        return cls(codec, exchange, differ)

    def why_wrong(self, status: int | None, body: bytes) -> str:
        """Return why another answer is wrong; "" if it is correct."""
        right = self.exchange.reply
        # The engine has decoded the body; the other headers were verified.
        headers = [each for each in right.headers if each[0].lower() != "content-encoding"]
        try:
            got = self._value(WireReply(status, tuple(headers), body))
            if isinstance(got, Refusal):
                return f"refused as {got.kind}: {got.detail}"
            differs = self.differ(self._value(right), got)
        except (RecursionError, ShapeError) as error:
            return f"it cannot be compared: {error}"
        if differs is None:
            return ""
        return f"{differs.path or 'it'}: expected {differs.expected!r}, got {differs.got!r}"

    def is_too_long(self, length: int) -> bool:
        """Return whether an answer whose body was not kept is wrong by its length alone."""
        return length > TOO_LONG * len(self.exchange.reply.content)

    def _value(self, reply: WireReply) -> object:
        """Return the meaning of a reply, at its position in the answer to the whole operation."""
        exchange = self.exchange
        outcome = self.codec.outcome(exchange.template, reply)
        if isinstance(outcome, Refusal):
            return outcome
        return pointer.put(None, exchange.template.into, exchange.indices, outcome.value)


def reference_differ(operation: Operation) -> Differ:
    """Compare in the same way as answers are compared with the reference."""

    def differ(right: object, other: object) -> ValueDifference | None:
        masked = operation.masked
        return difference(canonical(right, masked), canonical(other, masked))

    return differ


def shape_differ(operation: Operation, protocol: str, varying: set[str]) -> Differ:
    """Compare in the same way as contenders are compared with each other, except varying parts."""
    common, passed_over = operation.common, frozenset(varying)

    def differ(right: object, other: object) -> ValueDifference | None:
        shapes = shape(common, protocol, right), shape(common, protocol, other)
        difference = next(shape_differences(common, *shapes, passed_over), None)
        return difference and ValueDifference(difference.path, difference.one, difference.other)

    return differ
