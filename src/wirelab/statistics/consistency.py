"""Is a paper consistent with itself? Arithmetic on its printed figures, without running anything.

A printed figure represents every number that rounds to it, so each check asks whether *some* such
numbers are consistent. Figures can be given as printed ("224.30") or as numbers; a string keeps its
trailing zeros, and thus its precision.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product

from scipy import special

from wirelab.statistics.estimate import Interval

Figure = str | float | int

SIZES = range(2, 10_000_001)
"""The group sizes that are tried."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One check of a paper's consistency.

    `recomputed` is the figure that follows from the others; `consistent` is whether the printed
    one agrees within rounding; `note` is a sentence for the report.
    """

    check: str
    consistent: bool
    printed: float
    recomputed: float
    note: str


@dataclass(frozen=True, slots=True)
class SizeFinding:
    """The group sizes that a printed interval implies; None if no size fits.

    `count` fits best; `smallest` and `largest` fit within rounding. Without a largest one (the
    interval may have no width), `largest` is None, too.
    """

    count: int | None
    smallest: int | None
    largest: int | None
    half_width: float
    recomputed_half_width: float
    note: str

    def admits(self, count: int) -> bool:
        """Return whether a number of values fits."""
        if self.smallest is None:
            return False
        return self.smallest <= count and (self.largest is None or count <= self.largest)


def check_gain(gain_percent: Figure, improved: Figure, base: Figure) -> Finding:
    """Check a printed percentage of improvement against the two figures that it compares.

    Question: is this percentage correct, and relative to what? Formula: gain = 100 · (1 -
    improved/base); if that does not match, 100 · (base/improved - 1), the same change relative to
    the other figure, is tried and named. No source. Vector V14.
    """
    printed = _Printed.from_figure(gain_percent)
    sources = (_Printed.from_figure(improved), _Printed.from_figure(base))
    usual = _range_of(lambda a, b: 100.0 * (1.0 - a / b), sources)
    # Relative to a figure that may be 0, a change has no percentage.
    is_swapped = not sources[0].low <= 0.0 <= sources[0].high and printed.meets(
        _range_of(lambda a, b: 100.0 * (b / a - 1.0), sources)
    )
    recomputed = 100.0 * (1.0 - sources[0].value / sources[1].value)
    if printed.meets(usual):
        note = f"{gain_percent} % follows from {improved} and {base}"
    elif is_swapped:
        note = f"{gain_percent} % is relative to {improved}, not to {base}"
    else:
        note = f"{improved} and {base} give {recomputed:.2f} %, not {gain_percent} %"
    consistent = printed.meets(usual) or is_swapped
    return Finding("percentage", consistent, printed.value, recomputed, note)


def check_mean(mean: Figure, parts: Sequence[Figure]) -> Finding:
    """Check a printed average against its parts, within rounding. Vector V14.

    Question: is this the average of the parts? Formula: arithmetic mean. No source.
    """
    whole = _Printed.from_figure(mean)
    pieces = [_Printed.from_figure(part) for part in parts]
    recomputed = math.fsum(piece.value for piece in pieces) / len(pieces)
    rounding = math.fsum(piece.rounding for piece in pieces) / len(pieces)
    consistent = whole.meets(Interval(recomputed - rounding, recomputed + rounding))
    note = f"the parts give {recomputed:.6g}, printed is {mean}"
    return Finding("average", consistent, whole.value, recomputed, note)


def check_same(first: Figure, second: Figure, places: str = "text and table") -> Finding:
    """Check that two places of a paper print the same figure, within rounding.

    Question: do text and table agree? Formula: both could be roundings of one number. No source, no
    vector.
    """
    one, other = _Printed.from_figure(first), _Printed.from_figure(second)
    consistent = one.meets(Interval(other.low, other.high))
    note = f"{places} {'agree' if consistent else f'differ: {first} and {second}'}"
    return Finding(places, consistent, one.value, other.value, note)


def check_little(
    concurrency: Figure, throughput_per_s: Figure, response_ms: Figure, tolerance: float = 0.05
) -> Finding:
    """Check concurrency, throughput and response time against Little's law.

    Question: can this latency and this throughput have been measured with that many clients?
    Formula: N = X · R. Source: Little, Operations Research 9 (1961) 383-387. Assumes closed load
    without think time in a steady state; a smaller product means that clients waited elsewhere, a
    larger one is impossible. A deviation up to `tolerance`, as a share, is consistent. Vector V14.
    """
    printed = _Printed.from_figure(concurrency)
    busy = (
        _Printed.from_figure(throughput_per_s).value
        * _Printed.from_figure(response_ms).value
        / 1000
    )
    consistent = abs(busy - printed.value) <= tolerance * printed.value
    note = f"throughput times response time keeps {busy:.4g} clients busy, of {printed.value:g}"
    return Finding("Little's law", consistent, printed.value, busy, note)


def size_from_interval(
    mean: Figure,
    standard_deviation: Figure,
    low: Figure,
    high: Figure,
    confidence: float = 0.95,
) -> SizeFinding:
    """Solve a printed mean, standard deviation and interval for the number of values behind them.

    Question: how many values did the authors actually treat as independent? Formula: every n for
    which t_(n-1) · s/√n agrees with the printed half-width within the rounding of s and of the
    interval's ends, and the closest of them. Source: Student 1908. Assumes a t interval around the
    mean. Vector V14.
    """
    deviation = _Printed.from_figure(standard_deviation)
    ends = (_Printed.from_figure(low), _Printed.from_figure(high))
    half_width = (ends[1].value - ends[0].value) / 2.0
    rounding = (ends[0].rounding + ends[1].rounding) / 2.0
    smallest = _least_count(deviation.low, half_width + rounding, confidence)
    narrowest = half_width - rounding
    largest = (
        _least_count(deviation.high, narrowest, confidence, below=True) - 1
        if narrowest > 0.0
        else None
    )
    count = _closest_count(deviation.value, half_width, confidence)
    count = max(smallest, count if largest is None else min(count, largest))
    implied = _half_width(deviation.value, count, confidence)
    centre = _Printed.from_figure(mean)
    off_centre = abs((ends[0].value + ends[1].value) / 2.0 - centre.value)
    if off_centre > centre.rounding + ends[0].rounding + ends[1].rounding:
        note = f"the interval [{low}, {high}] is not centred on the mean {mean}"
    elif largest is not None and smallest > largest:
        note = f"no number of values makes ±{half_width:.6g} of a deviation of {standard_deviation}"
    else:
        note = f"the interval takes {_sizes(smallest, largest)} values as independent"
        return SizeFinding(count, smallest, largest, half_width, implied, note)
    return SizeFinding(None, None, None, half_width, implied, note)


@dataclass(frozen=True, slots=True)
class _Printed:
    value: float
    rounding: float

    @classmethod
    def from_figure(cls, figure: Figure) -> "_Printed":
        exponent = Decimal(str(figure)).as_tuple().exponent
        if not isinstance(exponent, int):
            raise ValueError(f"{figure!r} is not a number")
        # Slightly more than half a unit, because halves may be rounded up or down.
        return cls(float(figure), 0.5000001 * 10.0 ** min(exponent, 0))

    @property
    def low(self) -> float:
        return self.value - self.rounding

    @property
    def high(self) -> float:
        return self.value + self.rounding

    def meets(self, values: Interval) -> bool:
        return values.low <= self.high and self.low <= values.high


def _range_of(
    formula: Callable[[float, float], float], sources: tuple[_Printed, _Printed]
) -> Interval:
    """Return the range of a formula that is monotonic in both figures, over their roundings."""
    corners = product(*((source.low, source.high) for source in sources))
    results = [formula(first, second) for first, second in corners]
    return Interval(min(results), max(results))


def _sizes(smallest: int, largest: int | None) -> str:
    if largest is None:
        return f"at least {smallest}"
    return f"{smallest}" if smallest == largest else f"{smallest} to {largest}"


def _closest_count(deviation: float, half_width: float, confidence: float) -> int:
    """Find the size with the closest half-width."""
    count = _least_count(deviation, half_width, confidence)
    near = (max(count - 1, SIZES[0]), count)
    return min(near, key=lambda n: abs(_half_width(deviation, n, confidence) - half_width))


def _least_count(
    deviation: float, half_width: float, confidence: float, *, below: bool = False
) -> int:
    """Find the least size with at most this half-width, or with one below it, by bisection.

    Half-widths fall as sizes grow.
    """
    search = bisect_right if below else bisect_left
    index = search(SIZES, -half_width, key=lambda n: -_half_width(deviation, n, confidence))
    return SIZES[min(index, len(SIZES) - 1)]


def _half_width(deviation: float, count: int, confidence: float) -> float:
    quantile = float(special.stdtrit(count - 1, 0.5 + confidence / 2.0))
    return quantile * deviation / math.sqrt(count)
