"""JSON pointers (RFC 6901) with one addition: `*` stands for every item of a list."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

STAR = "*"

Match = tuple[tuple[int, ...], object]
"""The indices that the stars of a pointer stood for, and the value found there."""


def parts(pointer: str) -> list[str]:
    """Return the unescaped reference tokens of a pointer; "" has none."""
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def join(path: Sequence[object]) -> str:
    """Write reference tokens as a pointer."""
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in path)


def find(document: object, pointer: str) -> object:
    """Return the value that a pointer without stars leads to, None if there is none."""
    return next((value for _, value in matches(document, pointer)), None)


def matches(document: object, pointer: str) -> Iterator[Match]:
    """Yield every value that a pointer leads to, in the order of the document."""
    yield from _walk(document, parts(pointer), ())


def nearby(document: object, pointer: str) -> list[str]:
    """Return the pointers to what is there instead if a pointer leads nowhere.

    Return [] if it leads somewhere, or may do so: the parts of null, or of something empty that is
    on its way, are unknown.
    """
    if any(True for _ in matches(document, pointer)):
        return []
    return _nearby(document, parts(pointer), ())


def put(document: object, pointer: str, stars: Sequence[int], value: object) -> object:
    """Return the document with a value set where the pointer leads, its stars filled in order.

    Containers on the way are changed in place, and created where they are missing. Raises
    `LookupError` if something else is already there.
    """
    tokens = parts(pointer)
    if not tokens:
        return value
    fillings = iter(stars)
    path: list[str | int] = [next(fillings) if token == STAR else token for token in tokens]
    root = _container(path[0]) if document is None else document
    node = root
    for token, following in pairwise(path):
        child = _get(node, token)
        if child is None:
            child = _container(following)
            _set(node, token, child)
        node = child
    _set(node, path[-1], value)
    return root


def _walk(node: object, tokens: list[str], stars: tuple[int, ...]) -> Iterator[Match]:
    if not tokens:
        yield stars, node
        return
    token, rest = tokens[0], tokens[1:]
    if token == STAR:
        for number, item in enumerate(node if isinstance(node, list) else ()):
            yield from _walk(item, rest, (*stars, number))
    elif isinstance(node, dict) and token in node:
        yield from _walk(node[token], rest, stars)
    elif isinstance(node, list) and token.isdecimal() and int(token) < len(node):
        yield from _walk(node[int(token)], rest, stars)


def _nearby(node: object, tokens: list[str], path: tuple[str, ...]) -> list[str]:
    if not tokens or node in (None, [], {}):
        return []
    token, rest = tokens[0], tokens[1:]
    if isinstance(node, list) and token == STAR:
        return next(filter(None, (_nearby(item, rest, (*path, token)) for item in node)), [])
    if isinstance(node, list) and token.isdecimal() and int(token) < len(node):
        return _nearby(node[int(token)], rest, (*path, token))
    if isinstance(node, dict) and token in node:
        return _nearby(node[token], rest, (*path, token))
    return _parts_of(node, path)


def _parts_of(node: object, path: tuple[str, ...]) -> list[str]:
    """Return pointers to the parts of a value, or to itself if it has none."""
    if isinstance(node, list):
        path = (*path, STAR)
        node = node[0]
    keys = list(node) if isinstance(node, dict) else []
    return [join((*path, key)) for key in keys] or [join(path)]


def _container(token: str | int) -> object:
    return [] if isinstance(token, int) else {}


def _get(node: object, token: str | int) -> object:
    if isinstance(node, dict):
        return node.get(token)
    if isinstance(node, list) and isinstance(token, int):
        return node[token] if token < len(node) else None
    raise LookupError(f"cannot insert {token!r}")


def _set(node: object, token: str | int, value: object) -> None:
    if isinstance(node, dict):
        node[token] = value
    elif isinstance(node, list) and isinstance(token, int):
        node += [None] * (token + 1 - len(node))
        node[token] = value
    else:
        raise LookupError(f"cannot insert {token!r}")
