"""Cautions about estimates: drift, few samples, methods that disagree."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from wirelab.analysis.cautions.caution import Caution
from wirelab.analysis.cautions.evidence import Evidence
from wirelab.analysis.model import SHOWN_PERCENTILES
from wirelab.statistics import MINIMUM_BLOCKS, Reporting, rank_correlation
from wirelab.terminal import words

DRIFT_P = 0.01


@dataclass(frozen=True)
class Drifted(Caution):
    """Response times changed over the session."""

    TITLE = "The machine drifted over the session"
    change_ratio: float
    """The change from the first block to the last, as a share."""
    correlation: float
    is_paired: bool
    """Whether blocks are compared, which removes it."""

    def _detail(self) -> str:
        paired = (
            "; pairing within blocks removes this from every comparison, but not from absolute"
            " times"
        )
        return (
            f"response times changed by about {words.percent(self.change_ratio)} from the first"
            f" block to the last (rank correlation {self.correlation:.2f})"
            f"{paired if self.is_paired else ''}"
        )


@dataclass(frozen=True)
class FewSamples(Caution):
    """Runs have few requests for the percentiles that are shown."""

    TITLE = "Few samples for high percentiles"
    requests: int
    percentiles: tuple[str, ...]

    def _detail(self) -> str:
        return (
            f"runs whose percentiles are shown have as few as {self.requests} requests, few for"
            f" {words.listed(self.percentiles)}: these figures are marked, or left out if no"
            " interval bounds them"
        )


@dataclass(frozen=True)
class MethodsDisagree(Caution):
    """The t interval and the rank interval of a pair disagree."""

    TITLE = "Two methods disagree"
    pairs: tuple[str, ...]

    def _detail(self) -> str:
        pairs = words.first_few(self.pairs)
        return f"t interval and rank interval disagree on {pairs}: check the individual blocks"


def drift(evidence: Evidence) -> Iterator[Caution]:
    """Correlate the log of the time with the block number, after removing each cell's mean."""
    blocks: list[int] = []
    departures: list[float] = []
    for cell in evidence.values.runs:
        times = evidence.values.values("latency_mean_us", cell)
        logs = np.log(list(times.values()))
        departures.extend((logs - logs.mean()).tolist())
        blocks.extend(times)
    if len(set(blocks)) < MINIMUM_BLOCKS:
        return
    by_block = pd.Series(departures).groupby(pd.Series(blocks)).mean()
    correlation = rank_correlation(by_block.index, by_block)
    if correlation.p_value < DRIFT_P:
        change = float(np.expm1(by_block.iloc[-1] - by_block.iloc[0]))
        yield Drifted(change, correlation.coefficient, evidence.compares)


def samples(evidence: Evidence) -> Iterator[Caution]:
    """Find shown percentiles of few requests."""
    few = [
        (summary.requests, each.name)
        for cell, summary in evidence.summaries.items()
        if not cell.twin  # which has no figures in a table
        for each in summary.percentiles
        if each.name in SHOWN_PERCENTILES and each.reporting is not Reporting.PRINTED
    ]
    if few:
        yield FewSamples(min(few)[0], tuple(sorted({name for _, name in few})))


def methods(evidence: Evidence) -> Iterator[Caution]:
    """Find pairs on which two methods disagree."""
    odd = [pair for pair in evidence.pairs if pair.comparison.methods_disagree]
    if odd:
        titles = evidence.titles
        yield MethodsDisagree(
            tuple(f"{pair.a_label} vs {pair.b_label} at “{titles[pair.a]}”" for pair in odd)
        )
