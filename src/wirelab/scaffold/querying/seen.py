"""Values in the lists that servers return, by the names of the resources that they belong to."""

import re
from collections.abc import Collection, Iterator

from wirelab.domain import pointer
from wirelab.scaffold.descriptions.offer import Offer
from wirelab.scaffold.names import nouns, singular, words

PATHS_OF_LISTS = ("/*", "/data/*", "/items/*", "/results/*", "/content/*", "/value/*", "/*/*")
"""The usual ones. A list may also have the name of what it contains."""


LONE_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a pair: JSON can express it, as \\ud800 (RFC 8259, 8.2)."""


class SeenValues:
    """The scalar values of the objects in lists: the id of a book is `book.id`.

    A name that says whose id it is, such as `author_id`, is kept without the resource, too.
    """

    def __init__(self, most: int) -> None:
        """Keep up to `most` values of each name."""
        self._most = most
        self._values: dict[str, list[object]] = {}

    def of(self, offer: Offer, parameter: str, types: type | tuple[type, ...]) -> list[object]:
        """Return the values of these types that a parameter of an operation may have."""
        for name in _names(offer, parameter):
            if values := [
                value for value in self._values.get(name, ()) if isinstance(value, types)
            ]:
                return values
        return []

    def add(self, offer: Offer, answer: object) -> None:
        """Add the values of the first list in an answer to an operation."""
        resources = _listed(offer)
        for pattern in (*PATHS_OF_LISTS, *_named_after(resources, answer)):
            objects = [
                item for _, item in pointer.matches(answer, pattern) if isinstance(item, dict)
            ]
            if objects or (isinstance(answer, list) and pattern == "/*"):
                for item in objects:
                    for name, value in item.items():
                        self._add(resources, name, value)
                for value in answer if isinstance(answer, list) else ():
                    self._add(resources, "id", value)
                return

    def _add(self, resources: list[str], name: str, value: object) -> None:
        if not isinstance(value, str | int) or isinstance(value, bool):
            return
        if isinstance(value, str) and LONE_SURROGATE.search(value):
            return  # UTF-8 cannot express it, in a URL or elsewhere
        key = "_".join(words(name))
        keys = [f"{resource}.{key}" for resource in resources]
        for each in (*keys, key) if _identified(name) else keys:
            values = self._values.setdefault(each, [])
            if value not in values and len(values) < self._most:
                values.append(value)


def _named_after(resources: Collection[str], answer: object) -> Iterator[str]:
    """Yield the patterns of members that have the name of a resource: the books of /books."""
    for name in answer if isinstance(answer, dict) else ():
        if singular("_".join(words(name))) in resources:
            yield f"{pointer.join([name])}/*"


def _names(offer: Offer, parameter: str) -> Iterator[str]:
    """Yield the names that values for a parameter may have in answers, the best first."""
    *_, last = named = words(parameter) or [""]
    if owner := _identified(parameter):
        yield f"{owner}.{last}"
    yield "_".join(named)
    if len(named) == 1:
        before, _, after = _path(offer).partition(f"{{{parameter}}}")
        for resource in dict.fromkeys([*_resources(before), *_in_name(offer)]):
            if resource not in _resources(after):
                yield f"{resource}.{last}"


def _identified(name: str) -> str:
    """Return the resource that a name of several words identifies: author_id identifies author."""
    *owner, last = words(name) or [""]
    return "_".join(owner) if last in ("id", "name", "key", "slug", "code", "uuid") else ""


def _listed(offer: Offer) -> list[str]:
    """Return the resources that a list may contain, the best first.

    For /authors/{id}/books, these are books: the parameter identifies an author.
    """
    before, _, after = _path(offer).rpartition("{")
    owners = {_identified(each.name) for each in offer.parameters if each.required}
    if _resources(after):
        owners |= {*_resources(before)}
    listed = [*(_resources(after) or _resources(before)), *_in_name(offer)]
    return [each for each in dict.fromkeys(listed) if each not in owners]


def _path(offer: Offer) -> str:
    return str(offer.binding.get("path", "")).partition("?")[0]


def _resources(path: str) -> list[str]:
    """Return the resources that a part of a path names, the last one first."""
    parts = [each for each in path.split("/") if each and not {*"{}"} & {*each}]
    return [singular("_".join(words(each))) for each in reversed(parts)]


def _in_name(offer: Offer) -> list[str]:
    """Return the resources that the name of an operation may contain, the last one first."""
    return nouns(words(offer.name))[::-1]
