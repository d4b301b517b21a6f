"""A range of values that are compatible with the data."""

from typing import NamedTuple


class Interval(NamedTuple):
    """A closed interval. The field or argument that it comes from names its confidence."""

    low: float
    high: float

    def contains(self, value: float) -> bool:
        """Return whether the value lies in the interval, ends included."""
        return self.low <= value <= self.high

    def lies_within(self, low: float, high: float) -> bool:
        """Return whether the whole interval lies strictly between two limits."""
        return low < self.low and self.high < high

    def __str__(self) -> str:
        """Render the interval of a ratio with the digits that reports use: [1.24, 1.41]."""
        return f"[{_digits(self.low)}, {_digits(self.high)}]"


def _digits(ratio: float) -> str:
    if 0.0995 <= ratio < 9.995:
        return f"{ratio:.2f}"
    return f"{ratio:.2g}" if ratio < 1.0 else f"{ratio:.3g}"
