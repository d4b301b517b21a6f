"""From the trials of blocks to capacities, their intervals, and who sustains more."""

import math
from dataclasses import dataclass
from statistics import median

from wirelab import words
from wirelab.capacity.record import CapacityRecord, OverloadRecord
from wirelab.statistics import Comparison, Interval, Outcome, compare, decide, holm, mean_estimate

WORDS = {
    Outcome.FASTER: "sustains more",
    Outcome.SLOWER: "sustains less",
    Outcome.SAME: "practically the same",
    Outcome.CANNOT_TELL: "cannot tell",
}
"""A capacity is compared as the time that a request takes of the server: one over the rate."""


@dataclass(frozen=True, slots=True)
class Sustained:
    """What a contender sustains, over all blocks."""

    contender: str
    rate: float | None
    """The geometric mean of its blocks' capacities; None where no block shows one."""
    interval: Interval | None
    """At 95 %."""
    blocks: int
    overload: tuple["Overloaded", ...]


@dataclass(frozen=True, slots=True)
class Overloaded:
    """What becomes of a contender that is asked for more: medians over the blocks."""

    times: float
    good_share: float
    """Answers in time, a second, over what the contender sustains."""
    failed: tuple[str, ...]
    """The classes of the failures, the most frequent first."""
    failed_share: float
    never_sent_share: float
    recovery_s: float | None
    """None where it did not recover in more than half of the blocks."""


@dataclass(frozen=True, slots=True)
class Against:
    """A contender's capacity over that of the baseline."""

    contender: str
    comparison: Comparison
    ratio: float
    interval: Interval | None
    words: str
    reason: str


@dataclass(frozen=True, slots=True)
class Capacities:
    """All that a measurement of capacities shows."""

    sustained: tuple[Sustained, ...]
    against: tuple[Against, ...]
    cautions: tuple[str, ...]


def judge(record: CapacityRecord) -> Capacities:
    """Judge a measurement: the contenders' capacities, and each against the baseline's.

    The blocks are the unit of replication. Holm's correction is over all pairs with the baseline.
    """
    baseline, *others = record.contenders
    comparisons = [_compare(record, baseline, name) for name in others]
    adjusted = holm([it.p_value for it in comparisons])
    against = []
    for name, comparison, p_holm in zip(others, comparisons, adjusted, strict=True):
        verdict = decide(comparison, p_holm=float(p_holm))
        interval = comparison.interval95
        against.append(
            Against(
                contender=name,
                comparison=comparison,
                ratio=1 / comparison.ratio,
                interval=interval and Interval(1 / interval.high, 1 / interval.low),
                words=WORDS[verdict.outcome],
                reason=verdict.reason,
            )
        )
    sustained = tuple(_sustained(record, name) for name in record.contenders)
    return Capacities(sustained, tuple(against), tuple(_cautions(record)))


def _compare(record: CapacityRecord, baseline: str, contender: str) -> Comparison:
    first, other = record.log_capacities(baseline), record.log_capacities(contender)
    costs = [one - two for one, two in zip(first, other, strict=True)]
    return compare(costs, margin_ratio=record.margin)


def _sustained(record: CapacityRecord, contender: str) -> Sustained:
    known = [it for it in record.log_capacities(contender) if math.isfinite(it)]
    estimate = mean_estimate(known)
    interval = estimate.interval(0.95)
    rate = math.exp(estimate.value) if known else None
    times = sorted({it.times for block in record.blocks for it in block.overload})
    found = [_overloaded(record, contender, each) for each in times]
    return Sustained(
        contender=contender,
        rate=rate,
        interval=interval and Interval(math.exp(interval.low), math.exp(interval.high)),
        blocks=len(known),
        overload=tuple(it for it in found if it is not None),
    )


def _overloaded(record: CapacityRecord, contender: str, times: float) -> Overloaded | None:
    rows = [
        it
        for block in record.blocks
        for it in block.overload
        if (it.contender, it.times) == (contender, times)
    ]
    if not rows:
        return None
    errors: dict[str, int] = {}
    for row in rows:
        for name, count in row.trial.errors.items():
            errors[name] = errors.get(name, 0) + count
    recovered = [row.recovery_s for row in rows if row.recovery_s is not None]
    return Overloaded(
        times=times,
        good_share=median(row.good_per_s * times / row.trial.rate_per_s for row in rows),
        failed=tuple(sorted(errors, key=errors.__getitem__, reverse=True)),
        failed_share=median(_failed_share(row) for row in rows),
        never_sent_share=median(row.never_sent_share for row in rows),
        recovery_s=median(recovered) if 2 * len(recovered) > len(rows) else None,
    )


def _failed_share(row: OverloadRecord) -> float:
    return row.trial.failed / max(1, row.trial.judged.due)


def _cautions(record: CapacityRecord) -> list[str]:
    cautions = []
    standing = [name for name in record.contenders if name not in record.restarted]
    if standing:
        cautions.append(
            f"{words.listed(standing)} {'were' if len(standing) > 1 else 'was'} not restarted: the"
            " intervals hold for this start, and another start may differ by more"
        )
    for block in record.blocks:
        for name, why in block.reasons.items():
            cautions.append(f"block {block.number}: {name} was not measured: {why}")
        for name, rate in block.capacities.items():
            if rate is None:
                cautions.append(
                    f"block {block.number}: the trials of {name} do not reach both sides of its"
                    " capacity, so the block has no value for it"
                )
    for name, search in record.searches.items():
        cautions += [f"{name}: {warning}" for warning in search.warnings]
    return cautions
