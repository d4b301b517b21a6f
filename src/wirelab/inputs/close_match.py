"""The hint for a name that does not exist: the most similar known name."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path

LONGEST_LIST = 250
"""Characters of a list of names in a message."""


def close_match(name: object, known: Iterable[str]) -> str:
    """Return "did you mean 'x'?" for the known name closest to `name`, or "" without one."""
    return close_matches([name], known)


def close_matches(names: Iterable[object], known: Iterable[str]) -> str:
    """Return "did you mean 'x', 'y'?" with the closest known names, or "" if none is close."""
    choices = list(known)
    matches = dict.fromkeys(closest(name, choices) for name in names)
    shown = ", ".join(repr(match) for match in matches if match)
    return f"did you mean {shown}?" if shown else ""


def similar_folder(name_or_path: str | Path, marker: str, known: Iterable[str]) -> str:
    """Return the hint for a name or path at which there is nothing; "" if none is similar.

    Folders beside that path with a file `marker` are suggested, too.
    """
    path = Path(name_or_path)
    here = "./" if str(name_or_path).startswith("./") else ""
    beside = [f"{here}{path.parent / file.parent.name}" for file in path.parent.glob(f"*/{marker}")]
    if here:  # a name without it may be that of a folder of wirelab
        return close_match(f"{here}{path}", beside) or close_match(path.name, known)
    return close_match(path, [*known, *beside]) or close_match(path.name, known)


def one_of(known: Iterable[str]) -> str:
    """Return the words for an expected name: one of a set of names."""
    names = sorted(set(known))
    return f"one of {some_of(names)}" if names else "nothing, since none is defined"


def some_of(names: Sequence[str]) -> str:
    """Return names after commas; of many, the first ones and the number of the others."""
    shown: list[str] = []
    for name in names:
        if shown and len(", ".join([*shown, name])) > LONGEST_LIST:
            return f"{', '.join(shown)} and {len(names) - len(shown)} more"
        shown.append(name)
    return ", ".join(shown)


def another_key(known: Iterable[str]) -> str:
    """Return the words for what is expected instead of an unknown key: one of a set of names."""
    names = list(known)
    return f"no such key, but {one_of(names)}" if names else "no such key"


def closest(name: object, known: Iterable[str]) -> str:
    """Return the known name closest to `name`; "" if none is close."""
    choices = list(known)
    equal = [each for each in choices if each.lower() == str(name).lower()]
    return next(iter(equal or get_close_matches(str(name), choices, n=1)), "")
