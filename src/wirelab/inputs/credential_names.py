"""Names that tell that a value is a credential, which is never shown."""

import re
from collections.abc import Mapping

HIDDEN = "(hidden)"
_TELLTALE = re.compile(
    r"authorization|cookie|token|secret|password|credential|api[-_]?key|session|signature",
    re.IGNORECASE,
)


def names_a_credential(name: str) -> bool:
    """Return whether a header or key of this name is likely to contain a credential."""
    return _TELLTALE.search(name) is not None


def hide_credentials(value: object) -> object:
    """Return a value with hidden texts wherever a table has a key that names a credential."""
    if isinstance(value, Mapping):
        return {
            key: HIDDEN
            if isinstance(each, str) and names_a_credential(str(key))
            else hide_credentials(each)
            for key, each in value.items()
        }
    if isinstance(value, list | tuple):
        return type(value)(map(hide_credentials, value))
    return value
