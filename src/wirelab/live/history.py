"""Time series with a limited number of points."""

from dataclasses import dataclass, field

MOST_BINS = 600
"""Beyond this number, each two bins are merged, and bins are twice as long."""


@dataclass
class History:
    """Means of quantities by bins of time; `start` is when the first bin began, in Unix time."""

    start: float
    width_s: int = 1
    _series: dict[str, dict[int, tuple[float, float]]] = field(default_factory=dict)
    """By name and bin: the sum, and the divisor."""

    def add(self, at: float, name: str, amount: float, weight: float = 1.0) -> None:
        """Add an amount to a bin; its value is the sum of amounts over the sum of weights."""
        bin_ = max(0, int((at - self.start) / self.width_s))
        while bin_ >= MOST_BINS:
            self._merge()
            bin_ = int((at - self.start) / self.width_s)
        series = self._series.setdefault(name, {})
        amounts, weights = series.get(bin_, (0.0, 0.0))
        series[bin_] = amounts + amount, weights + weight

    def bins(self, now: float) -> int:
        """Return the number of bins up to a time."""
        return min(MOST_BINS, int((now - self.start) / self.width_s) + 1)

    def since(self, first: int, now: float) -> dict[str, list[float | None]]:
        """Return every series from a bin on; None for an empty bin."""
        last = self.bins(now)
        return {
            name: [_mean(series.get(bin_)) for bin_ in range(first, last)]
            for name, series in self._series.items()
        }

    def _merge(self) -> None:
        self.width_s *= 2
        for name, series in self._series.items():
            merged: dict[int, tuple[float, float]] = {}
            for bin_, (amount, weight) in series.items():
                amounts, weights = merged.get(bin_ // 2, (0.0, 0.0))
                merged[bin_ // 2] = amounts + amount, weights + weight
            self._series[name] = merged


def _mean(added: tuple[float, float] | None) -> float | None:
    if added is None or not added[1]:
        return None
    return float(f"{added[0] / added[1]:.5g}")
