"""Placeholders `{name}` in the commands of contender.toml, filled in when a command runs."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

PATTERN = re.compile(r"\{([a-z_]+)\}")

START = ("python", "build", "folder", "cores", "host", "port")
"""The placeholders of a command that starts a contender."""
BUILD = ("python", "uv", "build", "folder", "cores")
"""The placeholders of a build command; uv installs Python packages."""


def fill(command: Iterable[str], values: Mapping[str, object]) -> list[str]:
    """Insert the values; every placeholder must have one."""
    return [PATTERN.sub(lambda found: str(values[found[1]]), word) for word in command]


def unknown_placeholders(command: Sequence[str], known: Collection[str]) -> list[str]:
    """Return the names in braces that are not placeholders."""
    return [name for word in command for name in PATTERN.findall(word) if name not in known]
