"""Values that look arbitrary, and are the same for the same words."""

from zlib import crc32

ITEMS = 3
"""In a list."""
DEEPEST = 4
"""Things inside things: descriptions contain themselves."""


def number(*words: object) -> int:
    """Return a number below a thousand."""
    return crc32("/".join(map(str, words)).encode()) % 1000


def text(*words: object) -> str:
    """Return a text that begins with the last word."""
    return f"{words[-1]}-{number(*words)}"
