"""`{name}` in the commands of a contender.toml, filled in when the command is run."""

import re
from collections.abc import Collection, Mapping, Sequence

PATTERN = re.compile(r"\{([a-z_]+)\}")

START = ("python", "build", "folder", "cores", "host", "port")
"""What the command that starts a contender may name."""
BUILD = ("python", "uv", "build", "folder", "cores")
"""What a build command may name: uv installs Python packages."""


def fill(command: Sequence[str], values: Mapping[str, object]) -> list[str]:
    """Put the values in; every placeholder must have one."""
    return [PATTERN.sub(lambda found: str(values[found[1]]), word) for word in command]


def unknown_placeholders(command: Sequence[str], known: Collection[str]) -> list[str]:
    """Return the names in braces that mean nothing."""
    return [name for word in command for name in PATTERN.findall(word) if name not in known]
