"""Placeholders `{name}` in the commands of contender.toml, filled in when a command runs.

`{{name}}` is `{name}` itself.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

PATTERN = re.compile(r"\{\{([a-z_]+)\}\}|\{([a-z_]+)\}")

START = ("python", "build", "folder", "cores", "host", "port")
"""The placeholders of a command that starts a contender."""
BUILD = ("python", "uv", "build", "folder", "cores")
"""The placeholders of a build command; uv installs Python packages."""


def fill(command: Iterable[str], values: Mapping[str, object]) -> list[str]:
    """Insert the values; every placeholder must have one."""

    def insert(found: re.Match[str]) -> str:
        return f"{{{found[1]}}}" if found[1] else str(values[found[2]])

    return [PATTERN.sub(insert, word) for word in command]


def literal(text: str, known: Collection[str]) -> str:
    """Return a text in which all other names in braces stand for themselves."""
    return PATTERN.sub(lambda it: it[0] if it[2] in known else f"{{{it[0]}}}", text)


def unknown_placeholders(command: Sequence[str], known: Collection[str]) -> list[str]:
    """Return the names in braces that are not placeholders."""
    found = (match[2] for word in command for match in PATTERN.finditer(word))
    return [name for name in found if name and name not in known]
