"""Convert names of interfaces into names of domain.toml."""

import re
from collections.abc import Iterable

VERBS = {
    "get": "get",
    "read": "get",
    "fetch": "get",
    "find": "get",
    "retrieve": "get",
    "show": "get",
    "load": "get",
    "query": "get",
    "list": "list",
    "search": "list",
    "all": "list",
    "index": "list",
    "create": "create",
    "add": "create",
    "insert": "create",
    "post": "create",
    "put": "update",
    "patch": "update",
    "update": "update",
    "set": "update",
    "edit": "update",
    "delete": "delete",
    "remove": "delete",
}
"""The kind of an operation, by the verb in its name."""
FILLERS = {"by", "id", "the", "of", "a", "api", "v1", "v2", "v3", "request", "operation", "one"}
"""Words in the names of operations that name neither an action nor a resource."""

KEYS = {"id", "key", "uuid", "guid", "slug", "code", "name"}
"""Words that end the names of parameters that identify something."""
LONGEST_NAME = 60
"""Characters of an operation's name, about."""
LIMITS = {"limit", "first", "page_size", "pagesize", "per_page", "perpage", "take", "count"}
LIMITS |= {"max_results", "maxresults", "size"}
"""Parameters that limit the number of results, as they are spelled for comparison."""
LIMIT = 20
"""Their value."""

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def words(name: str) -> list[str]:
    """Split a name into words in lower case: getItemByID is get, item, by, id."""
    return [word.lower() for word in _WORDS.findall(name)]


def spelled(name: str) -> str:
    """Return a name in the spelling that is compared: itemId and item-id are item_id."""
    return "_".join(words(name))


def nouns(named: Iterable[str]) -> list[str]:
    """Return the nouns among the words of an operation's name, in the singular."""
    return [singular(word) for word in named if word not in VERBS and word not in FILLERS]


def singular(word: str) -> str:
    """Return a noun in the singular, by simple rules."""
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def operation_name(name: str, taken: set[str]) -> str:
    """Return a unique name for an operation, and add it to the used ones."""
    base = ""
    for word in words(name):
        if len(base) + len(word) < LONGEST_NAME:  # whole words only
            base = f"{base}_{word}" if base else word
    base = base or "operation"
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
