"""Sentences of a page: names are not broken, and a count of what is left out shows it."""

import re
from collections.abc import Callable, Iterable

from markupsafe import Markup, escape

from wirelab.terminal import words

_COUNT = re.compile(r"(and \d+ more)")
_MORE = Markup('<details class="more"><summary>{}</summary>: {}</details>')


def whole(text: str, names: Iterable[str] | None = None) -> Markup:
    """Escape a text; names with hyphens in it are not broken there, as long as a line is enough.

    `names`: those that the text may contain; by default, it is a name itself.
    """
    known = {text} if names is None else set(names)
    hyphenated = sorted((name for name in known if "-" in name), key=len, reverse=True)
    if not hyphenated:
        return escape(text)
    name = "|".join(map(re.escape, hyphenated))
    parts = re.split(rf"(?<![\w-])({name})(?![\w-])", text)
    marked = Markup('<span class="whole">{}</span>')
    return Markup("").join(
        marked.format(part) if number % 2 else escape(part) for number, part in enumerate(parts)
    )


def unfolding(tell: Callable[[], str], names: Iterable[str]) -> Markup:
    """Render what `tell` returns; a count of texts that `words.first_few` left out unfolds them."""
    short = tell()
    with words.in_full():
        return unfolded(short, tell(), names)


def unfolded(short: str, full: str, names: Iterable[str]) -> Markup:
    """Render a text whose counts unfold what `full`, the same text without them, has instead."""
    names = list(names)
    first, *others = _COUNT.split(short)
    shown, place = whole(first, names), len(first)
    for count, text in zip(others[::2], others[1::2], strict=True):
        end = full.find(text, place) if text else len(full)
        left_out = full[place:end]
        known = full.startswith(first) and end >= 0 and left_out != count
        shown += _MORE.format(count, whole(left_out, names)) if known else whole(count, names)
        shown += whole(text, names)
        place = end + len(text)
    return shown


def linked(text: str, where: str) -> Markup:
    """Render a text whose counts of what is left out lead there."""
    link = Markup('<a href="{}">{}</a>')
    parts = enumerate(_COUNT.split(text))
    return Markup("").join(
        link.format(where, part) if odd % 2 else escape(part) for odd, part in parts
    )
