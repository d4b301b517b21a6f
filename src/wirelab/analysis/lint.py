"""Rules of honest reporting, checked automatically on the analysis behind a report.

After Hoefler and Belli, Scientific Benchmarking of Parallel Computing Systems, SC 2015.
"""

from collections.abc import Iterator

from wirelab.analysis.model import LintItem
from wirelab.analysis.result import Analysis
from wirelab.statistics import Reporting
from wirelab.terminal.words import plural


def lint(analysis: Analysis) -> tuple[LintItem, ...]:
    """Check every rule; the item of a violated rule states what is missing."""
    return (*_numbers(analysis), *_circumstances(analysis))


def _numbers(analysis: Analysis) -> Iterator[LintItem]:
    settings = analysis.settings
    pairs = analysis.pairs
    rows = [row for setting in settings for row in setting.rows]
    baselines = bool(rows) and all(any(row.is_baseline for row in s.rows) for s in settings)
    if analysis.compares:
        yield LintItem(
            "Ratios are shown with their base case and the absolute values",
            baselines,
            "each table gives means in time units and names the baseline"
            if baselines
            else "the baseline was not measured in every setting",
        )
    without = [row for row in rows if row.summary.latency_us.interval is None]
    yield LintItem(
        "Values that vary between runs have a confidence interval",
        not without,
        f"{len(rows) - len(without)} of {plural(len(rows), 'mean has', 'means have')} one",
    )
    thin = [pair for pair in pairs if not pair.comparison.has_enough_blocks]
    if analysis.compares:
        yield LintItem(
            "Differences are tested on independent runs",
            not thin and bool(pairs),
            f"{pairs[0].comparison.method} on log-ratios of {plural(len(pairs), 'pair')},"
            " Holm-corrected"
            if pairs and not thin
            else f"{len(thin)} of {plural(len(pairs), 'pair has', 'pairs have')} fewer blocks than"
            " a verdict needs",
        )
    shown = [p for row in rows for p in row.summary.percentiles if p.name == "p99"]
    tails = [p for p in shown if p.reporting is not Reporting.OMITTED]
    yield LintItem(
        "Tails are shown if there are enough requests",
        len(tails) == len(shown) and bool(shown),
        f"p99 shown for {len(tails)} of {plural(len(shown), 'cell')}",
    )


def _circumstances(analysis: Analysis) -> Iterator[LintItem]:
    contenders, noise, validity = analysis.contenders, analysis.noise, analysis.validity
    unexplained = [skipped for skipped in analysis.schedule.skipped if not skipped.reason]
    yield LintItem(
        "Everything left out is named, with the reason",
        not unexplained,
        f"{plural(len(analysis.schedule.skipped), 'level')} left out, all with a reason",
    )
    versioned = [c for c in contenders.values() if c.versions]
    yield LintItem(
        "All factors, levels, settings and versions are listed",
        len(versioned) == len(contenders),
        f"versions recorded for {len(versioned)} of {plural(len(contenders), 'contender')}",
    )
    if analysis.compares:
        yield LintItem(
            "The resolution of the settings was measured (A/A)",
            bool(noise.resolutions) and noise.check.reliable,
            f"{plural(noise.check.comparisons, 'twin')},"
            f" {noise.check.false_positives} distinguished"
            if noise.resolutions
            else "no twin was measured",
        )
    yield LintItem(
        "A control operation shows the time without the store",
        bool(analysis.figures.store_shares),
        "measured with every workload"
        if analysis.figures.store_shares
        else "this design measured no control operation",
    )
    yield LintItem(
        "Every planned run is accounted for",
        validity.missing == 0,
        f"{validity.valid} valid, {len(validity.faulty)} not counted, {validity.missing} missing"
        f" of {validity.planned}",
    )
