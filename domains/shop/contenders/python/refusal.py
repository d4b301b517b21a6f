"""Why something is refused, in words that every protocol has an error for."""

import logging
from typing import Literal, get_args

Kind = Literal[
    "not_found",
    "invalid",
    "unauthenticated",
    "out_of_stock",
    "payment_refused",
    "unavailable",
    "too_late",
    "internal",
]
KINDS: tuple[str, ...] = get_args(Kind)


class Refusal(Exception):
    """The operation cannot be carried out, and the client may know why."""

    def __init__(self, kind: Kind, detail: str) -> None:
        self.kind = kind
        self.detail = detail
        super().__init__(detail)


def not_served() -> Refusal:
    """Say that another program serves this."""
    return Refusal("not_found", "this service does not offer it")


def told(error: BaseException) -> Refusal:
    """Return what a client is told of an error: what goes wrong inside goes to the log."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, TimeoutError):
        return Refusal("too_late", "there was no answer within the deadline")
    logging.error("something went wrong", exc_info=error)
    return Refusal("internal", "something went wrong inside the server")
