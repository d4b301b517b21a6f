"""Compare cells: the resolution by twins, the family with Holm's correction, the verdicts."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from wirelab.analysis.cells import MEAN, THROUGHPUT, other_metric
from wirelab.analysis.model import ComparedPair, Noise
from wirelab.analysis.values import RunValues
from wirelab.analysis.wording import NOT_JUDGED, wording_of
from wirelab.planning.schedule import Schedule
from wirelab.statistics import (
    Comparison,
    Estimate,
    FamilyPValues,
    Method,
    Resolution,
    StolenEffect,
    compare,
    decide,
    family_p_values,
    mean_estimate,
    resolution,
    resolves,
    stolen_effect,
    twin_check,
)
from wirelab.study import (
    FACTORS,
    METRICS,
    NO_NETWORK,
    NO_PROXY,
    OWN_STORE,
    Cell,
    Factor,
    Study,
    family,
    twins,
)
from wirelab.terminal import words

CPU = "contender_cpu_us_per_transaction"
BYTES = "wire_marginal_bytes"


def method_of(schedule: Schedule, metric: str) -> Method:
    """Return how the comparisons of a schedule are tested.

    The number of counts, such as of bytes, is fixed whatever the blocks.
    """
    is_repeated = schedule.until_decided and not METRICS[metric].exact
    return Method.REPEATED_T if is_repeated else Method.PAIRED_T


def measure_noise(
    study: Study, cells: Sequence[Cell], values: RunValues, method: Method = Method.PAIRED_T
) -> Noise:
    """Determine what each setting resolves from its pairs, and from twins whether to trust them.

    A setting of which no question compares a pair resolves what its twin shows. Twins with too few
    blocks for a verdict are ignored. The margin is that of the study: noise widens intervals, but
    never makes a difference negligible.
    """

    def compared(a: Cell, b: Cell) -> Comparison:
        return compare(values.cost_ratios(study.metric, a, b), method=method)

    pairs = [(pair.a, pair.b, compared(pair.a, pair.b)) for pair in family(study, cells)]
    compared_pairs = []
    for twin, cell in twins(cells):
        by_twin = resolution(compared(twin, cell))
        here = (pair for *of, pair in pairs if any(same_setting(cell, each) for each in of))
        half_width_ratio = resolves(here) or by_twin.half_width_ratio
        compared_pairs.append((cell, replace(by_twin, half_width_ratio=half_width_ratio)))
    enough = [each.twin for _, each in compared_pairs if each.twin.has_enough_blocks]
    known = [
        each.half_width_ratio for _, each in compared_pairs if each.half_width_ratio is not None
    ]
    check = twin_check([twin.p_value for twin in enough])
    return Noise(tuple(compared_pairs), max(known, default=None), check, study.margin)


@dataclass(frozen=True, slots=True)
class Comparer:
    """Compares any two cells; pairs of the study's family get a verdict, others an estimate."""

    study: Study
    values: RunValues
    labels: Mapping[str, str]
    noise: Noise
    corrected: Mapping[str, Mapping[frozenset[Cell], FamilyPValues]]
    """By metric: the primary metric, the other time, the throughput. Each has its own family."""
    method_of: Callable[[str], Method] = lambda _: Method.PAIRED_T
    """How comparisons by a metric are tested."""
    to_repair: Collection[str] = ()
    """Contenders that measuring more gives no valid runs."""

    @classmethod
    def from_family(
        cls,
        study: Study,
        cells: Sequence[Cell],
        values: RunValues,
        labels: Mapping[str, str],
        noise: Noise,
        *,
        method_of: Callable[[str], Method] = lambda _: Method.PAIRED_T,
        to_repair: Collection[str] = (),
    ) -> "Comparer":
        """Correct the p values of a whole family at once."""
        pairs = family(study, cells)
        corrected = {}
        # The throughput too: under closed load, it is another view of the mean time.
        for metric in filter(None, {study.metric, other_metric(study), THROUGHPUT}):
            compared = [
                compare(
                    values.cost_ratios(metric, pair.a, pair.b),
                    margin_ratio=noise.margin_ratio,
                    method=method_of(metric),
                )
                for pair in pairs
            ]
            corrected[metric] = {
                frozenset((pair.a, pair.b)): own
                for pair, own in zip(pairs, family_p_values(compared), strict=True)
            }
        return cls(study, values, labels, noise, corrected, method_of, to_repair)

    def adjusted_p(self, metric: str, a: Cell, b: Cell) -> float | None:
        """Return the corrected p value of a pair by a metric; None outside its family."""
        corrected = self.corrected_p(metric, a, b)
        return None if corrected is None else corrected.equality

    def corrected_p(self, metric: str, a: Cell, b: Cell) -> FamilyPValues | None:
        """Return the corrected p values of a pair by a metric; None outside its family."""
        return self.corrected.get(metric, {}).get(frozenset((a, b)))

    def compare_pair(self, a: Cell, b: Cell) -> ComparedPair:
        """Compare A with B in the primary metric."""
        comparison = self._compare(self.study.metric, a, b)
        corrected = self.corrected_p(self.study.metric, a, b)
        other = other_metric(self.study)
        direction = wording_of(self.study.primary).direction
        a_label, b_label = differing_labels(a, b, self.labels)
        verdict = None
        if corrected is not None:
            verdict = decide(comparison, corrected, direction=direction)
            # A study with --budget has no option for blocks, and its cautions suggest a budget.
            if self.study.has_budget_option or not self._helps(a, b):
                verdict = replace(verdict, reason=verdict.why)
        judged = ComparedPair(
            a=a,
            b=b,
            a_label=a_label,
            b_label=b_label,
            comparison=comparison,
            p_holm=None if corrected is None else corrected.equality,
            verdict=verdict,
            other=None if other is None else self._compare(other, a, b),
            stolen=self._stolen(a, b),
            cpu=self._compare(CPU, a, b),
            bytes_ratio=self._bytes_ratio(a, b),
            elsewhere=self._elsewhere(a, b),
            line="",
        )
        return replace(judged, line=self._line(judged))

    def resolution_of(self, a: Cell, b: Cell) -> Resolution | None:
        """Return the resolution of a comparison: the coarser one of its two settings."""
        rows_of_pair = [
            each
            for cell, each in self.noise.resolutions
            if any(same_setting(cell, side) for side in (a, b))
        ]
        return max(rows_of_pair, key=lambda each: each.half_width_ratio or 0.0, default=None)

    def _helps(self, a: Cell, b: Cell) -> bool:
        """Return whether measuring more may decide a comparison."""
        return not {a.contender, b.contender} & {*self.to_repair}

    def _compare(self, metric: str, a: Cell, b: Cell) -> Comparison:
        ratios = self.values.reported_ratios(metric, a, b)
        method = self.method_of(metric)
        return compare(ratios, margin_ratio=self.noise.margin_ratio, method=method)

    def _stolen(self, a: Cell, b: Cell) -> StolenEffect | None:
        """Compare again without the most-stolen permutations; None without turns."""
        metric = self.study.metric
        if not METRICS[metric].of_slices:
            return None
        blocks = sorted(self.values.turns.get(a, {}))
        turns_together = [self.values.together(block, a, b) for block in blocks]
        sessions = [session for session in turns_together if session is not None]
        if not sessions:
            return None
        first, second = (a, b) if METRICS[metric].better == "lower" else (b, a)
        return stolen_effect(
            [session.log_ratios(metric, first, second) for session in sessions],
            [session.stolen_shares for session in sessions],
            margin_ratio=self.noise.margin_ratio,
            method=self.method_of(metric),
        )

    def _bytes_ratio(self, a: Cell, b: Cell) -> float | None:
        """Compare bytes of kept connections, which are counted by contender and workload only."""
        keeps = self.study.loads[a.load].reuse_connections
        if not keeps or not same_setting(a, b) or a.shares_bytes(b):
            return None
        over, under = (list(self.values.values(BYTES, cell).values()) for cell in (a, b))
        if not over or not under or min(*over, *under) <= 0:
            return None
        return math.exp(float(np.mean(np.log(over)) - np.mean(np.log(under))))

    def _elsewhere(self, a: Cell, b: Cell) -> Estimate | None:
        """Compare the mean times without the servers' CPU time, as shares of B's mean time."""
        load = self.study.loads[a.load]
        if load.kind != "closed" or load.clients > 1 or not same_setting(a, b):
            return None
        times, cpu = zip(
            *((self.values.column(cell, MEAN), self.values.column(cell, CPU)) for cell in (a, b)),
            strict=True,
        )
        blocks = sorted(set.intersection(*(set(own) for own in (*times, *cpu))))
        rests = [
            [own[block] - used[block] for block in blocks]
            for own, used in zip(times, cpu, strict=True)
        ]
        if len(blocks) < self.method_of(MEAN).least_blocks or min(map(min, rests)) < 0:
            return None
        return mean_estimate(
            [(x - y) / times[1][block] for x, y, block in zip(*rests, blocks, strict=True)]
        )

    def _line(self, judged: ComparedPair) -> str:
        """Describe a comparison in one line."""
        a, b, comparison = judged.a, judged.b, judged.comparison
        shared = [
            self._named(a, f)
            for f in FACTORS
            if f != "contender"
            and a.level(f) == b.level(f)
            and a.level(f) not in {NO_PROXY, NO_NETWORK, OWN_STORE}
        ]
        resolved = self.resolution_of(a, b)
        blocks = words.plural(comparison.blocks + comparison.dropped_blocks, "block")
        if comparison.dropped_blocks:
            blocks = f"{comparison.blocks} valid of {blocks}"
        parts = [
            f"{judged.a_label} vs {judged.b_label}",
            *([self.labels[a.contender]] if a.contender == b.contender else []),
            *shared,
            f"{self.study.primary.ratio_title}:"
            f" {words.estimate(comparison.ratio, comparison.interval95)}",
            blocks if judged.p_holm is None else f"{blocks}, Holm {words.p_value(judged.p_holm)}",
        ]
        if resolved is not None and resolved.half_width_ratio is not None:
            parts.append(f"detects ±{words.percent(resolved.half_width_ratio)}")
        parts.append(f"margin ±{words.percent(self.noise.margin_ratio)}")
        parts.append(NOT_JUDGED if judged.verdict is None else judged.verdict.explained)
        if judged.verdict and not comparison.has_enough_blocks:
            see = ["see “Runs that do not count”"] if comparison.dropped_blocks else []
            more = "longer with --budget" if self.study.has_budget_option else "more blocks"
            what_to_do = [*see, *([f"measure {more}"] if self._helps(a, b) else [])]
            parts[-1] = "; ".join(filter(None, [parts[-1], ", and ".join(what_to_do)]))
        for name, ratio in (("server CPU", judged.cpu_ratio), ("bytes", judged.bytes_ratio)):
            if ratio is not None:
                parts.append(f"{name} {words.times(ratio)}")
        if comparison.methods_disagree:
            values = ", ".join(words.times(math.exp(each)) for each in comparison.log_ratios)
            parts.append(f"blocks: {values}")
        return " · ".join(parts)

    def _named(self, cell: Cell, factor: Factor) -> str:
        """Return the title of a level that has one, for others the words for it."""
        if factor == "workload":
            return self.study.workloads[cell.workload].title
        if factor == "load":
            return self.study.loads[cell.load].title
        return cell.level_title(factor)


def differing_labels(a: Cell, b: Cell, labels: Mapping[str, str]) -> tuple[str, str]:
    """Name both cells by what distinguishes them: labels of contenders, otherwise levels."""
    differing = [factor for factor in FACTORS if a.level(factor) != b.level(factor)]
    names = [
        " ".join(
            labels[cell.contender] if f == "contender" else cell.level_title(f) for f in differing
        )
        for cell in (a, b)
    ]
    return names[0], names[1]


def same_setting(a: Cell, b: Cell) -> bool:
    """Return whether two cells differ at most in their contender."""
    return all(a.level(f) == b.level(f) for f in FACTORS if f != "contender")
