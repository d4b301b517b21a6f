"""Cautions about the baseline's twin, the comparison of a server with itself (A/A)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from wirelab.analysis.cautions.caution import Caution
from wirelab.analysis.cautions.evidence import Evidence
from wirelab.analysis.model import Noise
from wirelab.statistics import SIGNIFICANCE, Comparison
from wirelab.study import Cell
from wirelab.terminal import words


@dataclass(frozen=True)
class NoTwin(Caution):
    """There is no comparison of the baseline with itself; `is_measured`: there is a baseline."""

    SEVERITY = "serious"
    TITLE = "No twin was measured"
    baseline: str
    is_measured: bool

    def _detail(self) -> str:
        remedy = (
            "remove twins = false from the experiments of the design"
            if self.is_measured
            else f"measure the baseline, {self.baseline}, too, since the twin repeats it"
        )
        return (
            "without an A/A comparison, the smallest difference that settings resolve is unknown."
            f" What to do: {remedy}"
        )


@dataclass(frozen=True)
class MethodFails(Caution):
    """More twins differ from the baseline than chance allows."""

    SEVERITY = "serious"
    TITLE = "The method fails on this machine"
    differing: int
    twins: int
    p_value: float

    def _detail(self) -> str:
        twins = words.plural(self.twins, "twin differs", "twins differ")
        return (
            f"{self.differing} of {twins} significantly from the baseline, more than chance allows"
            f" ({words.p_value(self.p_value)}): do not rely on any verdict of this study. What to"
            " do: end other programs, and measure again"
        )


@dataclass(frozen=True)
class TwinDiffers(Caution):
    """Some twins differ significantly from the baseline; chance explains that."""

    TITLE = "The baseline differs significantly from its twin"
    differing: tuple[tuple[str, Comparison], ...]
    """Settings, and the comparison of twin and baseline there."""
    twins: int
    margin_ratio: float

    def _detail(self) -> str:
        odd = "; ".join(
            f"at “{setting}” by {_difference(twin, self.margin_ratio)}"
            for setting, twin in self.differing
        )
        chance = 1 - (1 - SIGNIFICANCE) ** self.twins
        return (
            f"{len(self.differing)} of {words.plural(self.twins, 'twin')} ({odd}); by chance alone,"
            f" at least one does so in {words.percent(chance)} of such studies. What to do: measure"
            " again; a difference that recurs is not chance"
        )


def twins(evidence: Evidence) -> Iterator[Caution]:
    """Find that there is no twin, or that twins differ significantly from the baseline."""
    if not evidence.compares:
        return
    noise, baseline = evidence.noise, evidence.study.baseline
    if not noise.resolutions:
        yield NoTwin(baseline, any(cell.contender == baseline for cell in evidence.titles))
    yield from differing_twins(noise, evidence.titles)


def differing_twins(noise: Noise, titles: Mapping[Cell, str]) -> Iterator[Caution]:
    """Find twins that differ; `titles` name the settings of cells."""
    check = noise.check
    if not check.reliable:
        yield MethodFails(check.false_positives, check.comparisons, check.p_value)
    elif check.false_positives:
        differing = [(titles[cell], it.twin) for cell, it in noise.resolutions if it.distinguished]
        yield TwinDiffers(tuple(differing), check.comparisons, noise.margin_ratio)


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
