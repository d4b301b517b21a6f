"""Write readable TOML: plain values first, then tables, in the order given."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_text(document: Mapping[str, Any], *, inline_from: int = 2) -> str:
    """Return a document as TOML. Tables deeper than `inline_from` are written inline.

    None is left out. A key that begins with "#" is a comment, whose text is the value.
    """
    return "\n".join(_table(document, (), inline_from)).strip() + "\n"


def _table(table: Mapping[str, Any], path: tuple[str, ...], inline_from: int) -> Iterator[str]:
    nested = []
    for key, value in table.items():
        if value is None:
            continue
        if key.startswith("#"):
            yield from (f"# {line}".rstrip() for line in str(value).splitlines())
        elif isinstance(value, Mapping) and len(path) < inline_from:
            nested.append((key, value))
        else:
            yield f"{_key(key)} = {_value(value)}"
    for key, value in nested:
        inner = (*path, key)
        if any(not isinstance(v, Mapping) or len(inner) >= inline_from for v in value.values()):
            yield ""
            yield f"[{'.'.join(map(_key, inner))}]"
        yield from _table(value, inner, inline_from)


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else json.dumps(key)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items() if v is not None)
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, int | float):
        return repr(value)
    # Of what JSON escapes, TOML lacks only the delete character.
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007F")
