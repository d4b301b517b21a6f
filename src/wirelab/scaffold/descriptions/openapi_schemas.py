"""The schemas of an OpenAPI document: references, kinds and examples."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from wirelab.protocol.descriptions.openapi import local_path, value_at

DEEPEST = 6
"""Maximum depth of an answer's values, since schemas may be recursive."""
MOST_VALUES = 1000
"""Maximum number of values of an answer: schemas that refer to each other have no end."""


class RemoteError(Exception):
    """A reference to another document; the text says so."""


class Schemas:
    """The schemas inside a document."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document

    def resolved(self, node: object) -> dict[str, Any]:
        """Resolve references inside the document, circular ones only once.

        Raises `RemoteError` for a reference to another document.
        """
        seen: set[str] = set()
        while isinstance(node, dict) and isinstance(node.get("$ref"), str):
            reference = node["$ref"]
            if not reference.startswith("#"):
                raise RemoteError(
                    f"needs another document, {reference}, which is not fetched automatically"
                )
            if reference in seen:
                return {}
            seen.add(reference)
            path = local_path(reference)
            node = {} if path is None else value_at(self.document, path)
        return as_dict(node)

    def plain(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return a schema whose only alternative besides null, or only part, is in its place."""
        for _ in range(8):
            word, only = next(
                (
                    (it, one)
                    for it in ("allOf", "oneOf", "anyOf")
                    if (one := self._only(schema, it))
                ),
                ("", None),
            )
            if only is None:
                break
            schema = {**only, **{key: it for key, it in schema.items() if key != word}}
        return schema

    def _only(self, schema: dict[str, Any], word: str) -> dict[str, Any] | None:
        parts = map(self.resolved, as_list(schema.get(word)))
        several = [each for each in parts if each.get("type") != "null"]
        return several[0] if len(several) == 1 else None

    def properties(self, schema: dict[str, Any], depth: int = 8) -> dict[str, dict[str, Any]]:
        """Return the properties of an object by name, also those of its parts."""
        merged = {
            str(name): self.resolved(as_dict(it))
            for name, it in as_dict(schema.get("properties")).items()
        }
        for part in as_list(schema.get("allOf")) if depth else ():
            merged |= self.properties(self.resolved(part), depth - 1)
        return merged

    def required(self, schema: dict[str, Any], depth: int = 8) -> set[str]:
        """Return the names of the properties that an object has, also those of its parts."""
        names = {str(each) for each in as_list(schema.get("required"))}
        for part in as_list(schema.get("allOf")) if depth else ():
            names |= self.required(self.resolved(part), depth - 1)
        return names

    def values(self, schema: dict[str, Any]) -> dict[str, str]:
        """Return the kinds of the values that a schema has, by path; items of lists as `*`."""
        return dict(islice(self._leaves(schema, "", DEEPEST), MOST_VALUES))

    def _leaves(self, schema: dict[str, Any], path: str, depth: int) -> Iterator[tuple[str, str]]:
        """Yield the values by path; stops where a schema contains itself."""
        if depth == 0:
            return
        schema = self.plain(schema)
        for part in (schema, *map(self.resolved, as_list(schema.get("allOf")))):
            for name, member in as_dict(part.get("properties")).items():
                inner = self.resolved(as_dict(member))
                yield from self._leaves(inner, f"{path}/{name}", depth - 1)
            if part.get("items"):
                items = self.resolved(as_dict(part["items"]))
                yield from self._leaves(items, f"{path}/*", depth - 1)
        kind = kind_of(schema)
        if kind not in ("object", "array") and path:
            yield path.removeprefix("/"), kind

    def examples(self, described: dict[str, Any], schema: Mapping[str, Any]) -> tuple[object, ...]:
        """Return the values that a parameter or a body has as examples, its own first."""
        shown = [described["example"]] if "example" in described else []
        for each in as_dict(described.get("examples")).values():
            example = self.resolved(each)
            shown.append(example.get("value", example.get("dataValue")))
        shown += [schema[key] for key in ("example", "default", "const") if key in schema]
        shown += [*as_list(schema.get("examples")), *as_list(schema.get("enum"))]
        return tuple(each for each in shown if each is not None)


def kind_of(schema: Mapping[str, Any]) -> str:
    """Return the kind of a value: enum, or a type; texts may have any other form."""
    if schema.get("enum"):
        return "enum"
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((each for each in kind if each != "null"), "string")
    if kind is None and (schema.get("properties") or schema.get("allOf")):
        return "object"
    if kind is None and "items" in schema:
        return "array"
    return str(kind or "string")


def as_dict(value: object) -> dict[str, Any]:
    """Return a part of a document if it is an object, otherwise an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """Return a part of a document if it is a list, otherwise an empty one."""
    return value if isinstance(value, list) else []
