"""What a reference raises when an operation cannot be carried out."""

from wirelab.protocol.message import RefusalKind


class Refused(Exception):  # noqa: N818  (raised as a sentence: raise Refused("not_found"))
    """The operation is refused, for a reason that every protocol can express."""

    def __init__(self, kind: RefusalKind) -> None:
        self.kind = kind
        super().__init__(kind)
