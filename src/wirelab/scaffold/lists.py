"""Tell answers that are lists from objects that contain lists."""

from collections.abc import Collection, Iterable

from wirelab.scaffold.names import singular, words

DEEPEST = 3
"""Maximum number of members around a list."""
PAGES = {"count", "cursor", "elements", "empty", "first", "has", "is", "items", "last", "length"}
PAGES |= {"limit", "more", "next", "number", "of", "offset", "page", "pageable", "pages", "paging"}
PAGES |= {"pagination", "per", "prev", "previous", "results", "size", "skip", "take", "token"}
PAGES |= {"total", "edges", "nodes", "filter", "filters", "order", "query", "sort", "sorted"}
"""Words in the names of what describes a list and its pages."""
ANSWERS = {"api", "context", "error", "errors", "etag", "included", "info", "kind", "link", "links"}
ANSWERS |= {"message", "meta", "metadata", "object", "odata", "ok", "self", "status", "success"}
ANSWERS |= {"timestamp", "took", "uri", "url", "version", "warnings"}
"""Words in the names of what describes an answer."""
BESIDE = PAGES | ANSWERS


def answers_list(paths: Iterable[str]) -> bool:
    """Return whether an answer with values at these paths is a list of objects.

    It may have an envelope: an object with one list, and otherwise only data about its pages. An
    object with other values is not a list, whatever lists it contains.
    """
    return _is_list({tuple(path.split("/")) for path in paths}, DEEPEST)


def _is_list(paths: Collection[tuple[str, ...]], depth: int) -> bool:
    if any(path[0] == "*" for path in paths):
        return any(len(path) > 1 for path in paths)
    if not depth:
        return False
    members: dict[str, set[tuple[str, ...]]] = {}
    for name, *inside in paths:
        members.setdefault(name, set()).update([tuple(inside)] if inside else [])
    return any(
        _is_list(members[name], depth - 1)
        and all(_describes(other, name) for other in members if other != name)
        for name in members
    )


def _describes(name: str, listed: str) -> bool:
    """Return whether a member's name says that it describes a list, such as total or bikeCount."""
    things = {singular(word) for word in words(listed)}
    named = words(name)
    return any(word in BESIDE for word in named) and all(
        word in BESIDE or singular(word) in things for word in named
    )
