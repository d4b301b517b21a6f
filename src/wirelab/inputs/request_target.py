"""The target of a request as it is sent: a path and a query of RFC 3986, in ASCII."""

import re
from urllib.parse import quote

_ALLOWED = "/?:@!$&'()*+,;=-._~%"
"""What a path or a query may contain besides letters and digits (RFC 3986, 3.3 and 3.4)."""
_BARE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")


def request_target(written: str) -> str:
    """Return a path and a query with everything quoted that a request line cannot contain.

    What is quoted already stays as it is, and so do dots: they are for the server to resolve (RFC
    9112, 3.2). The function changes nothing that it has returned. Raises `UnicodeEncodeError` for
    half of a surrogate pair.
    """
    return quote(_BARE_PERCENT.sub("%25", written), safe=_ALLOWED)
