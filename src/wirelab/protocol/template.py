"""Templates of requests: `{name}` is replaced by the parameter of that name.

A string that is only `{name}` becomes the value itself, including whole rows and numbers; inside a
longer string the value is written as text. `{{` and `}}` stand for the braces themselves.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping

_HOLE = re.compile(r"\{\{|\}\}|\{([A-Za-z_][A-Za-z0-9_]*)\}")
_BRACES = {"{{": "{", "}}": "}"}


def names(template: object) -> set[str]:
    """Return the names of all parameters that a template needs."""
    if isinstance(template, str):
        return {match[1] for match in _HOLE.finditer(template) if match[1]}
    if isinstance(template, Mapping):
        return {name for value in template.values() for name in names(value)}
    if isinstance(template, list | tuple):
        return {name for value in template for name in names(value)}
    return set()


def texts(template: object, key: str) -> Iterator[tuple[str, str]]:
    """Yield the texts of a template, each with its dotted key; `key` is that of the template."""
    if isinstance(template, str):
        yield key, template
    elif isinstance(template, Mapping):
        for name, value in template.items():
            yield from texts(value, f"{key}.{name}")
    elif isinstance(template, list | tuple):
        for number, value in enumerate(template):
            yield from texts(value, f"{key}.{number}")


def parameter_of(template: object) -> str:
    """Return the parameter whose value a template is; "" if it is something else."""
    whole = _HOLE.fullmatch(template) if isinstance(template, str) else None
    return whole[1] or "" if whole else ""


def fill(template: object, parameters: Mapping[str, object]) -> object:
    """Return the filled template; raises `KeyError` with the name of a missing parameter."""
    if isinstance(template, str):
        whole = _HOLE.fullmatch(template)
        if whole and whole[1]:
            return parameters[whole[1]]
        return interpolate(template, lambda name: as_text(parameters[name]))
    if isinstance(template, Mapping):
        return {key: fill(value, parameters) for key, value in template.items()}
    if isinstance(template, list | tuple):
        return [fill(value, parameters) for value in template]
    return template


def literal(text: str) -> str:
    """Return the template of a text without holes: its braces stand for themselves."""
    return text.replace("{", "{{").replace("}", "}}")


def as_text(value: object) -> str:
    """Write a value as in a URL or within a text."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def interpolate(template: str, write: Callable[[str], str]) -> str:
    """Return a text with `write` of each parameter's name in its place."""

    def replace(match: re.Match[str]) -> str:
        return write(match[1]) if match[1] else _BRACES[match[0]]

    return _HOLE.sub(replace, template)
