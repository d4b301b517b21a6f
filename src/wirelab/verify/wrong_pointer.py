"""Find the pointer of a binding that leads to no part of a response.

It is checked when the domain is loaded if a description shows what a response has. Otherwise, the
first response shows it.
"""

from collections.abc import Iterable
from typing import Any

from wirelab.domain.model import Operation
from wirelab.inputs.close_match import close_match, one_of
from wirelab.inputs.problems import Problem
from wirelab.protocol.base import Codec
from wirelab.protocol.message import Answer, Refusal
from wirelab.protocol.plan import Transaction


def wrong_pointer(
    file: str, codec: Codec[Any], operation: Operation, transaction: Transaction
) -> str:
    """Return which `answer` leads to no part of its response, and what that has; "" if none does.

    `file` is the name of the file that binds the operation.
    """
    keys = {id(request): key for key, _, request in operation.bindings[codec.protocol].requests()}
    for exchange in (each for round_ in transaction.rounds for each in round_):
        written = exchange.template.answer
        outcome = codec.decode_reply(exchange.template, exchange.reply)
        if isinstance(outcome, Answer) and outcome.instead:
            key = f"operation.{operation.name}.{codec.protocol}{keys[id(exchange.template)]}.answer"
            known = [each for each in outcome.instead if each]
            parts = one_of(known) if known else '"", since the response has no parts'
            expected = f"a part of the response: {parts}"
            return str(Problem(file, key, written, expected, close_match(written, known)))
    return ""


def wrong_in_all(
    file: str,
    codec: Codec[Any],
    operation: Operation,
    transactions: Iterable[Transaction | None],
) -> str:
    """Return what `wrong_pointer` does for the first answer if all of them are null; else ""."""
    answered = [
        transaction
        for transaction in transactions
        if transaction and not isinstance(transaction.outcome, Refusal)
    ]
    if any(
        isinstance(transaction.outcome, Answer) and transaction.outcome.value is not None
        for transaction in answered
    ):
        return ""
    pointers = [wrong_pointer(file, codec, operation, transaction) for transaction in answered]
    return pointers[0] if pointers and all(pointers) else ""
