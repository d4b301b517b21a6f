"""The hint for a name that does not exist: the most similar known name."""

from collections.abc import Iterable
from difflib import get_close_matches


def close_match(name: object, known: Iterable[str]) -> str:
    """Return "did you mean 'x'?" for the known name closest to `name`, or "" without one."""
    return close_matches([name], known)


def close_matches(names: Iterable[object], known: Iterable[str]) -> str:
    """Return "did you mean 'x', 'y'?" with the closest known names, or "" if none is close."""
    choices = list(known)
    matches = dict.fromkeys(match for name in names for match in _closest(str(name), choices))
    return f"did you mean {', '.join(map(repr, matches))}?" if matches else ""


def one_of(known: Iterable[str]) -> str:
    """Return the words for an expected name: one of a set of names."""
    names = sorted(set(known))
    return f"one of {', '.join(names)}" if names else "nothing, since none is defined"


def _closest(name: str, known: list[str]) -> list[str]:
    """Return the known name that is closest; [] if none is close."""
    equal = [each for each in known if each.lower() == name.lower()]
    return equal[:1] or get_close_matches(name, known, n=1)
