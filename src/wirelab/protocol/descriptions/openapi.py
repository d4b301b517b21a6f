"""What an OpenAPI document says about one request, as far as wirelab checks it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote

from wirelab.domain import pointer
from wirelab.domain.kinds import BOOLEAN, LIST, NUMBER, TABLE, TEXT, WHOLE, Kinds
from wirelab.protocol.template import parameter_of

NOT_ONE = ("ndjson", "json-seq", "jsonl", "json-lines")
"""What the media types of several JSON values contain."""
ANY_MEDIA = ("*/*", "application/*")
FORM = "application/x-www-form-urlencoded"
OF_TYPE: Mapping[str, Kinds] = {
    "string": TEXT,
    "integer": WHOLE,
    "number": NUMBER,
    "boolean": BOOLEAN,
    "object": TABLE,
    "array": LIST,
}
IN_URLS = {"integer", "number", "boolean"}
"""The types whose values are written in one way in a URL; any value may be a text there."""


NOWHERE = object()
"""What is at a path that a document does not have."""


class DescribedOperation(NamedTuple):
    """A path of a document, with its operations and the parameters of all of them."""

    path: str
    item: dict[str, Any]


def find_path(document: dict[str, Any], path: str) -> DescribedOperation | None:
    """Return the path of a document that a template without a query means, if there is one."""
    paths = document["paths"]
    known = path if path in paths else {_shape(each): each for each in paths}.get(_shape(path))
    return None if known is None else DescribedOperation(known, resolve(document, paths[known]))


def parameters_of(
    document: dict[str, Any], item: dict[str, Any], operation: dict[str, Any]
) -> list[dict[str, Any]]:
    """Return the parameters of an operation of a path."""
    listed = [*(item.get("parameters") or ()), *(operation.get("parameters") or ())]
    return [resolve(document, each) for each in listed]


def resolve(document: dict[str, Any], node: object) -> dict[str, Any]:
    """Follow references inside the document; an unresolvable one is an empty object."""
    seen: set[str] = set()
    while (path := local_path(reference := str(table(node).get("$ref", "")))) is not None:
        if reference in seen:
            return {}
        seen.add(reference)
        node = value_at(document, path)
    return table(node)


def local_path(reference: str) -> tuple[str, ...] | None:
    """Return the path that a reference to a part of its own document has; None for any other."""
    if reference != "#" and not reference.startswith("#/"):
        return None
    return tuple(pointer.parts(unquote(reference[1:])))


def value_at(document: dict[str, Any], path: Iterable[str]) -> object:
    """Return a part of a document, or `NOWHERE`. In YAML, keys such as statuses may be numbers."""
    node: object = document
    for token in path:
        if isinstance(node, list) and token.isdecimal() and int(token) < len(node):
            node = node[int(token)]
        elif isinstance(node, dict) and token in node:
            node = node[token]
        elif isinstance(node, dict) and token.isdecimal() and int(token) in node:
            node = node[int(token)]
        else:
            return NOWHERE
    return node


def operation_of(document: dict[str, Any], item: dict[str, Any], method: str) -> dict[str, Any]:
    """Return the operation of a path with a method; {} if the path has none."""
    return resolve(document, item.get(method.lower()))


def media_types(content: object) -> dict[str, dict[str, Any]]:
    """Return media by their types in lower case, without parameters."""
    return {
        str(name).partition(";")[0].strip().lower(): table(it)
        for name, it in table(content).items()
    }


def json_type(known: Iterable[str]) -> str | None:
    """Return the media type that is JSON, application/json before others; None without one."""
    ranked = ["application/json", *(each for each in known if is_json(each)), *ANY_MEDIA]
    return next((each for each in ranked if each in {*known}), None)


def is_json(media_type: str) -> bool:
    """Return whether a media type is that of a JSON value."""
    return "json" in media_type and not any(each in media_type for each in NOT_ONE)


def json_media(content: object) -> dict[str, Any]:
    """Return the media of a request or a response that is JSON; {} without one."""
    known = media_types(content)
    return known.get(json_type(known) or "", {})


def kinds_in_request(
    document: dict[str, Any], path: str, method: str, body: object
) -> Iterator[tuple[str, Kinds]]:
    """Yield the parameters that are whole values of a request, and the kinds of these values."""
    where, _, query = path.partition("?")
    described = find_path(document, where)
    if described is None:
        return
    operation = operation_of(document, described.item, method)
    listed = parameters_of(document, described.item, operation)
    known = {(each.get("in"), each.get("name")): each for each in listed}
    for written, shown in zip(where.split("/"), described.path.split("/"), strict=False):
        yield from _in_url(document, known.get(("path", shown[1:-1])), written)
    for part in query.split("&"):
        word, _, written = part.partition("=")
        yield from _in_url(document, known.get(("query", unquote(word))), written)
    media = json_media(resolve(document, operation.get("requestBody")).get("content"))
    of_version_2 = next((each for each in listed if each.get("in") == "body"), {})
    schema = (media or of_version_2).get("schema")
    yield from kinds_in_value(document, schema, body)


def _in_url(
    document: dict[str, Any], parameter: dict[str, Any] | None, written: str
) -> Iterator[tuple[str, Kinds]]:
    name = parameter_of(written)
    if name and parameter is not None:
        schema = parameter.get("schema") or parameter  # version 2.0 has no schema here
        types = types_of(resolve(document, schema))
        if types and types <= IN_URLS:
            yield name, frozenset().union(*(OF_TYPE[each] for each in types))


def kinds_in_value(
    document: dict[str, Any], written: object, body: object
) -> Iterator[tuple[str, Kinds]]:
    """Yield the parameters that are whole values of a template with a schema, and their kinds."""
    schema = resolve(document, written)
    types = types_of(schema)
    if name := parameter_of(body):
        if types and types <= OF_TYPE.keys():
            yield name, frozenset().union(*(OF_TYPE[each] for each in types))
    elif isinstance(body, Mapping):
        properties = table(schema.get("properties"))
        for key, value in body.items():
            yield from kinds_in_value(document, properties.get(key), value)


def types_of(schema: dict[str, Any]) -> set[str]:
    """Return the types of a schema besides null; none if it has them in another form."""
    written = schema.get("type")
    types = written if isinstance(written, list) else [written]
    return {each for each in types if isinstance(each, str)} - {"null"}


def table(node: object) -> dict[str, Any]:
    """Return a part of a document if it is an object, otherwise an empty one."""
    return node if isinstance(node, dict) else {}


def _shape(path: str) -> str:
    """Return a path without the names of its parameters: only their positions matter."""
    return re.sub(r"\{[^}]*\}", "{}", path)
