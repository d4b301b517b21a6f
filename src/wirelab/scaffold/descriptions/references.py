"""Find the references inside an OpenAPI document that lead nowhere.

References to other documents and to anchors are not followed.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from wirelab.domain import pointer
from wirelab.inputs.close_match import closest
from wirelab.inputs.problems import Problem
from wirelab.protocol.descriptions.openapi import NOWHERE, local_path, value_at
from wirelab.terminal.words import first_few

NAMED = {
    *("$defs", "callbacks", "content", "definitions", "dependentSchemas", "encoding", "examples"),
    *("headers", "links", "mapping", "parameters", "pathItems", "paths", "patternProperties"),
    *("properties", "requestBodies", "responses", "schemas", "securitySchemes", "variables"),
}
"""Keys of tables whose own keys are names."""
DATA = {"const", "default", "enum", "example", "value"}
"""Keys of what is data, in which `$ref` means nothing."""

Path = tuple[str, ...]


class Broken(NamedTuple):
    """A reference that leads nowhere, and its place in the document."""

    place: Path
    reference: str

    def problem(self, where: str, document: dict[str, Any]) -> Problem:
        """Return the problem of this reference in the document that is called `where`."""
        beside = pointer.nearby(document, pointer.join(local_path(self.reference) or ()))
        known = {each.rpartition("/")[2]: f"#{each}" for each in beside}
        meant = known.get(closest(self.reference.rpartition("/")[2], known))
        expected = "a reference to a part of the document"
        if known and not meant:
            expected += f", such as {first_few(list(known.values()))}"
        hint = f"did you mean '{meant}'?" if meant else ""
        return Problem(where, pointer.join(self.place), self.reference, expected, hint)


class References:
    """The references inside a document that lead nowhere, and the parts that need them."""

    def __init__(self, document: dict[str, Any]) -> None:
        places: dict[Path, list[Path]] = {}
        broken = []
        for each in _references(document):
            target = local_path(each.reference)
            if target is None or value_at(document, target) is NOWHERE:
                broken.append(each)
            else:
                places.setdefault(target, []).append(each.place)
        self.needing = {each: _needing(each.place, places) for each in broken}
        """By broken reference: the parts that contain it, or refer to a part that does."""

    def broken_in(self, parts: Collection[Path]) -> list[Broken]:
        """Return the broken references that some parts of the document need."""
        return [each for each, needing in self.needing.items() if not needing.isdisjoint(parts)]


def _needing(place: Path, places: Mapping[Path, Iterable[Path]]) -> set[Path]:
    """Return the parts that lead to a place; `places` are those of references, by target."""
    files: set[Path] = set()
    waiting = [place]
    while waiting:
        inner = waiting.pop()
        for length in range(len(inner) + 1):
            part = inner[:length]
            if part not in files:
                files.add(part)
                waiting += places.get(part, ())
    return files


def _references(document: dict[str, Any]) -> Iterator[Broken]:
    """Yield the references of a document to its own parts, whether these exist or not."""
    waiting: list[tuple[object, Path, bool]] = [(document, (), False)]
    seen: set[int] = set()
    while waiting:
        node, place, named = waiting.pop()
        if not isinstance(node, dict | list) or id(node) in seen:
            continue
        seen.add(id(node))  # aliases of YAML may even refer to what contains them
        if isinstance(node, list):
            waiting += [(item, (*place, str(number)), False) for number, item in enumerate(node)]
            continue
        if isinstance(node.get("$id"), str):  # what its references start from
            continue
        reference = node.get("$ref")
        if isinstance(reference, str) and local_path(reference) is not None and not named:
            yield Broken((*place, "$ref"), reference)
        for key, inner in node.items():
            name = str(key)
            if named or not (name in DATA or name.startswith("x-")):
                waiting.append((inner, (*place, name), not named and name in NAMED))
