"""A requirement of a contender: a program on PATH, optionally with a minimum version."""

import re
import shutil
import subprocess
from functools import cache

FORM = r"^[A-Za-z0-9._+-]+(>=\d+(\.\d+)*)?$"
"""A program's name, as in "mvn", optionally with a minimum version, as in "java>=21"."""

VERSION = re.compile(r"\d+(?:\.\d+)*")
VERSION_TIMEOUT_S = 30.0


def is_met(requirement: str) -> bool:
    """Return whether the program is on PATH, with at least the required version."""
    name, _, least = requirement.partition(">=")
    if shutil.which(name) is None or not least:
        return shutil.which(name) is not None
    found = VERSION.search(_version_text(name))
    return found is not None and _numbers(found[0]) >= _numbers(least)


def version(requirement: str) -> str:
    """Return the program's output about its version; "" if the version does not matter."""
    name, _, least = requirement.partition(">=")
    return _version_text(name) if least else ""


@cache
def _version_text(name: str) -> str:
    try:
        done = subprocess.run(
            [name, "--version"],
            capture_output=True,
            text=True,
            timeout=VERSION_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split("."))
