"""A session of a history: an anchor and some commits take turns, and each commit becomes a line."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from wirelab.analysis.values import RunValues
from wirelab.bundle import Bundle
from wirelab.compare.budget import START_S, spend
from wirelab.compare.world import LONGEST_REHEARSAL_S
from wirelab.experiment.events import Note
from wirelab.lab.host import read_host
from wirelab.statistics import geometric_mean
from wirelab.study import Cell, load_study
from wirelab.terminal import words
from wirelab.versions.ledger import LedgerLine
from wirelab.versions.lineage import Lineage
from wirelab.versions.measuring import VersionLab, name_of, pairs_of, why_missing

TYPICAL = "latency_typical_us"
TOGETHER = 3
"""Commits that take turns with the anchor and its twin."""


def measure_session(
    lab: VersionLab, folder: Path, anchor: str, commits: Sequence[str]
) -> list[LedgerLine]:
    """Measure commits and the anchor's twin against the anchor, as long as the budget lasts."""
    found = lab.offers(anchor)
    folder.parent.mkdir(parents=True, exist_ok=True)
    seconds = lab.request.seconds * len(commits)
    spending = spend(
        seconds,
        len(found.offers),
        len(commits) + 2,
        request_s=found.request_s,
        start_s=START_S,
        rehearsal_s=LONGEST_REHEARSAL_S,
        interval_s=lab.request.terms.interval_s(found.request_s),
    )
    measured = replace(found, offers=found.offers[: spending.operations])
    bundle = lab.measure(
        folder, [anchor, *commits], measured, spending, lambda _: False, all_pairs=False
    )
    for name, why in why_missing(bundle).items():
        title = lab.lineage.commit(
            next(it for it in (anchor, *commits) if name_of(it) == name)
        ).title
        lab.observer.on(Note(f"skipped: {title}: {why}"))
    return list(_lines(lab.lineage, bundle, anchor, commits))


def _lines(
    lineage: Lineage, bundle: Bundle, anchor: str, commits: Sequence[str]
) -> Iterator[LedgerLine]:
    """Yield a line for each commit and operation, and for the anchor's twin."""
    study = load_study(bundle.study_folder).in_design(bundle.schedule.design)
    values, machine = RunValues.from_bundle(bundle, study), _machine()
    measured_utc = datetime.now(UTC).isoformat(timespec="seconds")
    by_name = {name_of(commit): commit for commit in (anchor, *commits)}
    for pair in pairs_of(bundle):
        comparison, commit = pair.comparison, lineage.commit(by_name[pair.a.contender])
        if by_name[pair.b.contender] != anchor or not comparison.blocks:
            continue
        yield LedgerLine(
            commit=commit.id,
            subject=commit.subject,
            committed=commit.committed,
            anchor=anchor,
            operation=study.workloads[pair.a.workload].title,
            ratio=comparison.ratio,
            interval=comparison.interval95,
            log_ratios=comparison.log_ratios,
            time_us=_typical_us(values, pair.a),
            anchor_time_us=_typical_us(values, pair.b),
            measured_utc=measured_utc,
            machine=machine,
            wirelab=version("wirelab"),
        )


def _typical_us(values: RunValues, cell: Cell) -> float | None:
    """Return the typical time of a cell over its blocks."""
    by_block = [*values.values(TYPICAL, cell).values()]
    return geometric_mean(by_block).value if by_block else None


def _machine() -> str:
    """Name this machine by what its speed depends on."""
    cpu = read_host().cpu
    return f"{cpu.model}, {words.plural(cpu.logical, 'CPU')}"
