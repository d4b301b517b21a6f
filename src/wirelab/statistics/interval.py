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
