"""What all charts share: where data come in, colours, scales with ticks that people read."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import altair as alt

from wirelab.report.theme import colour

Picture = Any
"""A chart of altair, whose own types promise less than they hold."""

_DECADE = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)
_FINE = (0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.2, 1.3)


def chart_of(rows: Sequence[Mapping[str, object]]) -> Picture:
    """Start a chart from its rows, which become part of its specification."""
    return alt.Chart(alt.Data(values=list(rows)))  # type: ignore[no-untyped-call]


def colours(protocols: Mapping[str, str], field: str = "label") -> alt.Color:
    """Colour marks by a field; `protocols` gives the protocol of each of its values."""
    return alt.Color(
        f"{field}:N",
        scale=alt.Scale(
            domain=list(protocols), range=[colour(protocol) for protocol in protocols.values()]
        ),
        legend=None,
    )


def padded(values: Iterable[float], factor: float = 1.08) -> tuple[float, float]:
    """Return a logarithmic domain that leaves room at both ends."""
    known = [value for value in values if math.isfinite(value) and value > 0]
    if not known:
        return (0.5, 2.0)
    return min(known) / factor, max(known) * factor


def ticks(low: float, high: float, most: int = 7) -> list[float]:
    """Choose round numbers between two limits, few enough to be read, for a logarithmic axis."""
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
