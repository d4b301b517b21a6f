"""The reasons for refusing an operation, and the exception that a reference raises for them."""

from typing import Literal, get_args

RefusalKind = Literal["not_found", "invalid", "conflict", "unauthenticated"]
"""Why an operation is refused; every protocol has an error for each reason."""
REFUSALS: tuple[str, ...] = get_args(RefusalKind)

Fault = Literal["internal", "unreadable", "unavailable", "too_late"]
"""Faults of the server, whatever the request:

internal: it reports that it failed (HTTP 5xx, INTERNAL, a server Fault);
unreadable: what it sent is not a reply of this protocol to this request;
unavailable: it reports that it, or a service behind it, is gone (HTTP 503, UNAVAILABLE);
too_late: a service behind it did not answer in time (HTTP 504, DEADLINE_EXCEEDED).
"""
FAULTS: frozenset[str] = frozenset(get_args(Fault))

RefusalOrFault = RefusalKind | Fault


class Refused(Exception):  # noqa: N818  (raised as a sentence: raise Refused("not_found"))
    """Raised to refuse an operation, for a reason that every protocol can express."""

    def __init__(self, kind: RefusalKind) -> None:
        self.kind = kind
        super().__init__(kind)
