"""Numbers and names as people read them: three significant figures, a unit, one spelling."""

import math
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from textwrap import shorten
from typing import Any

PROTOCOL_TITLES = {
    "rest": "REST",
    "graphql": "GraphQL",
    "grpc": "gRPC",
    "websocket": "WebSocket",
    "soap": "SOAP",
    "jsonrpc": "JSON-RPC",
    "mcp": "MCP",
}

MISSING = "–"

MOST_FURTHER = 4
"""Ratios that differ in none of this number of digits beyond the usual ones count as equal."""

_IN_FULL: ContextVar[bool] = ContextVar("in_full", default=False)

LONGEST_WORD = 120
"""Maximum number of characters of a word in a text that is shortened."""

NO_BREAK = "\u00a0"
"""Between a number and its unit, so that no line ends there."""
NO_BREAK_NARROW = "\u202f"
"""Between the thousands of a number."""


def protocol_title(protocol: str) -> str:
    """Return the usual spelling of a protocol; an unknown one is returned unchanged."""
    return PROTOCOL_TITLES.get(protocol, protocol)


def significant(value: float, figures: int = 3) -> str:
    """Render a number with `figures` significant figures, grouped thousands and no exponent."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else MISSING
    rounded = float(f"{value:.{figures - 1}e}")  # first, since 0.9996 has the figures of 1.00
    decimals = max(0, figures - 1 - math.floor(math.log10(abs(rounded))))
    return f"{rounded:,.{decimals}f}".replace(",", NO_BREAK_NARROW)


def duration(microseconds: float) -> str:
    """Render a time in the unit that suits its size."""
    if not math.isfinite(microseconds):
        return MISSING
    for limit, divisor, unit in ((1e3, 1.0, "µs"), (1e6, 1e3, "ms")):
        if abs(microseconds) < limit * 0.9995:
            return f"{significant(microseconds / divisor)}{NO_BREAK}{unit}"
    return f"{significant(microseconds / 1e6)}{NO_BREAK}s"


def whole(value: float) -> str:
    """Render all digits of a whole number, in groups of three: 12 345."""
    return f"{value:,.0f}".replace(",", NO_BREAK_NARROW)


def byte_count(value: float) -> str:
    """Render bytes in B, kB, MB or GB (powers of 1000)."""
    if not math.isfinite(value):
        return MISSING
    if abs(value) < 1e4:
        return f"{whole(value)}{NO_BREAK}B"
    for limit, divisor, unit in ((1e6, 1e3, "kB"), (1e9, 1e6, "MB")):
        if abs(value) < limit * 0.9995:
            return f"{significant(value / divisor)}{NO_BREAK}{unit}"
    return f"{significant(value / 1e9)}{NO_BREAK}GB"


def in_unit(value: float, unit: str) -> str:
    """Render a value by its unit alone; times are in µs."""
    if unit == "µs":
        return duration(value)
    return byte_count(value) if unit == "B" else significant(value)


def times(ratio: float, interval: tuple[float, float] | None = None) -> str:
    """Render a ratio: 1.32×, 0.044×; beside an interval, with as many digits as that has."""
    return f"{_ratio(ratio, _further(interval))}×" if math.isfinite(ratio) else MISSING


def between(interval: tuple[float, float] | None) -> str:
    """Render the interval of a ratio: [1.24, 1.41]; "" without one.

    Ends that differ have enough digits to show that: [1.218, 1.222].
    """
    if interval is None:
        return ""
    further = _further(interval)
    low, high = (_ratio(end, further) if math.isfinite(end) else MISSING for end in interval)
    return f"[{low}, {high}]"


def estimate(ratio: float, interval: tuple[float, float] | None) -> str:
    """Render a ratio with its interval: 1.32× [1.24, 1.41]."""
    return f"{times(ratio, interval)} {between(interval)}".rstrip()


def _ratio(ratio: float, further: int) -> str:
    """Render a finite ratio, with `further` digits beyond the usual ones."""
    if 0.0995 <= ratio < 9.995:
        return f"{ratio:.{2 + further}f}"
    return significant(ratio, (2 if ratio < 1.0 else 3) + further)


def _further(interval: tuple[float, float] | None) -> int:
    """Return how many digits beyond the usual ones show that the ends of an interval differ."""
    if interval is None or interval[0] == interval[1] or not all(map(math.isfinite, interval)):
        return 0
    low, high = interval
    enough = (
        digits for digits in range(MOST_FURTHER) if _ratio(low, digits) != _ratio(high, digits)
    )
    return next(enough, 0)


def percent(share: float, figures: int = 2) -> str:
    """Render a share: 2.1 %."""
    if not math.isfinite(share):
        return MISSING
    return f"{significant(100 * share, figures)}{NO_BREAK}%"


def change(ratio: float) -> str:
    """Render a ratio near 1 as a change: +0.21 %, −1.5 %."""
    return f"{'−' if ratio < 1 else '+'}{percent(abs(ratio - 1))}"


def p_value(p: float) -> str:
    """Render a p value: < 0.001 below that, and with enough digits near 0.05 to show the side."""
    if p < 0.001:
        return "p < 0.001"
    return f"p = {p:.3g}" if 0.045 <= p < 0.055 else f"p = {p:.2g}"


def budget(seconds: float) -> str:
    """Render a time for `--budget`, rounded up to 10 s, or to a minute above two: 40s, 3m."""
    tens = math.ceil(seconds / 10)
    if tens > 12:
        return f"{math.ceil(seconds / 60)}m"
    return f"{10 * tens}s" if tens % 6 else f"{tens // 6}m"


def listed(names: Iterable[str], last: str = "and") -> str:
    """Join names as a sentence does: a, b and c."""
    words: Sequence[str] = list(names)
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def command(*parts: object) -> str:
    """Return a command, or a part of one, for a shell: names that need quotes have them."""
    return shlex.join(map(str, parts))


@contextmanager
def in_full() -> Iterator[None]:
    """Let `first_few` leave nothing out in the block."""
    before = _IN_FULL.set(True)
    try:
        yield
    finally:
        _IN_FULL.reset(before)


def first_few(texts: Sequence[str], most: int = 4) -> str:
    """Join the first texts, and count the others: a; b; c; d; and 3 more."""
    if _IN_FULL.get():
        return "; ".join(texts)
    left = len(texts) - most
    return "; ".join([*texts[:most], *([f"and {left} more"] if left > 0 else [])])


def shortened(text: object, longest: int) -> str:
    """Return a text in one line; a long one ends with … after a whole word.

    A word that is too long itself, such as a path, loses its middle.
    """
    line = " ".join(map(_shortened_word, str(text).split()))
    return shorten(line, longest, placeholder="…")


def _shortened_word(word: str) -> str:
    half = LONGEST_WORD // 2
    return word if len(word) <= LONGEST_WORD else f"{word[:half]}…{word[-half:]}"


def capital(text: str) -> str:
    """Capitalise the first letter, and leave the rest unchanged."""
    return text[:1].upper() + text[1:]


def plural(count: int, one: str, many: str | None = None) -> str:
    """Render a count with its noun: 1 run, 6 runs, 1 000 runs."""
    number = f"{count:,}".replace(",", NO_BREAK_NARROW)
    return f"{number} {one if count == 1 else many or one + 's'}"


def block_count(repetitions: Collection[int]) -> str:
    """Say how many blocks settings have: "6 blocks of each setting", or "6 to 15 ..."."""
    fewest, most = min(repetitions), max(repetitions)
    if fewest == most:
        return f"{plural(most, 'block')} of each setting"
    return f"{fewest} to {most} blocks of a setting"


def flat(value: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Flatten nested facts into names and texts for people; what is unknown is left out."""
    for key, item in value.items():
        name = f"{prefix} {key}".strip().replace("_", " ")
        if isinstance(item, Mapping):
            yield from flat(item, name)
        elif isinstance(item, list | tuple):
            yield name, ", ".join(str(each) for each in item)
        elif isinstance(item, bool):
            yield name, "yes" if item else "no"
        elif isinstance(item, int) and key.endswith("_bytes"):
            yield name.removesuffix(" bytes"), byte_count(item)
        elif item is not None and item != "":
            yield name, str(item)
