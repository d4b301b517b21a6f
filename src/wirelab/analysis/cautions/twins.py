"""Cautions about the baseline's twin, the comparison of a server with itself (A/A)."""

from collections.abc import Collection, Iterator, Mapping

from wirelab.analysis.model import Caution, Noise
from wirelab.statistics import SIGNIFICANCE, Comparison
from wirelab.study import Cell
from wirelab.terminal import words


def twin_cautions(noise: Noise, titles: Mapping[Cell, str], baseline: str) -> Iterator[Caution]:
    """Warn if there is no twin, or if twins differ significantly from the baseline.

    `titles` are those of all cells.
    """
    check = noise.check
    if not noise.resolutions:
        yield Caution(
            "serious",
            "No twin was measured",
            "without an A/A comparison, the smallest difference that settings resolve is unknown."
            f" What to do: {_how_to_get_one(titles, baseline)}",
        )
    elif not check.reliable:
        yield Caution(
            "serious",
            "The method fails on this machine",
            f"{check.false_positives} of"
            f" {words.plural(check.comparisons, 'twin differs', 'twins differ')} significantly from"
            f" the baseline, more than chance allows ({words.p_value(check.p_value)}):"
            " do not rely on any verdict of this study. What to do: end other programs, and measure"
            " again",
        )
    elif check.false_positives:
        odd = "; ".join(
            f"at “{titles[cell]}” by {_difference(found.twin, noise.margin_ratio)}"
            for cell, found in noise.resolutions
            if found.distinguished
        )
        chance = 1 - (1 - SIGNIFICANCE) ** check.comparisons
        yield Caution(
            "minor",
            "The baseline differs significantly from its twin",
            f"{check.false_positives} of {words.plural(check.comparisons, 'twin')} ({odd});"
            f" by chance alone, at least one does so in {words.percent(chance)} of such studies."
            " What to do: measure again; a difference that recurs is not chance",
        )


def _how_to_get_one(cells: Collection[Cell], baseline: str) -> str:
    if any(cell.contender == baseline for cell in cells):
        return "remove twins = false from the experiments of the design"
    return f"measure the baseline, {baseline}, too, since the twin repeats it"


def _difference(twin: Comparison, margin_ratio: float) -> str:
    """Describe how much a twin differs from the baseline, and whether that matters."""
    interval = twin.interval95
    if interval is None:
        return words.change(twin.ratio)
    upper = 1.0 + margin_ratio
    within = interval.lies_within(1.0 / upper, upper)
    margin = f", within the margin of ±{words.percent(margin_ratio)}" if within else ""
    low, high = words.change(interval.low), words.change(interval.high)
    return f"{words.change(twin.ratio)} [{low}, {high}]{margin}"
