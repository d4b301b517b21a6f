"""The arithmetic of a paper's printed figures: one line for each row of a check."""

from collections.abc import Iterator
from dataclasses import dataclass

from wirelab.statistics import (
    Finding,
    Summary,
    check_gain,
    check_little,
    check_mean,
    check_same,
    difference_of_means,
    size_from_interval,
)
from wirelab.study.arithmetic import (
    ArithmeticCheck,
    Averages,
    Clients,
    Contrast,
    Differences,
    Gains,
    Intervals,
    Repeated,
    SampleGroup,
    Spread,
    Waiting,
)

SIGNIFICANT = 0.05
"""The significance level that papers use, and that their claims are tested with here."""


@dataclass(frozen=True, slots=True)
class Line:
    """One comparison or derived figure: its label, its value, and whether it supports the claim.

    `holds` is None for a figure that is derived and not judged. `figures` are the printed ones that
    the value is a ratio of, such as `120 ms / 45.0 ms`; "" where the label has them.
    """

    label: str
    value: float
    holds: bool | None = None
    figures: str = ""


def lines_of(check: ArithmeticCheck) -> Iterator[Line]:
    """Compute the lines of one check."""
    match check:
        case Gains():
            for gain in check.rows:
                yield _found(gain.at, check_gain(gain.printed, gain.improved, gain.base))
        case Averages():
            for average in check.rows:
                yield _found(average.at, check_mean(average.printed, average.values))
        case Repeated():
            for twice in check.rows:
                yield _found(twice.at, check_same(twice.first, twice.second, check.source))
        case Intervals():
            yield from map(_size, check.rows)
        case Differences():
            yield from map(_difference, check.rows)
        case Clients():
            yield from map(_clients, check.rows)


def _found(at: str, finding: Finding) -> Line:
    return Line(f"{at}: {finding.note}", finding.recomputed, finding.consistent)


def _clients(waiting: Waiting) -> Line:
    little = check_little(waiting.clients, waiting.throughput_per_s, waiting.response_ms)
    return _found(waiting.at, little)


def _size(spread: Spread) -> Line:
    size = size_from_interval(spread.mean, spread.sd, spread.low, spread.high)
    label = f"{spread.at}: {size.note}; the paper speaks of {spread.count}"
    return Line(label, float(size.count or 0), size.admits(spread.count))


def _difference(contrast: Contrast) -> Line:
    p_value = difference_of_means(_summary(contrast.a), _summary(contrast.b)).p_value()
    label = (
        f"{contrast.at}: p of a difference between {contrast.a.mean} (sd {contrast.a.sd}) and "
        f"{contrast.b.mean} (sd {contrast.b.sd}), Welch's test"
    )
    return Line(label, p_value, p_value < SIGNIFICANT)


def _summary(group: SampleGroup) -> Summary:
    return Summary(float(group.mean), float(group.sd), group.count)
