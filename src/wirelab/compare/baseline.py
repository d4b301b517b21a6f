"""`--baseline`: compare a bundle with an earlier one, unpaired, and state what that costs."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from wirelab.analysis.cautions.disturbance import is_strong
from wirelab.analysis.disturbance import summarise_disturbance
from wirelab.analysis.values import RunValues
from wirelab.bundle import Bundle
from wirelab.inputs.problems import Problem, ProblemsError
from wirelab.lab.host import Host, other_machine
from wirelab.statistics import (
    FIRST_LOOK,
    Interval,
    Outcome,
    Summary,
    compare,
    difference_of_means,
)
from wirelab.study import Cell, Study, load_study
from wirelab.terminal import words

SERVER_CPU = "contender_cpu_us_per_transaction"
"""The metric that is missing if the process of a server is not known."""


@dataclass(frozen=True, slots=True)
class AgainstBaseline:
    """One workload in both bundles: the ratio of times, new over earlier."""

    workload: str
    ratio: float
    interval95: Interval | None
    outcome: Outcome
    sentence: str


def check_baseline(earlier: Path, study: Study, cells: Iterable[Cell], host: Host) -> None:
    """Check that an earlier bundle is from this machine, and contains a workload to be measured.

    Raises `ProblemsError` otherwise.
    """
    old = Bundle.open(earlier)
    before = load_study(old.study_folder)
    if changed := list(other_machine(host.model_dump(mode="json"), old.host)):
        expected = f"a bundle from this machine; it differs in {', '.join(changed)}"
        raise ProblemsError([Problem("--baseline", "", str(earlier), expected)])
    measured = RunValues.from_bundle(old, before).runs
    if not any(same_work(cell, study, measured, before) for cell in cells):
        operations = ", ".join(workload.title for workload in study.workloads.values())
        expected = f"a bundle with the same load, and one of the operations {operations}"
        raise ProblemsError([Problem("--baseline", "", str(earlier), expected)])


def against_baseline(bundle: Bundle, earlier: Path, study: Study) -> list[AgainstBaseline]:
    """Compare the first contender of a bundle with that of an earlier one, workload by workload."""
    old = Bundle.open(earlier)
    before = load_study(old.study_folder)
    now_values = RunValues.from_bundle(bundle, study)
    then_values = RunValues.from_bundle(old, before)
    disturbed = [
        *_disturbed("the earlier bundle", old, then_values),
        *_disturbed("this bundle", bundle, now_values),
    ]
    comparisons = []
    for cell in now_values.runs:
        if cell.twin or cell.contender != study.baseline:
            continue
        then = same_work(cell, study, then_values.runs, before)
        if then is not None:
            comparisons.append(
                judge(study, cell, now_values, then_values, then, disturbed=disturbed)
            )
    return comparisons


def same_work(now: Cell, study: Study, earlier: Iterable[Cell], before: Study) -> Cell | None:
    """Return the earlier cell with the same workload and load, if there is one.

    Prefers the same contender; otherwise the earlier baseline.
    """
    alike = {
        then.contender: then
        for then in earlier
        if not then.twin
        and before.workloads[then.workload].title == study.workloads[now.workload].title
        and before.loads[then.load] == study.loads[now.load]
    }
    return alike.get(now.contender) or alike.get(before.baseline)


def judge(
    study: Study,
    cell: Cell,
    now: RunValues,
    before: RunValues,
    then: Cell,
    *,
    disturbed: Sequence[str],
) -> AgainstBaseline:
    """Compare a cell with an earlier one; undecided if a session was `disturbed`.

    The interval contains what varies within the sessions, and contenders that take turns share a
    disturbance. Two sessions do not, so a strong one may be all of their difference.
    """
    metric, title = study.metric, study.workloads[cell.workload].title
    values = [
        np.log(list(found.values(metric, each).values()))
        for found, each in ((now, cell), (before, then))
    ]
    blocks = min(map(len, values))
    if blocks < FIRST_LOOK:
        which = "the earlier bundle" if len(values[1]) == blocks else "this bundle"
        sentence = (
            f"{title}: cannot tell, because {which} has only {words.plural(blocks, 'block')} of at"
            f" least {FIRST_LOOK}: measure it again with a longer --budget"
        )
        return AgainstBaseline(cell.workload, math.nan, None, Outcome.CANNOT_TELL, sentence)
    estimate = difference_of_means(*map(Summary.from_values, values))
    ratio = math.exp(estimate.value)
    interval95, interval90 = (_ratios(estimate.interval(share)) for share in (0.95, 0.90))
    margin = 1 + study.margin
    if disturbed:
        outcome = Outcome.CANNOT_TELL
    elif interval90 is not None and interval90.lies_within(1 / margin, margin):
        outcome = Outcome.SAME
    elif interval95 is not None and interval95.low > 1:
        outcome = Outcome.SLOWER
    elif interval95 is not None and interval95.high < 1:
        outcome = Outcome.FASTER
    else:
        outcome = Outcome.CANNOT_TELL
    half = interval95.high / ratio - 1 if interval95 else math.nan
    twins = [run for run in now.runs if run.twin and run.workload == cell.workload]
    paired = [
        compare(now.cost_ratios(metric, twin, cell)).half_width_ratio or math.nan for twin in twins
    ]
    would = f"; in turns, these blocks resolve ±{words.percent(paired[0])}" if paired else ""
    because = (
        f", because the machine was disturbed during {words.listed(disturbed)}, and two sessions do"
        " not share disturbances, as turns do: compare both versions in turns"
        if disturbed
        else ""
    )
    sentence = (
        f"{title}: {outcome} in comparison with the earlier bundle,"
        f" {words.estimate(ratio, interval95)}{because}. The earlier bundle was measured"
        " at another time: the difference includes any other change on this machine since then, and"
        f" the interval is that of two separate sessions (±{words.percent(half)}{would})"
    )
    return AgainstBaseline(cell.workload, ratio, interval95, outcome, sentence)


def _disturbed(which: str, bundle: Bundle, values: RunValues) -> Iterator[str]:
    """Yield the name of a bundle with its disturbance, if that was strong.

    The CPU time of a server whose process is not known counts as that of other programs.
    """
    disturbance = summarise_disturbance(bundle.current_records(), values)
    if not all(values.column(cell, SERVER_CPU) for cell in values.runs):
        disturbance = replace(disturbance, other_share=None)
    if is_strong(disturbance):
        yield f"{which} ({words.listed(disturbance.machine)})"


def _ratios(interval: Interval | None) -> Interval | None:
    return None if interval is None else Interval(math.exp(interval.low), math.exp(interval.high))
