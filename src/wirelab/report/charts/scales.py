"""Common parts of all charts: data, colours and marks, space for names, round ticks."""

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import altair as alt

from wirelab.report.palette import Palette

Picture = Any
"""A chart of altair, whose type annotations are incomplete."""

NEAR = 24**2
"""The size of the invisible mark around a point that shows its tooltip: within 12 pixels."""

_DECADE = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)
_FINE = (0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.2, 1.3)


def chart_of(rows: Sequence[Mapping[str, object]]) -> Picture:
    """Create a chart from rows, which become part of its specification."""
    # A tuple, since altair copies lists at each composition.
    return alt.Chart(alt.Data(values=tuple(rows)))  # type: ignore[no-untyped-call]


@contextmanager
def shared_parts() -> Iterator[None]:
    """Let the copies that altair makes of a chart at each composition share encodings and marks.

    altair replaces them and never changes them. Copying them takes half of a large report's time.
    """
    shared: Sequence[Any] = (alt.FacetedEncoding, alt.MarkDef)
    for part in shared:
        part.__deepcopy__ = lambda original, _: original
    try:
        yield
    finally:
        for part in shared:
            del part.__deepcopy__


def colours(palette: Palette, labels: Iterable[str], field: str = "label") -> alt.Color:
    """Colour marks by the contender that a field names."""
    named = list(dict.fromkeys(labels))
    scale = alt.Scale(domain=named, range=[palette[label].hue for label in named])
    return alt.Color(f"{field}:N", scale=scale, legend=None)


def shapes(palette: Palette, labels: Iterable[str], field: str = "label") -> alt.Shape:
    """Mark points by the contender that a field names."""
    named = list(dict.fromkeys(labels))
    scale = alt.Scale(domain=named, range=[palette[label].mark for label in named])
    return alt.Shape(f"{field}:N", scale=scale, legend=None)


def dashes(palette: Palette, labels: Iterable[str], field: str = "label") -> alt.StrokeDash:
    """Dash lines by the contender that a field names."""
    named = list(dict.fromkeys(labels))
    scale = alt.Scale(domain=named, range=[list(palette[label].dash) for label in named])
    return alt.StrokeDash(f"{field}:N", scale=scale, legend=None)


def spread_positions(ideal: Sequence[float], least: float, high: float) -> list[float]:
    """Move positions along an axis apart until neighbours are at least `least` from each other.

    They keep their order and remain between 0 and `high` as far as there is space.
    """
    order = sorted(range(len(ideal)), key=lambda index: ideal[index])
    placed = list(ideal)
    for before, index in itertools.pairwise(order):
        placed[index] = max(placed[index], placed[before] + least)
    limit = high
    for index in reversed(order):  # positions beyond the end are moved back
        placed[index] = min(placed[index], limit)
        limit = placed[index] - least
    return placed


def padded(values: Iterable[float], factor: float = 1.08) -> tuple[float, float]:
    """Return a logarithmic domain with space at both ends."""
    known = [value for value in values if math.isfinite(value) and value > 0]
    if not known:
        return (0.5, 2.0)
    return min(known) / factor, max(known) * factor


def ticks(low: float, high: float, most: int = 7) -> list[float]:
    """Choose a few round numbers between two limits for a logarithmic axis."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    candidates = sorted({step * 10.0**decade for decade in decades for step in _DECADE} | {1.0})
    if high / low < 1.7:
        around = [scale * 10.0**decade for decade in decades for scale in _FINE]
        candidates = sorted({*candidates, *around})
    within = [round(value, 10) for value in candidates if low <= value <= high]
    for steps in ((1.0, 2.0, 5.0), (1.0, 3.0), (1.0,)):
        if len(within) <= most:
            break
        within = [v for v in within if any(math.isclose(_mantissa(v), s) for s in steps)]
    return within


def _mantissa(value: float) -> float:
    return float(value / 10.0 ** math.floor(math.log10(value) + 1e-12))
