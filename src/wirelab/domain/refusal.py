"""Why an operation is refused, and what a reference raises then."""

from typing import Literal, get_args

RefusalKind = Literal["not_found", "invalid", "conflict", "unauthenticated"]
"""Why an operation is refused, in the words that every protocol has an error for."""

Fault = Literal["internal", "unreadable", "unavailable", "too_late"]
"""Faults of the server, whatever it was asked:

internal: it says of itself that it failed (HTTP 5xx, INTERNAL, a server Fault);
unreadable: what it sent is not a reply of this protocol to this request;
unavailable: it says that it, or something behind it, is not there (HTTP 503, UNAVAILABLE);
too_late: something behind it did not answer in time (HTTP 504, DEADLINE_EXCEEDED).
"""
FAULTS: frozenset[str] = frozenset(get_args(Fault))

RefusalOrFault = RefusalKind | Fault


class Refused(Exception):  # noqa: N818  (raised as a sentence: raise Refused("not_found"))
    """The operation is refused, for a reason that every protocol can express."""

    def __init__(self, kind: RefusalKind) -> None:
        self.kind = kind
        super().__init__(kind)
