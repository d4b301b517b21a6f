"""Why an operation is refused, and what a reference raises then."""

from typing import Literal

RefusalKind = Literal["not_found", "invalid", "conflict", "unauthenticated"]
"""Why an operation is refused, in the words that every protocol has an error for."""

RefusalOrFault = RefusalKind | Literal["internal", "unreadable"]
"""The refusals a domain knows, and two that are always faults of the server:

internal: it says of itself that it failed (HTTP 5xx, INTERNAL, a server Fault);
unreadable: what it sent is not a reply of this protocol to this request.
"""


class Refused(Exception):  # noqa: N818  (raised as a sentence: raise Refused("not_found"))
    """The operation is refused, for a reason that every protocol can express."""

    def __init__(self, kind: RefusalKind) -> None:
        self.kind = kind
        super().__init__(kind)
