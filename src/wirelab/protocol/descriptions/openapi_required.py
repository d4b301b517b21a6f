"""What an OpenAPI document requires of a request, and what a template of it lacks."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from wirelab.inputs.close_match import another_key, close_match, closest
from wirelab.protocol.base import Mistake
from wirelab.protocol.descriptions.openapi import json_media, resolve, table
from wirelab.protocol.key_case import to_camel

IGNORED = {"accept", "content-type", "authorization"}
"""Headers that OpenAPI says are described elsewhere: a parameter of this name means nothing."""


def missing_queries(
    parameters: Collection[dict[str, Any]], written: Collection[str]
) -> Iterator[str]:
    """Yield the required query parameters that are not among the names in a query.

    One that a misspelt name in the query probably means is not missing.
    """
    declared = _by_name(parameters, "query")
    meant = {name if name in declared else closest(name, declared) for name in written}
    for name, parameter in declared.items():
        if _is_required(parameter) and name not in meant:
            yield name


def missing_headers(
    parameters: Collection[dict[str, Any]], written: Collection[str]
) -> Iterator[str]:
    """Yield the required headers that are not among the names of those that a request has."""
    given = {name.lower() for name in written}
    for name, parameter in _by_name(parameters, "header").items():
        if _is_required(parameter) and name.lower() not in given | IGNORED:
            yield name


def mistakes_in_body(
    document: dict[str, Any],
    operation: dict[str, Any],
    parameters: Collection[dict[str, Any]],
    body: object,
    *,
    shown: str,
) -> Iterator[Mistake]:
    """Yield where a body lacks what the document requires; `shown` is the method and the path."""
    described = resolve(document, operation.get("requestBody"))
    of_version_2 = next(iter(_by_name(parameters, "body").values()), {})
    if body is None:
        if _is_required(described) or _is_required(of_version_2):
            yield Mistake("body", None, f"a body, which {shown} requires")
        return
    media = json_media(described.get("content")) or of_version_2
    yield from mistakes_in_value(document, media.get("schema"), body, "body", shown)


def mistakes_in_value(
    document: dict[str, Any], written: object, value: object, key: str, shown: str
) -> Iterator[Mistake]:
    """Yield the properties that a table in a body lacks, or misspells, at every depth."""
    properties, required, items = _demands(document, resolve(document, written), frozenset())
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from mistakes_in_value(document, items, item, f"{key}.{number}", shown)
    if not isinstance(value, Mapping):
        return
    given = {name: each for each in value for name in (each, to_camel(each))}
    missing = {name for name in required if name not in given}
    for name, inner in value.items():
        declared = next(
            (spelling for spelling in (name, to_camel(name)) if spelling in properties), None
        )
        if declared is not None:
            yield from mistakes_in_value(
                document, properties[declared], inner, f"{key}.{name}", shown
            )
        elif (meant := closest(name, properties)) in missing:
            missing.remove(meant)
            hint = close_match(name, properties)
            yield Mistake(f"{key}.{name}", inner, another_key(properties), hint)
    for name in sorted(missing):
        yield Mistake(f"{key}.{name}", None, f"a value, which {shown} requires")


def _demands(
    document: dict[str, Any], schema: dict[str, Any], seen: frozenset[int]
) -> tuple[dict[str, object], set[str], object]:
    """Return a schema's properties, those that a request needs, and the schema of its items.

    What only one of several alternatives requires is not required.
    """
    if id(schema) in seen:  # it contains itself
        return {}, set(), None
    properties = dict(table(schema.get("properties")))
    names = schema.get("required")
    listed = names if isinstance(names, list) else ()
    required = {name for name in listed if isinstance(name, str)}
    items = schema.get("items")
    parts = schema.get("allOf")
    for part in parts if isinstance(parts, list) else ():
        more, needed, of_part = _demands(document, resolve(document, part), seen | {id(schema)})
        properties |= more
        required |= needed
        items = of_part if items is None else items
    only_answered = {
        name for name in required if resolve(document, properties.get(name)).get("readOnly") is True
    }
    return properties, required - only_answered, items


def _by_name(parameters: Collection[dict[str, Any]], location: str) -> dict[str, dict[str, Any]]:
    """Return the parameters of one location; an operation's replace those of its path."""
    return {
        str(parameter.get("name")): parameter
        for parameter in parameters
        if parameter.get("in") == location
    }


def _is_required(node: dict[str, Any]) -> bool:
    return node.get("required") is True
