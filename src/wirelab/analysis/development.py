"""How ratios and verdicts developed over several bundles of one study.

Bundles share no blocks, so nothing is tested between them: each ratio and verdict is that of its
own bundle. A cell has moved where its 95 % intervals exclude each other, or its verdict changed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wirelab import words
from wirelab.analysis.matrix import matrix_of
from wirelab.analysis.model import Judged, Row
from wirelab.analysis.whole import Analysis
from wirelab.bundle import ContenderRecord
from wirelab.problems import Problem, ProblemsError
from wirelab.statistics import Outcome


@dataclass(frozen=True, slots=True)
class Edition:
    """One bundle, and what makes it comparable with the others."""

    id: str
    design: str
    created_utc: str
    blocks: int
    largest_resolution: float | None
    """As a share; None where it is not known."""
    machine: str


@dataclass(frozen=True, slots=True)
class Step:
    """A cell in one bundle: its time in µs, and the comparison with the baseline if there is."""

    latency_us: float
    judged: Judged | None


@dataclass(frozen=True, slots=True)
class Course:
    """A contender in a setting over all bundles; None where a bundle does not hold it."""

    setting: str
    contender: str
    label: str
    is_baseline: bool
    steps: tuple[Step | None, ...]

    @property
    def change(self) -> str:
        """Say what changed between the first and the last bundle that hold the cell, if anything.

        "verdict" outranks "ratio": a decided verdict that became another, or intervals that exclude
        each other.
        """
        known = [step.judged for step in self.steps if step is not None and step.judged is not None]
        if len(known) < 2:
            return ""
        first, last = known[0], known[-1]
        outcomes = [each.verdict.outcome for each in (first, last) if each.verdict is not None]
        decided = [outcome for outcome in outcomes if outcome is not Outcome.CANNOT_TELL]
        if len(decided) == 2 and decided[0] is not decided[1]:
            return "verdict changed"
        before, after = first.comparison.interval95, last.comparison.interval95
        if before and after and (before.high < after.low or after.high < before.low):
            return "ratio moved"
        if len(outcomes) == 2 and len(decided) == 1:
            return "now decided" if outcomes[0] is Outcome.CANNOT_TELL else "no longer decided"
        return ""


@dataclass(frozen=True, slots=True)
class Development:
    """Several bundles of one study in the order of time, and the course of every cell."""

    study: str
    title: str
    metric: str
    baseline_label: str
    margin_ratio: float
    editions: tuple[Edition, ...]
    courses: tuple[Course, ...]
    notes: tuple[str, ...]
    """What differs between the bundles besides what they measured."""

    @property
    def sentence(self) -> str:
        """Count what changed."""
        changes = [course.change for course in self.courses if not course.is_baseline]
        counted = {each: changes.count(each) for each in dict.fromkeys(filter(None, changes))}
        if not counted:
            return f"No verdict changed and no ratio moved, in {len(changes)} comparisons."
        parts = ", ".join(f"{what} in {count}" for what, count in counted.items())
        return f"Of {len(changes)} comparisons: {parts}."


def development(analyses: Sequence[Analysis]) -> Development:
    """Set bundles side by side, the oldest first.

    Raises `ProblemsError` where they are not of one study.
    """
    ordered = sorted(analyses, key=lambda analysis: analysis.info.created_utc)
    study = ordered[-1].study
    problems = [
        Problem(each.info.id, "study", each.study.id, f"a bundle of {study.id}, as the newest is")
        for each in ordered
        if each.study.id != study.id
    ]
    if problems:
        raise ProblemsError(problems)
    return Development(
        study=study.id,
        title=study.title,
        metric=study.primary.title,
        baseline_label=ordered[-1].labels.get(study.baseline, study.baseline),
        margin_ratio=study.margin,
        editions=tuple(_edition(analysis) for analysis in ordered),
        courses=tuple(_courses(ordered)),
        notes=tuple(_notes(ordered)),
    )


def _edition(analysis: Analysis) -> Edition:
    return Edition(
        id=analysis.info.id,
        design=analysis.info.design,
        created_utc=analysis.info.created_utc,
        blocks=max((block.number for block in analysis.schedule.blocks), default=0),
        largest_resolution=analysis.noise.largest,
        machine=_machine(analysis.host),
    )


def _courses(analyses: Sequence[Analysis]) -> list[Course]:
    """Follow every cell that any bundle holds, in the order of the newest one."""
    found: list[dict[tuple[str, str], Row]] = []
    titles: dict[str, str] = {}
    names: dict[str, str] = {}
    for analysis in analyses:
        rows: dict[tuple[str, str], Row] = {}
        for setting in analysis.settings:
            if setting.judged:
                for row in setting.rows:
                    rows[setting.key, row.summary.cell.contender] = row
        found.append(rows)
    for analysis in reversed(analyses):
        for line in matrix_of(analysis).judged:
            titles.setdefault(line.setting.key, line.setting.title)
            for cell in line.cells:
                names.setdefault(cell.column.contender, cell.column.label)
    baseline = analyses[-1].study.baseline
    return [
        Course(
            setting=title,
            contender=name,
            label=label,
            is_baseline=name == baseline,
            steps=tuple(_step(rows.get((key, name))) for rows in found),
        )
        for key, title in titles.items()
        for name, label in names.items()
        if any((key, name) in rows for rows in found)
    ]


def _step(row: Row | None) -> Step | None:
    return None if row is None else Step(row.summary.latency_us.value, row.against_baseline)


def _notes(analyses: Sequence[Analysis]) -> list[str]:
    """Say what a reader must know before blaming the contenders for a change."""
    notes = []
    for what, levels in (
        ("machines", [_machine(each.host) for each in analyses]),
        ("designs", [each.info.design for each in analyses]),
        ("margins", [f"±{100 * each.study.margin:g} %" for each in analyses]),
        ("versions of wirelab", [each.info.wirelab_version for each in analyses]),
    ):
        different = list(dict.fromkeys(levels))
        if len(different) > 1:
            notes.append(f"Different {what}: {', then '.join(different)}.")
    changed = [
        analyses[-1].labels[name]
        for name in analyses[-1].contenders
        if _has_changed([each.contenders[name] for each in analyses if name in each.contenders])
    ]
    if changed:
        notes.append(f"Versions changed: {words.listed(changed)}.")
    return notes


def _has_changed(records: Sequence[ContenderRecord]) -> bool:
    return any(record.versions != records[0].versions for record in records)


def _machine(host: Mapping[str, Any]) -> str:
    """Name the processor and how many CPUs there were."""
    cpu = host.get("cpu", "")
    if isinstance(cpu, Mapping):
        return f"{cpu.get('model', 'unknown')}, {cpu.get('logical', '?')} CPUs"
    return str(cpu)
