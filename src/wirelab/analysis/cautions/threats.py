"""Threats to validity that can be detected automatically."""

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from wirelab.analysis.answers.invalid_runs import (
    Reason,
    are_wrong,
    each_kind,
    failing,
    names_obstacle,
    stopped_answering,
)
from wirelab.analysis.answers.refusals import REFUSED, is_difference
from wirelab.analysis.cautions.disturbance import is_strong
from wirelab.analysis.cautions.fairness import Fairness
from wirelab.analysis.cautions.scatter import scatter_cautions
from wirelab.analysis.cautions.turns import turn_cautions
from wirelab.analysis.cautions.twins import twin_cautions
from wirelab.analysis.model import (
    SHOWN_PERCENTILES,
    Caution,
    CellSummary,
    Disturbance,
    Judged,
    Noise,
    StoreShare,
    Validity,
    WireCost,
)
from wirelab.analysis.values import RunValues
from wirelab.bundle import Finding
from wirelab.statistics import LIMITS, MINIMUM_BLOCKS, Reporting, rank_correlation
from wirelab.study import Cell
from wirelab.terminal import words

SHARED = (
    "Contenders took turns, so this affected all of them alike: it makes intervals wider and"
    " absolute times longer, and favours no contender"
)
ALONE = "This makes intervals wider, and may have made the server slower"
NOT_SHARED = (
    "Runs were measured one after the other, so this affected them unequally: it makes intervals"
    " wider, and a single block may favour any contender"
)
RESTART = ". What to do: look at the server's log, restart it, and measure again"
CORRECT = (
    ". What to do: find out why these answers differ from the verified ones, such as state that"
    " requests share or data that changed, and measure again"
)
MORE_BLOCKS = ". What to do: measure more blocks, each of which tries other rates"
DRIFT_P = 0.01
STORE_DOMINATES = 0.5


def find_cautions(
    values: RunValues,
    summaries: Mapping[Cell, CellSummary],
    titles: Mapping[Cell, str],
    *,
    validity: Validity,
    reasons: Sequence[Reason],
    noise: Noise,
    pairs: Sequence[Judged],
    wire: Sequence[WireCost],
    shares: Sequence[StoreShare],
    findings: Sequence[Finding],
    differing: Sequence[str],
    notes: Sequence[str],
    disturbance: Disturbance,
    fairness: Sequence[Fairness],
    running: Collection[str],
    baseline: str,
    by_mean: bool,
    has_budget: bool,
    compares: bool,
) -> tuple[Caution, ...]:
    """List all cautions, the serious ones first.

    `titles` name the settings of cells; `differing` are sentences about the findings that contain
    two different answers; `running` are the contenders that wirelab did not start.
    `notes` explain why not all contenders of a block ran at the same time. `has_budget`: the remedy
    for too few blocks is `--budget`.
    """
    to_repair = failing(validity.faulty)
    more = "measure longer with --budget" if has_budget else "measure more blocks"
    found = [
        *_verification(findings, differing),
        *_runs(validity, reasons, summaries),
        *(_blocks(summaries, to_repair) if compares else ()),
        *_apart(notes),
        *(twin_cautions(noise, titles, baseline) if compares else ()),
        *_machine(values.runs),
        *_disturbed(disturbance, compares=compares),
        *turn_cautions(pairs, titles, fairness, summaries, by_mean=by_mean),
        *_drift(values, compares=compares),
        *scatter_cautions(summaries, titles, running, more="" if to_repair else more),
        *_percentiles(summaries),
        *_disagreements(pairs, titles),
        *_store(shares, titles),
        *_wire(wire),
    ]
    return tuple(sorted(found, key=lambda caution: caution.severity != "serious"))


def _verification(findings: Sequence[Finding], differing: Sequence[str]) -> Iterator[Caution]:
    for title, severity in ((REFUSED, "error"), ("Verification reported warnings", "warning")):
        by_reason: dict[str, list[str]] = {}
        for each in findings:
            if each.severity == severity and not each.symptom and not is_difference(each):
                by_reason.setdefault(each.reason, []).append(each.where)
        kinds = [
            ": ".join(filter(None, (words.listed(filter(None, where)), reason)))
            for reason, where in by_reason.items()
        ]
        if severity == "error" and (kinds or differing):
            shown = [*differing, *([words.first_few(kinds)] if kinds else ())]
            yield Caution("serious", title, "; ".join(shown))
        elif kinds:
            yield Caution("minor", title, words.first_few(kinds))


def _runs(
    validity: Validity, reasons: Sequence[Reason], measured: Mapping[Cell, CellSummary]
) -> Iterator[Caution]:
    """Report runs that are missing or do not count; serious if a cell has no other."""
    if validity.missing:
        yield Caution(
            "serious",
            "The study is not complete",
            f"{words.plural(validity.missing, 'planned run')} of {validity.planned} not run;"
            " `wirelab run --resume` continues with them",
        )
    if validity.faulty:
        many = len(validity.faulty) > 0.1 * validity.planned
        lost = any(fault.run.cell not in measured for fault in validity.faulty)
        yield Caution(
            "serious" if many or lost else "minor",
            f"{words.plural(len(validity.faulty), 'run does', 'runs do')} not count",
            ("; ".join(reason.sentence for reason in reasons) or "no reason was recorded")
            + _remedy(validity, measured),
        )


def _remedy(validity: Validity, measured: Mapping[Cell, CellSummary]) -> str:
    """Return what to do about runs that do not count; "" if their reasons contain it."""
    if stopped_answering(validity.faulty):
        return RESTART
    if wrong := [fault.reasons for fault in validity.faulty if are_wrong(fault.reasons)]:
        return "" if all(map(names_obstacle, wrong)) else CORRECT
    others = (measured.get(fault.run.cell) for fault in validity.faulty)
    return MORE_BLOCKS if any(it and it.sustained for it in others) else ""


def _apart(notes: Sequence[str]) -> Iterator[Caution]:
    if notes:
        yield Caution(
            "minor",
            f"Contenders did not all run at the same time in {words.plural(len(notes), 'block')}",
            "; ".join(each_kind(notes)),
        )


def _blocks(summaries: Mapping[Cell, CellSummary], to_repair: Collection[str]) -> Iterator[Caution]:
    """Find cells with too few blocks; of contenders `to_repair`, another caution has the remedy."""
    few = {cell: s for cell, s in summaries.items() if s.runs < MINIMUM_BLOCKS}
    if few:
        least = min(summary.runs for summary in few.values())
        helps = any(cell.contender not in to_repair for cell in few)
        remedy = f". What to do: measure at least {MINIMUM_BLOCKS} blocks" if helps else ""
        yield Caution(
            "serious",
            "Too few blocks for a verdict",
            f"{len(few)} of {words.plural(len(summaries), 'cell')} have fewer than"
            f" {MINIMUM_BLOCKS} valid runs (the fewest: {least}); their comparisons end in"
            f" “cannot tell”{remedy}",
        )


def _machine(runs: Mapping[Cell, pd.DataFrame]) -> Iterator[Caution]:
    """Find valid runs in which the load generator was short of resources."""
    everything = pd.concat(runs.values()) if runs else pd.DataFrame()
    if everything.empty:
        return
    yield from _too_high(
        everything,
        "engine_busy_share",
        (LIMITS.generator_busy_share, LIMITS.generator_busy_share),
        "The load generator was busy",
        "of its CPU",
    )
    lag_limit = np.maximum(LIMITS.lag_us, LIMITS.lag_share_of_p50 * everything["latency_p50_us"])
    # Closed load has no schedule: Little's closure covers delays between an answer and the next
    # request.
    open_load = everything["offered_rate_per_s"].notna()
    late = everything[open_load & (everything["lag_p99_us"] > lag_limit)]
    if not late.empty:
        yield Caution(
            "minor",
            "The load generator lagged behind its schedule",
            f"{words.plural(len(late), 'run')}; the 99th percentile of the lag reached"
            f" {words.duration(float(late['lag_p99_us'].max()))}",
        )
    lost = everything[(everything["little_closure"] - 1.0).abs() > LIMITS.little_gap_share]
    if not lost.empty:
        yield Caution(
            "serious",
            "Little's law does not close",
            f"in {words.plural(len(lost), 'run')} clients, throughput and response time disagree"
            f" by more than {words.percent(LIMITS.little_gap_share)}: requests were lost, or the"
            " client was saturated",
        )
    failed = everything[everything["failed"] > 0]
    if not failed.empty:
        yield Caution(
            "minor",
            "Transactions failed in runs that count",
            f"{int(failed['failed'].sum())} in {words.plural(len(failed), 'run')}",
        )


def _disturbed(disturbance: Disturbance, *, compares: bool) -> Iterator[Caution]:
    """Report that the machine was busy with other work; the intervals already reflect it."""
    effect = ALONE
    if compares:
        effect = SHARED if disturbance.in_turns else NOT_SHARED
    if is_strong(disturbance):
        yield Caution(
            "minor",
            "The machine was disturbed",
            f"{disturbance.without_runs} {effect}",
        )


def _too_high(
    runs: pd.DataFrame, column: str, limits: tuple[float, float], title: str, of_what: str
) -> Iterator[Caution]:
    """Find runs above the first limit; serious if over a tenth, or if one is above the second."""
    limit, grave = limits
    high = runs[runs[column] > limit]
    if not high.empty:
        serious = len(high) > 0.1 * len(runs) or float(high[column].max()) > grave
        yield Caution(
            "serious" if serious else "minor",
            title,
            f"{words.plural(len(high), 'run')} of {len(runs)} above {words.percent(limit)}"
            f" {of_what}; the highest {words.percent(float(high[column].max()))}",
        )


def _drift(values: RunValues, *, compares: bool) -> Iterator[Caution]:
    """Correlate the log of the time with the block number, after removing each cell's mean."""
    blocks: list[int] = []
    departures: list[float] = []
    for cell in values.runs:
        times = values.values("latency_mean_us", cell)
        logs = np.log(list(times.values()))
        departures.extend((logs - logs.mean()).tolist())
        blocks.extend(times)
    if len(set(blocks)) < MINIMUM_BLOCKS:
        return
    by_block = pd.Series(departures).groupby(pd.Series(blocks)).mean()
    correlation = rank_correlation(by_block.index, by_block)
    if correlation.p_value < DRIFT_P:
        change = float(by_block.iloc[-1] - by_block.iloc[0])
        paired = (
            "; pairing within blocks removes this from every comparison, but not from absolute"
            " times"
            if compares
            else ""
        )
        yield Caution(
            "minor",
            "The machine drifted over the session",
            f"response times changed by about {words.percent(np.expm1(change))} from the first"
            f" block to the last (rank correlation {correlation.coefficient:.2f}){paired}",
        )


def _percentiles(summaries: Mapping[Cell, CellSummary]) -> Iterator[Caution]:
    few = [
        (summary, each)
        for cell, summary in summaries.items()
        if not cell.twin  # which has no figures in a table
        for each in summary.percentiles
        if each.name in SHOWN_PERCENTILES and each.reporting is not Reporting.PRINTED
    ]
    if few:
        requests = min(summary.requests for summary, _ in few)
        names = sorted({each.name for _, each in few})
        yield Caution(
            "minor",
            "Few samples for high percentiles",
            f"runs whose percentiles are shown have as few as {requests} requests, few for"
            f" {words.listed(names)}:"
            " these figures are marked, or left out if no interval bounds them",
        )


def _disagreements(pairs: Sequence[Judged], titles: Mapping[Cell, str]) -> Iterator[Caution]:
    odd = [pair for pair in pairs if pair.comparison.methods_disagree]
    if odd:
        names = words.first_few([f"{p.a_label} vs {p.b_label} at “{titles[p.a]}”" for p in odd])
        yield Caution(
            "minor",
            "Two methods disagree",
            f"t interval and rank interval disagree on {names}: check the individual blocks",
        )


def _store(shares: Sequence[StoreShare], titles: Mapping[Cell, str]) -> Iterator[Caution]:
    high = [s for s in shares if s.store_cpu_share and s.store_cpu_share > STORE_DOMINATES]
    if high:
        names = words.first_few([f"{s.label} at “{titles[s.cell]}”" for s in high])
        yield Caution(
            "minor",
            "The store dominates response times",
            f"its CPU time alone is more than half of the response of {names}:"
            " differences between protocols are diluted",
        )


def _wire(wire: Sequence[WireCost]) -> Iterator[Caution]:
    warned = {w: cost for cost in wire for w in cost.fit.warnings}
    if warned:
        warning, cost = next(iter(warned.items()))
        yield Caution(
            "minor",
            "Bytes do not fit a straight line everywhere",
            f"{cost.label} at {cost.workload}: {warning}"
            + (f" (and {len(warned) - 1} more)" if len(warned) > 1 else ""),
        )
