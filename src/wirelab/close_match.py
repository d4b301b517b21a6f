"""The hint for a name that does not exist: the most similar known name."""

from collections.abc import Iterable
from difflib import get_close_matches


def close_match(name: object, known: Iterable[str]) -> str:
    """Return "did you mean 'x'?" for the known name closest to `name`, or "" without one."""
    names = list(known)
    matches = [each for each in names if each.lower() == str(name).lower()]
    matches = matches or get_close_matches(str(name), names, n=1)
    return f"did you mean {matches[0]!r}?" if matches else ""


def one_of(known: Iterable[str]) -> str:
    """Return what a message says is expected: one of a set of names."""
    names = sorted(known)
    return f"one of {', '.join(names)}" if names else "nothing, since none is defined"
