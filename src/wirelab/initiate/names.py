"""Convert names of interfaces into names of domain.toml."""

import re

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def words(name: str) -> list[str]:
    """Split a name into words in lower case: getItemByID is get, item, by, id."""
    return [word.lower() for word in _WORDS.findall(name)]


def operation_name(name: str, taken: set[str]) -> str:
    """Return a unique name for an operation, and add it to the used ones."""
    base = "_".join(words(name))[:60].strip("_") or "operation"
    if base[0].isdigit():
        base = f"operation_{base}"
    chosen, number = base, 2
    while chosen in taken:
        chosen, number = f"{base}_{number}", number + 1
    taken.add(chosen)
    return chosen


def identifier(text: str) -> str:
    """Convert a text to the id of a contender: lower-case letters, digits and hyphens."""
    return "-".join(re.findall(r"[a-z0-9]+", text.lower())) or "one"
