"""Write lists and objects in URLs, headers and forms, in the styles of OpenAPI and RFC 6570.

A style that ends with `*` is exploded: each item, or each member, has a part of its own.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal
from urllib.parse import quote

from wirelab.protocol.template import as_text, interpolate, parameter_of

PathStyle = Literal["simple", "simple*", "label", "label*", "matrix", "matrix*"]
QueryStyle = Literal["form", "form*", "spaceDelimited", "pipeDelimited", "deepObject*"]
Style = Literal[PathStyle, QueryStyle, "json"]
"""How a value is written; `json` is what OpenAPI calls a parameter with `content`."""

IN_PATH, IN_QUERY = "simple", "form*"
"""The styles without any other: `/1,2` in a path, `?v=1&v=2` in a query."""
SEPARATORS = {"spaceDelimited": "%20", "pipeDelimited": "%7C"}


def fill_url(template: str, parameters: Mapping[str, object], styles: Mapping[str, str]) -> str:
    """Return a filled path and query: values are quoted for URLs, and written in their styles.

    Raises `KeyError` with the name of a missing parameter.
    """
    path, _, query = template.partition("?")
    filled = interpolate(
        path, lambda name: _in_path(name, parameters[name], styles.get(name, IN_PATH))
    )
    parts = [part for each in query.split("&") for part in _of_query(each, parameters, styles)]
    return f"{filled}?{'&'.join(parts)}" if parts else filled


def fill_form(
    fields: Mapping[str, object], filled: Mapping[str, object], styles: Mapping[str, str]
) -> bytes:
    """Return a form, URL-encoded: `fields` are its templates, `filled` their values."""
    parts = [
        part
        for name, value in filled.items()
        for part in in_query(quote(name), value, styles.get(parameter_of(fields[name]), IN_QUERY))
    ]
    return "&".join(parts).encode()


def _of_query(
    part: str, parameters: Mapping[str, object], styles: Mapping[str, str]
) -> Iterator[str]:
    """Yield the parts of a query that one of its template becomes."""
    name, _, written = part.partition("=")
    if parameter := parameter_of(written):
        yield from in_query(name, parameters[parameter], styles.get(parameter, IN_QUERY))
    elif part:
        yield interpolate(part, lambda name: _plain(parameters[name]))


def in_query(name: str, value: object, style: str) -> list[str]:
    """Return the parts of a query or of a form that a value becomes; [] for an empty list."""
    if style == "json" or not isinstance(value, list | dict):  # a scalar is the same in all
        return [f"{name}={_plain(value)}"]
    if style == "deepObject*":
        return [f"{place}={_plain(item)}" for place, item in _deep(name, value)]
    exploded = style == IN_QUERY
    if exploded and isinstance(value, dict):
        return [f"{quote(key)}={_plain(item)}" for key, item in value.items()]
    if exploded:
        return [f"{name}={_plain(item)}" for item in value]
    items = _flat(value)
    return [f"{name}={SEPARATORS.get(style, ',').join(items)}"] if items else []


def fill_header(
    name: str, template: str, parameters: Mapping[str, object], styles: Mapping[str, str]
) -> str:
    """Return the value of a header: the items of a list, or the members of an object.

    Those of `cookie` are pairs. Raises `KeyError` with the name of a missing parameter.
    """
    if name == "cookie":
        pairs = (_in_cookie(each, parameters, styles) for each in template.split("; "))
        return "; ".join(pairs)
    if not (parameter := parameter_of(template)):
        return interpolate(template, lambda name: as_text(parameters[name]))
    return _in_header(parameters[parameter], styles.get(parameter, IN_PATH))


def _in_header(value: object, style: str) -> str:
    if style == "json" or not isinstance(value, list | dict):
        return as_text(value)
    if isinstance(value, list):
        return ",".join(map(as_text, value))
    if style.endswith("*"):
        return ",".join(f"{key}={as_text(item)}" for key, item in value.items())
    return ",".join(as_text(each) for item in value.items() for each in item)


def _in_cookie(pair: str, parameters: Mapping[str, object], styles: Mapping[str, str]) -> str:
    """Write a pair of a cookie's template; an exploded list, or object, becomes several."""
    name, _, written = pair.partition("=")
    parameter = parameter_of(written)
    value = parameters[parameter] if parameter else None
    if not isinstance(value, list | dict):
        return interpolate(pair, lambda name: as_text(parameters[name]))
    style = styles.get(parameter, IN_QUERY)
    if not style.endswith("*"):
        return f"{name}={_in_header(value, style)}"
    items = value.items() if isinstance(value, dict) else ((name, item) for item in value)
    return "; ".join(f"{key}={as_text(item)}" for key, item in items)


def _in_path(name: str, value: object, style: str) -> str:
    """Write the value of the parameter `name` in a path."""
    exploded = style.endswith("*")
    if style.startswith("matrix"):
        return "".join(_matrix(name, value, exploded=exploded))
    if style == "json" or not isinstance(value, list | dict):
        return f".{_plain(value)}" if style.startswith("label") else _plain(value)
    items = _pairs(value) if exploded and isinstance(value, dict) else _flat(value)
    if style.startswith("label"):
        return "." + ("." if exploded else ",").join(items)
    return ",".join(items)


def _matrix(name: str, value: object, *, exploded: bool) -> Iterator[str]:
    if exploded and isinstance(value, dict):
        yield from (f";{pair}" for pair in _pairs(value))
    elif exploded and isinstance(value, list):
        yield from (f";{name}={_plain(item)}" for item in value)
    else:
        written = ",".join(_flat(value))
        yield f";{name}={written}" if written else f";{name}"


def _flat(value: object) -> list[str]:
    if isinstance(value, dict):
        return [each for key, item in value.items() for each in (quote(key), _plain(item))]
    return [_plain(item) for item in (value if isinstance(value, list) else [value])]


def _pairs(value: Any) -> list[str]:
    return [f"{quote(key)}={_plain(item)}" for key, item in value.items()]


def _deep(place: str, value: object) -> Iterator[tuple[str, object]]:
    """Yield the scalar values inside of an object or a list, each with its name in brackets."""
    if isinstance(value, list | dict):
        inside = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in inside:
            yield from _deep(f"{place}%5B{quote(str(key))}%5D", item)
    else:
        yield place, value


def _plain(value: object) -> str:
    return quote(as_text(value), safe="")
