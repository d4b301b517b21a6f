"""A requirement of a contender: a program on PATH, optionally with a minimum version."""

import re
import shutil
import subprocess
from functools import cache

FORM = r"^[A-Za-z0-9._+-]+(>=\d+(\.\d+)*)?$"
"""A program's name, as in "mvn", optionally with a minimum version, as in "java>=21"."""

VERSION = re.compile(r"\d+(?:\.\d+)*")
VERSION_TIMEOUT_S = 30.0


def why_unmet(requirement: str) -> str:
    """Return why a requirement is not met: no such program, or its version; "" if it is met."""
    name, _, least = requirement.partition(">=")
    path = shutil.which(name)
    if path is None:
        return f"{name} is not on PATH"
    if not least:
        return ""
    version = VERSION.search(_version_text(name))
    if version is None:
        return f"`{name} --version` ({path}) prints no version: {least} or newer is needed"
    if _numbers(version[0]) < _numbers(least):
        return f"{name} {version[0]} ({path}) is too old: {least} or newer is needed"
    return ""


def remedy(requirement: str) -> str:
    """Return what to install, as in "java 21 or newer"."""
    name, _, least = requirement.partition(">=")
    return f"{name} {least} or newer" if least else name


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
