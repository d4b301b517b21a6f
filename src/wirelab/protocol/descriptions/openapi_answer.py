"""The form of the responses that an OpenAPI document describes."""

from functools import partial
from typing import Any

from wirelab.protocol.answer_shape import Entries, Fields, Items, Shape, Single
from wirelab.protocol.descriptions.openapi import (
    OF_TYPE,
    json_media,
    resolve,
    table,
    types_of,
)

OPEN = {"$ref", "$dynamicRef", "discriminator", "if", "not", "patternProperties", "prefixItems"}
"""Keys of a schema that leave open which parts a value has."""


def shape_of(document: dict[str, Any], operation: dict[str, Any], status: int, what: str) -> Shape:
    """Return the form of an operation's response; `what` is one of its keys in words.

    An object with properties has only these, unless it declares additional ones.
    """
    responses = {
        str(key).upper(): response for key, response in table(operation.get("responses")).items()
    }
    known = [str(status), f"{status // 100}XX"]
    if len(responses) == 1:  # beside others, it is often that of errors
        known.append("DEFAULT")
    response = resolve(
        document, next((responses[status] for status in known if status in responses), None)
    )
    of_json = json_media(response.get("content")) or response  # as version 2.0 has it
    return shape_of_schema(document, of_json.get("schema"), what)


def shape_of_schema(document: dict[str, Any], written: object, what: str) -> Shape:
    """Return the form of the values of a schema, whose references lead into `document`."""
    parts = _parts(document, resolve(document, written), frozenset())
    types = sorted({kind for part in parts for kind in _types(part)})
    match types:
        case ["array"]:
            items = next((part["items"] for part in parts if "items" in part), None)
            return Items(partial(shape_of_schema, document, items, what))
        case ["object"]:
            return _object(document, parts, what)
        case [kind] if kind in OF_TYPE:
            return Single()
    return None


def _object(document: dict[str, Any], parts: list[dict[str, Any]], what: str) -> Shape:
    properties = {
        str(name): partial(shape_of_schema, document, schema, what)
        for part in parts
        for name, schema in table(part.get("properties")).items()
    }
    more = [part["additionalProperties"] for part in parts if part.get("additionalProperties")]
    if properties and not more:
        return Fields(what, properties)
    if more and not properties:
        return Entries(partial(shape_of_schema, document, more[0], what))
    return None


def _parts(
    document: dict[str, Any], schema: dict[str, Any], seen: frozenset[int]
) -> list[dict[str, Any]]:
    """Return a schema with those that it consists of; [] if it leaves them open."""
    if OPEN & schema.keys():
        return []
    schemas = [schema]
    for word in ("allOf", "oneOf", "anyOf"):
        listed = schema.get(word)
        several = [resolve(document, part) for part in listed] if isinstance(listed, list) else []
        several = [part for part in several if part.get("type") != "null" and id(part) not in seen]
        inside = [_parts(document, part, seen | {id(schema)}) for part in several]
        if not all(inside) or (word != "allOf" and len(several) > 1):
            return []
        schemas += [part for parts in inside for part in parts]
    return schemas


def _types(schema: dict[str, Any]) -> set[str]:
    """Return the types of a schema besides null, by its other keys if it does not state them."""
    if types := types_of(schema):
        return types
    return {kind for kind, key in (("object", "properties"), ("array", "items")) if key in schema}
