"""A range of values that the data leave possible."""

from typing import NamedTuple


class Interval(NamedTuple):
    """Both ends belong to it. Its confidence is named by the field or argument that made it."""

    low: float
    high: float

    def contains(self, value: float) -> bool:
        """Tell whether the value lies in the interval, ends included."""
        return self.low <= value <= self.high

    def lies_within(self, low: float, high: float) -> bool:
        """Tell whether the whole interval lies strictly between two limits."""
        return low < self.low and self.high < high
