"""Compare cells: noise floor, margin, the family with its Holm correction, verdicts."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from wirelab.analysis import words
from wirelab.analysis.model import Judged, Noise
from wirelab.analysis.values import RunValues
from wirelab.statistics import (
    MINIMUM_BLOCKS,
    NoiseFloor,
    compare,
    decide,
    holm,
    margin_from,
    noise_floor,
    twin_check,
)
from wirelab.study import FACTORS, NO_PROXY, Cell, Study, family, twins

LEAST_MARGIN = 0.05
"""Smaller differences than this are never called a difference that matters."""


def measure_noise(study: Study, cells: Sequence[Cell], values: RunValues) -> Noise:
    """Take the noise floor of every twin, and set the margin by them, unless the study sets it.

    One margin holds for the whole study, so that "practically the same" means one thing in it: at
    least the laboratory's least, twice the usual noise floor, and the largest one. Twins with too
    few blocks for a verdict say nothing about the noise.
    """
    floors = tuple(
        (cell, noise_floor(*values.paired(study.metric, twin, cell))) for twin, cell in twins(cells)
    )
    known = sorted(
        (
            floor
            for _, floor in floors
            if floor.blocks >= MINIMUM_BLOCKS and floor.half_width_ratio is not None
        ),
        key=lambda floor: floor.half_width_ratio or 0.0,
    )
    check = twin_check([floor.p_value for floor in known])
    largest = known[-1].half_width_ratio if known else None
    if study.margin is not None:
        return Noise(floors, largest, check, study.margin, "set by the study")
    if largest is None:
        return Noise(
            floors, None, check, LEAST_MARGIN, "the least there is, since the noise is not known"
        )
    usual = margin_from(known[(len(known) - 1) // 2], LEAST_MARGIN)
    source = "twice the usual noise floor" if usual > LEAST_MARGIN else "the least there is"
    if largest > usual:
        source = "the largest noise floor"
    return Noise(floors, largest, check, max(usual, largest), source)


@dataclass(frozen=True, slots=True)
class Judge:
    """Compares any two cells; pairs of the study's family get a verdict, others an estimate."""

    study: Study
    values: RunValues
    labels: Mapping[str, str]
    noise: Noise
    p_holm: Mapping[frozenset[Cell], float]

    @classmethod
    def of(
        cls,
        study: Study,
        cells: Sequence[Cell],
        values: RunValues,
        labels: Mapping[str, str],
        noise: Noise,
    ) -> "Judge":
        """Correct the p values of the whole family at once."""
        pairs = family(study, cells)
        compared = [
            compare(*values.paired(study.metric, p.a, p.b), margin_ratio=noise.margin_ratio)
            for p in pairs
        ]
        adjusted = holm([comparison.p_value for comparison in compared]).tolist()
        p_holm = {frozenset((p.a, p.b)): value for p, value in zip(pairs, adjusted, strict=True)}
        return cls(study, values, labels, noise, p_holm)

    def adjusted_p(self, metric: str, a: Cell, b: Cell) -> float | None:
        """Return the corrected p value of a pair; None outside the family."""
        return self.p_holm.get(frozenset((a, b))) if metric == self.study.metric else None

    def judge(self, a: Cell, b: Cell) -> Judged:
        """Compare A with B in the primary metric."""
        costs = self.values.paired(self.study.metric, a, b)
        comparison = compare(*costs, margin_ratio=self.noise.margin_ratio)
        p_holm = self.p_holm.get(frozenset((a, b)))
        a_label, b_label = differing_labels(a, b, self.labels)
        judged = Judged(
            a=a,
            b=b,
            a_label=a_label,
            b_label=b_label,
            comparison=comparison,
            p_holm=p_holm,
            verdict=None if p_holm is None else decide(comparison, p_holm=p_holm),
            cpu_ratio=self._ratio("contender_cpu_us_per_transaction", a, b),
            bytes_ratio=self._ratio("wire_marginal_bytes", a, b),
            line="",
        )
        return replace(judged, line=self._line(judged))

    def floor_of(self, a: Cell, b: Cell) -> NoiseFloor | None:
        """Return the noise floor that a comparison stands on: the larger of both settings'."""
        floors = [
            floor
            for cell, floor in self.noise.floors
            if any(same_setting(cell, side) for side in (a, b))
        ]
        return max(floors, key=lambda floor: floor.half_width_ratio or 0.0, default=None)

    def _ratio(self, metric: str, a: Cell, b: Cell) -> float | None:
        over, under = (list(self.values.values(metric, cell).values()) for cell in (a, b))
        if not over or not under or min(*over, *under) <= 0:
            return None
        return math.exp(float(np.mean(np.log(over)) - np.mean(np.log(under))))

    def _line(self, judged: Judged) -> str:
        """Say everything about a comparison in one line."""
        a, b, comparison = judged.a, judged.b, judged.comparison
        shared = [
            a.spoken(f)
            for f in FACTORS
            if f != "contender" and a.level(f) == b.level(f) != NO_PROXY
        ]
        floor = self.floor_of(a, b)
        blocks = words.plural(comparison.blocks, "block")
        parts = [
            f"{judged.a_label} vs {judged.b_label}",
            *([self.labels[a.contender]] if a.contender == b.contender else []),
            *shared,
            f"{self.study.primary.title}: {words.times(comparison.ratio)}"
            f" {words.between(comparison.interval95)}".rstrip(),
            blocks if judged.p_holm is None else f"{blocks}, Holm {words.p_value(judged.p_holm)}",
        ]
        if floor is not None and floor.half_width_ratio is not None:
            parts.append(f"noise floor ±{words.percent(floor.half_width_ratio)}")
        parts.append(f"margin ±{words.percent(self.noise.margin_ratio)}")
        parts.append("no verdict asked" if judged.verdict is None else judged.verdict.words)
        for name, ratio in (("CPU", judged.cpu_ratio), ("bytes", judged.bytes_ratio)):
            if ratio is not None:
                parts.append(f"{name} {words.times(ratio)}")
        return " · ".join(parts)


def differing_labels(a: Cell, b: Cell, labels: Mapping[str, str]) -> tuple[str, str]:
    """Name both cells by what tells them apart: contenders by their labels, else the levels."""
    differing = [factor for factor in FACTORS if a.level(factor) != b.level(factor)]
    names = [
        " ".join(labels[cell.contender] if f == "contender" else cell.spoken(f) for f in differing)
        for cell in (a, b)
    ]
    return names[0], names[1]


def same_setting(a: Cell, b: Cell) -> bool:
    """Tell whether two cells differ in their contender at most."""
    return all(a.level(f) == b.level(f) for f in FACTORS if f != "contender")
