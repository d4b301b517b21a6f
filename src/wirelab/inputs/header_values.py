"""Which values a request header can have, in every protocol and with every client."""

import re

_PRINTABLE = re.compile(r"[\t -~]*")


def unfit(value: str) -> str:
    """Return why a header cannot have a value, "" if it can (RFC 9110, 5.5, no obs-text)."""
    if not value.isascii():
        return "contains a character outside ASCII"
    if not _PRINTABLE.fullmatch(value):
        return "contains a control character, such as a line end"
    return "" if value == value.strip() else "begins or ends with white space"
