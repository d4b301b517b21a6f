"""Propose projections: from each protocol's answer to all values that the protocols have in common.

A value has the same name in two answers if the words of its path are the same between lists:
`header/clusterId` and `header_cluster_id` are `header_cluster_id`, and `kvs/*/key` is the `key` of
the items of `kvs`. Answers may be wrapped differently, such as in `data`: the objects inside of
which most values have the same names are the answers, and what is beside them is compared, too.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wirelab.domain.pointer import STAR
from wirelab.scaffold.descriptions.offer import Offer
from wirelab.scaffold.names import words

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
OUTER = ("items", "inside", "contained")
"""Names for what answers contain if other values beside that are compared, too."""
MOST_CONTAINERS = 30

Name = tuple[str, ...]
"""The common name of a value, with one text for each level of lists."""
Segments = tuple[tuple[str, ...], ...]
"""The path of a value, divided at lists."""
Found = Mapping[Name, Segments]


@dataclass(frozen=True, slots=True)
class _View:
    """The values of an answer: those inside a container, and those beside it."""

    container: str
    inside: Found
    beside: Found

    def __and__(self, other: "_View") -> int:
        return len(self.inside.keys() & other.inside.keys()) + len(
            self.beside.keys() & other.beside.keys()
        )


def propose(
    offers: Sequence[Offer], defaults: Mapping[str, Mapping[str, str]] | None = None
) -> dict[str, str]:
    """Propose a JMESPath expression for each protocol; none if they have no values in common.

    `defaults` are the values that represent null, by protocol and part of the common shape.
    """
    views = _views(offers)
    inside, beside = (
        _common([view.inside for view in views]),
        _common([view.beside for view in views]),
    )
    if not inside and not beside:
        return {}
    outer = next(outermost for outermost in OUTER if all(outermost != name[0] for name in beside))
    expressions = {}
    for offer, view in zip(offers, views, strict=True):
        unset = (defaults or {}).get(offer.protocol, {})
        lists = view.container.endswith("*")
        prefix = (f"{outer}/" if beside else "") + ("*/" if lists else "")
        inner = _table(inside, view.inside, unset, prefix)
        path = _path(view.container.removesuffix("*").strip("/").split("/"))
        nested = _each(inner, path) if lists else f"{path}.{inner}" if path else inner
        if beside:
            others = _table(beside, view.beside, unset, "").removeprefix("{")
            nested = f"{{{outer}: {nested}, {others}"
        expressions[offer.protocol] = nested
    return expressions


def names_in_common(offers: Sequence[Offer]) -> list[str]:
    """Return the names of the values at the top of the common shape."""
    views = _views(offers)
    beside = _common([view.beside for view in views])
    names = beside or _common([view.inside for view in views])
    return [name[0] for name in names if len(name) == 1]


def _views(offers: Sequence[Offer]) -> list[_View]:
    """Return the views of the answers with most names in common."""
    if not offers:
        return []
    first, *others = [[_view(offer, each) for each in _containers(offer)] for offer in offers]
    best: tuple[int, list[_View]] = (-1, [])
    for view in first:
        chosen = [view, *(max(views, key=view.__and__) for views in others)]
        alike = len(_common([view.inside for view in chosen]))
        alike += len(_common([view.beside for view in chosen]))
        best = max(best, (alike, chosen), key=lambda each: each[0])
    return best[1]


def _containers(offer: Offer) -> list[str]:
    """Return possible paths of the objects: the items of first lists, or objects near the root."""
    lists = [path[: path.index("*") + 1] for path in offer.answer if "*/" in path]
    tops = [path.partition("/")[0] for path in offer.answer if "/" in path]
    own = [*lists, ""] if offer.lists else ["", *(top for top in tops if top != "*")]
    return list(dict.fromkeys(own))[:MOST_CONTAINERS]


def _view(offer: Offer, container: str) -> _View:
    prefix = f"{container}/" if container else ""
    inside: dict[Name, Segments] = {}
    beside: dict[Name, Segments] = {}
    for path in offer.answer:
        is_inside = path.startswith(prefix)
        segments = _segments(path.removeprefix(prefix) if is_inside else path)
        name = tuple("_".join(word for part in each for word in words(part)) for each in segments)
        if name and name[-1]:
            (inside if is_inside else beside).setdefault(name, segments)
    return _View(container, inside, beside)


def _segments(path: str) -> Segments:
    """Divide a path at lists; a list of plain values is a value."""
    parts = path.split("/")
    while parts and parts[-1] == STAR:
        parts.pop()
    segments: list[tuple[str, ...]] = [()]
    for part in parts:
        if part == STAR:
            segments.append(())
        else:
            segments[-1] = (*segments[-1], part)
    return tuple(segments)


def _common(found: Sequence[Found]) -> list[Name]:
    """Return the names that all answers have, in the order of the first."""
    names = [name for name in found[0] if all(name in each for each in found)] if found else []
    lists = {name[:end] for name in names for end in range(1, len(name))}
    return [name for name in names if name not in lists and _is_of_one_list(name, names, found)]


def _is_of_one_list(name: Name, names: Sequence[Name], found: Sequence[Found]) -> bool:
    """Return whether the first value of a list has the same path of the list in every answer."""
    for end in range(1, len(name)):
        first = next(each for each in names if each[:end] == name[:end] and len(each) > end)
        if any(each[first][:end] != each[name][:end] for each in found):
            return False
    return True


def _table(names: Sequence[Name], found: Found, unset: Mapping[str, str], part: str) -> str:
    """Write the values with these names as a table; `part` is its own."""
    return f"{{{', '.join(_entries([(name, found[name]) for name in names], unset, part))}}}"


def _entries(
    values: Sequence[tuple[Name, Segments]], unset: Mapping[str, str], part: str
) -> Iterator[str]:
    groups: dict[str, list[tuple[Name, Segments]]] = {}
    for each in values:
        groups.setdefault(each[0][0], []).append(each)
    for key, alike in groups.items():
        name, (path, *_) = alike[0]
        if len(name) > 1:
            value = _list(alike, unset, f"{part}{key}/*")
        elif literal := unset.get(f"{part}{key}"):
            value = f"not_null({_path(path)}, {literal})"
        else:
            value = _path(path)
        yield f"{_path([key])}: {value}"


def _list(values: Sequence[tuple[Name, Segments]], unset: Mapping[str, str], part: str) -> str:
    """Write the values in the items of a list."""
    inner = [(name[1:], segments[1:]) for name, segments in values]
    path = _path(values[0][1][0])
    if all(not name[0] for name, _ in inner):
        return _each(_list(inner, unset, f"{part}/*"), path)
    return _each(f"{{{', '.join(_entries(inner, unset, f'{part}/'))}}}", path)


def _each(expression: str, path: str) -> str:
    """Apply an expression to the items of a list, which may be missing, and keep those null."""
    return f"map(&{expression}, not_null({path or '@'}, `[]`))"


def _path(parts: Sequence[str]) -> str:
    """Write a path in JMESPath."""
    return ".".join(part if _PLAIN.fullmatch(part) else json.dumps(part) for part in parts if part)
