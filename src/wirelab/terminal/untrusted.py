"""Make text from other sources safe to show: a server's answer or log, a bundle, a study.

Text is sanitised here once, where it is read, so that it is safe to show everywhere.
"""

import errno
import json
import os
import re
import stat
from pathlib import Path
from typing import TypeVar, cast

Parsed = TypeVar("Parsed")

LONGEST = 20_000
"""Maximum number of characters of a text; longer ones are cut, with a note."""

NESTED = "it is nested too deeply"
"""Why a document is refused that would exceed Python's stack."""

MOST_BYTES = 256 * 2**20
"""Maximum size of a file that is read as a whole."""

_UNSAFE = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but tab and newline; terminals obey them
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # they reorder what is read
    "\u200b-\u200d\u2060\ufeff"  # they are invisible
    "\u2028\u2029"  # they end a line of JavaScript
    "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"  # no characters: XML and UTF-8 refuse them
    "]"
)
_ESCAPE = re.compile(rb"\\[ubfr]")


def read_whole(path: Path, most: int = MOST_BYTES) -> bytes:
    """Return the content of a regular file with up to `most` bytes.

    Raises `OSError` if it cannot be read, is larger, or is a pipe or device, which may never end.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # without waiting for a pipe's writer
    try:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", os.fspath(path))
        if status.st_size > most:
            raise OSError(errno.EFBIG, f"it has more than {most:,} bytes", os.fspath(path))
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(status.st_size)
    finally:
        os.close(descriptor)


def visible(text: str, longest: int | None = LONGEST) -> str:
    r"""Return a text with all control and format characters escaped: ESC becomes \x1b.

    Line ends of other systems become newlines; a text beyond `longest` is cut (None: never).
    """
    if text.isascii() and text.isprintable() and (longest is None or len(text) <= longest):
        return text  # most texts are, and this check is fast
    whole = _UNSAFE.sub(_shown, text.replace("\r\n", "\n"))
    if longest is None or len(whole) <= longest:
        return whole
    return f"{whole[:longest]}… ({len(whole) - longest} more characters)"


def visible_in(value: Parsed, longest: int | None = LONGEST) -> Parsed:
    """Return parsed JSON or TOML with all of its texts made visible, keys included."""
    safe: object = value
    match value:
        case str():
            safe = visible(value, longest)
        case dict():
            safe = {visible(key, longest): visible_in(value[key], longest) for key in value}
        case list():
            safe = [visible_in(each, longest) for each in value]
    return cast(Parsed, safe)


def visible_json(content: bytes, longest: int | None = LONGEST) -> bytes:
    """Return a JSON document with all of its texts made visible. Raises `ValueError`."""
    text = content.decode("utf-8")
    if (
        _has_short_strings(text, longest)
        and not _ESCAPE.search(content)
        and not _UNSAFE.search(text)
    ):
        return content
    try:
        return json.dumps(visible_in(json.loads(text), longest)).encode()
    except RecursionError:
        raise ValueError(NESTED) from None


def escaped_in_json(text: str) -> str:
    r"""Return the same JSON document with all control and format characters escaped: \u202e."""
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _has_short_strings(document: str, longest: int | None) -> bool:
    """Whether no string of a JSON document exceeds `longest`; False if only parsing could tell."""
    if longest is None or len(document) <= longest:
        return True
    return '\\"' not in document and max(map(len, document.split('"'))) <= longest


def _shown(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
