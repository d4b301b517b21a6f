"""How a study was measured and compared, for page and Markdown."""

from collections.abc import Iterator

from wirelab.analysis import Analysis
from wirelab.statistics import Method
from wirelab.terminal import words


def reading(analysis: Analysis) -> str:
    """Explain the figures of the answer, in sentences."""
    of = "this implementation" if len(analysis.contenders) == 1 else "these implementations"
    holds = f" Every result holds for {of} on this machine, not for a protocol as such."
    if not analysis.compares:
        return holds.strip() if analysis.settings else ""
    return (
        f"A difference within the margin of ±{words.percent(analysis.noise.margin_ratio)}"
        f" ({analysis.margin_from}) counts as practically the same. What a setting detects is half"
        f" the width of the 95{words.NO_BREAK}% interval of its comparisons, at the median; each"
        " comparison has an interval of its own, which may be narrower or wider."
        f"{holds}"
    )


def design_facts(analysis: Analysis) -> Iterator[tuple[str, str]]:
    """Return each part of the design and each condition of the runs, with its value."""
    study = analysis.study
    iso = f"; in ISO/IEC 25023 {study.primary.iso_25023}" if study.primary.iso_25023 else ""
    yield "primary metric", f"{study.primary.title} ({study.primary.unit}){iso}"
    loads = dict.fromkeys(cell.load for cell in analysis.schedule.cells)
    yield "load", "; ".join(study.loads[load].title for load in loads)
    if analysis.compares:
        yield "margin", f"±{words.percent(analysis.noise.margin_ratio)}, {analysis.margin_from}"
        yield "detects", _detects(analysis)
        yield "twin check", _twin_check(analysis)
        yield (
            "comparison",
            f"{_method(analysis)} on log-ratios within blocks; Holm over the whole family;"
            " equivalence by two one-sided tests",
        )
    yield from analysis.procedure.conditions.items()
    yield (
        "time",
        "response time from the intended start to the last byte of the answer, on the load"
        " generator’s clock",
    )
    yield (
        "percentile",
        "the value at or below which that share of a run’s requests fell (no interpolation); the"
        " table averages it over runs",
    )
    for (factor, reason, _), levels in analysis.schedule.left_out.items():
        yield "left out", f"{factor} {', '.join(levels)}: {reason}"


def _method(analysis: Analysis) -> str:
    """Name the test of a comparison."""
    method = next((pair.comparison.method for pair in analysis.pairs), Method.PAIRED_T)
    if method is Method.REPEATED_T:
        return "repeated t after every block, valid whenever the study ends,"
    return "paired t"


def _detects(analysis: Analysis) -> str:
    known = [
        (setting.title, setting.resolution.half_width_ratio)
        for setting in analysis.settings
        if setting.resolution is not None
    ]
    return "; ".join(
        f"{title} {'not known' if share is None else f'±{words.percent(share)}'}"
        for title, share in known
    )


def _twin_check(analysis: Analysis) -> str:
    """Return a sentence on whether twins differ more often than by chance."""
    check = analysis.noise.check
    if not check.comparisons:
        return "not possible: no twin has the blocks of a verdict"
    found = (
        f"{check.false_positives} of {words.plural(check.comparisons, 'twin')} significantly"
        " different from the baseline"
    )
    return f"{found}, {'no more' if check.reliable else 'more'} than chance allows"
