"""The scalability law as rows of texts, for page and Markdown."""

from wirelab.analysis.figures.scaling import Scaling, ScalingLine
from wirelab.statistics import Estimate
from wirelab.statistics.scaling import GOOD_FIT
from wirelab.terminal import words

PARAMETERS = (
    "contention, %",
    "coherency, %",
    "peak",
    "explained",
    "remarks",
)


NOTE = (
    "The Universal Scalability Law, fitted to the throughputs: contention is the share of the work"
    " that queues, coherency the cost of keeping copies in agreement. The intervals are those of"
    " one sweep of means; a peak is named only if a measured level lies beyond it. The law needs"
    f" four levels; parameters of a fit that explains less than {100 * GOOD_FIT:.0f} % of the"
    " variation are left out."
)

NEGLIGIBLE = 1e-12
"""The fit stops this close to 0 if a parameter, which cannot be negative, is 0."""


def scaling_headings(scaling: Scaling) -> tuple[str, ...]:
    """Return the headings of the columns: the measured levels, and the law's parameters."""
    one = scaling.over.removesuffix("s")
    levels = (words.plural(level, one, scaling.over) for level in scaling.levels)
    return ("contender", *levels, *PARAMETERS)


def scaling_row(scaling: Scaling, line: ScalingLine) -> tuple[str, ...]:
    """Return a contender's throughputs, the parameters of the law, and its warnings."""
    measured = (
        words.significant(line.throughputs[level]) if level in line.throughputs else words.MISSING
        for level in scaling.levels
    )
    fit = line.fit
    if fit is None:
        return (line.label, *measured, *4 * (words.MISSING,), line.why_not)
    if not fit.applies:
        return (line.label, *measured, *4 * (words.MISSING,), "; ".join(fit.warnings))
    peak = words.MISSING
    if fit.peak_concurrency is not None and fit.peak_throughput is not None:
        peak = f"{words.significant(fit.peak_throughput)} at {fit.peak_concurrency:.0f}"
    return (
        line.label,
        *measured,
        _percent(fit.contention),
        _percent(fit.coherency),
        peak,
        words.percent(fit.r_squared),
        "; ".join(fit.warnings),
    )


def _percent(estimate: Estimate) -> str:
    """Render a parameter in percent, with the part of the 95 % interval that is not negative."""
    interval = estimate.interval()
    value = 0.0 if estimate.value < NEGLIGIBLE else estimate.value
    shown = f"{100 * value:.3g}"
    if interval is None:
        return shown
    return f"{shown} [{100 * max(interval.low, 0.0):.3g}, {100 * interval.high:.3g}]"
