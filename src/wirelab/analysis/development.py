"""How ratios and verdicts developed over several bundles of one study.

Bundles share no blocks, so there are no tests between them: each ratio and verdict belongs to one
bundle. A cell has changed if its 95 % intervals exclude each other, or if its verdict changed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from wirelab.analysis.differences import RecordDifference, find_differences
from wirelab.analysis.synopsis import CellSynopsis, Synopsis, Versus
from wirelab.bundle import ContenderRecord
from wirelab.inputs.problems import Problem, ProblemsError
from wirelab.statistics import Outcome
from wirelab.terminal import words


class Agreement(StrEnum):
    """Whether the verdicts of several bundles on one comparison agree."""

    SAME = "with the same verdict"
    SOME = "decided in some bundles only"
    OPPOSED = "decided differently"
    OPEN = "decided in no bundle"


@dataclass(frozen=True, slots=True)
class Edition:
    """One bundle, and what makes it comparable with the others."""

    id: str
    design: str
    created_utc: str
    blocks: int
    largest_resolution: float | None
    """As a share; None if unknown."""
    machine: str


@dataclass(frozen=True, slots=True)
class MetricCourse:
    """The results of a contender in a setting over all bundles; None for a bundle without it."""

    setting: str
    contender: str
    label: str
    is_baseline: bool
    steps: tuple[CellSynopsis | None, ...]

    @property
    def known(self) -> list[Versus]:
        """The comparisons, of the bundles that have one."""
        return [step.versus for step in self.steps if step is not None and step.versus is not None]

    @property
    def change(self) -> str:
        """Return what changed between the first and the last bundle with the cell, if anything.

        "verdict" means that a decided verdict became another one, "ratio" that the intervals
        exclude each other; "verdict" takes precedence.
        """
        if len(self.known) < 2:
            return ""
        first, last = self.known[0], self.known[-1]
        outcomes = [each.said.outcome for each in (first, last) if each.said.outcome]
        decided = [outcome for outcome in outcomes if outcome is not Outcome.CANNOT_TELL]
        if len(decided) == 2 and decided[0] is not decided[1]:
            return "verdict changed"
        before, after = first.interval95, last.interval95
        if before and after and (before.high < after.low or after.high < before.low):
            return "ratio changed"
        if len(outcomes) == 2 and len(decided) == 1:
            return "now decided" if outcomes[0] is Outcome.CANNOT_TELL else "no longer decided"
        return ""

    @property
    def agreement(self) -> Agreement | None:
        """Return whether the verdicts agree; None if fewer than two bundles have one."""
        outcomes = [each.said.outcome for each in self.known if each.said.outcome]
        if len(outcomes) < 2:
            return None
        decided = {outcome for outcome in outcomes if outcome is not Outcome.CANNOT_TELL}
        if len(decided) > 1:
            return Agreement.OPPOSED
        if not decided:
            return Agreement.OPEN
        return Agreement.SOME if Outcome.CANNOT_TELL in outcomes else Agreement.SAME


@dataclass(frozen=True, slots=True)
class Development:
    """Several bundles of one study in chronological order, and the results of every cell."""

    study: str
    title: str
    metric: str
    baseline_label: str
    margin_ratio: float
    editions: tuple[Edition, ...]
    courses: tuple[MetricCourse, ...]
    notes: tuple[str, ...]
    """Notes to consider before attributing a change to the contenders."""
    differences: tuple[RecordDifference, ...]
    """Every fact that is not the same in all bundles, besides the measurements."""

    @property
    def sentence(self) -> str:
        """Return a sentence that counts the changes."""
        repeated = [course for course in self.courses if len(course.known) > 1]
        if not repeated:
            return "No two of these bundles contain the same comparison."
        changes = [course.change for course in repeated]
        counted = {each: changes.count(each) for each in dict.fromkeys(filter(None, changes))}
        of = words.plural(len(changes), "comparison")
        if not counted:
            return f"No verdict and no ratio changed, in {of}."
        parts = ", ".join(f"{what} in {count}" for what, count in counted.items())
        return f"Of {of}: {parts}."

    @property
    def moments(self) -> tuple[str, ...]:
        """When each bundle was created: the date, and the time if others are of the same date."""
        created = [each.created_utc.removesuffix("Z").replace("T", " ") for each in self.editions]
        lengths = (len("2026-11-20"), len("2026-11-20 09:00"))
        for length in lengths:
            moments = tuple(moment[:length] for moment in created)
            if len(set(moments)) == len(moments):
                return moments
        return tuple(created)

    @property
    def agreements(self) -> dict[Agreement, int]:
        """Count the kinds of agreement of verdicts; those that do not occur are left out."""
        found = [course.agreement for course in self.courses]
        return {each: found.count(each) for each in Agreement if each in found}


def development(synopses: Sequence[Synopsis]) -> Development:
    """Compare bundles side by side, the oldest first.

    Raises `ProblemsError` if their ratios are not of one study, metric and baseline.
    """
    ordered = sorted(synopses, key=lambda synopsis: synopsis.info.created_utc)
    newest = ordered[-1]
    if problems := [problem for each in ordered if (problem := _problem(each, newest))]:
        raise ProblemsError(problems)
    return Development(
        study=newest.study,
        title=newest.title,
        metric=newest.metric,
        baseline_label=newest.baseline_label,
        margin_ratio=newest.margin_ratio,
        editions=tuple(_edition(synopsis) for synopsis in ordered),
        courses=tuple(_courses(ordered)),
        notes=tuple(_notes(ordered)),
        differences=tuple(find_differences(ordered)),
    )


def _problem(synopsis: Synopsis, newest: Synopsis) -> Problem | None:
    """Return why a bundle cannot be compared with the newest; None if it can."""
    for key in ("study", "metric", "baseline"):
        value, expected = getattr(synopsis, key), getattr(newest, key)
        if value != expected:
            return Problem(synopsis.info.id, key, value, f"{expected}, as in the newest bundle")
    return None


def _edition(synopsis: Synopsis) -> Edition:
    return Edition(
        id=synopsis.info.id,
        design=synopsis.info.design,
        created_utc=synopsis.info.created_utc,
        blocks=synopsis.blocks,
        largest_resolution=synopsis.largest_resolution,
        machine=synopsis.machine,
    )


def _courses(synopses: Sequence[Synopsis]) -> list[MetricCourse]:
    """Follow every cell that any bundle contains, in the order of the newest bundle."""
    found = [
        {
            (setting.key, cell.contender, cell.versus.against if cell.versus else ""): cell
            for setting in each.judged
            for cell in setting.cells
        }
        for each in synopses
    ]
    titles: dict[str, str] = {}
    names: dict[str, str] = {}
    for synopsis in reversed(synopses):
        for setting in synopsis.judged:
            titles.setdefault(setting.key, setting.title)
        for band in synopsis.bands if synopsis.judged else ():
            for column in band.columns:
                names.setdefault(column.contender, column.label)
    newest = synopses[-1]
    others = dict.fromkeys(against for cells in found for _, _, against in cells)
    return [
        MetricCourse(
            setting=title,
            contender=name,
            label=label if against in ("", newest.baseline_label) else f"{label} vs {against}",
            is_baseline=not against,
            steps=tuple(cells.get((key, name, against)) for cells in found),
        )
        for key, title in titles.items()
        for name, label in names.items()
        for against in others
        if any((key, name, against) in cells for cells in found)
    ]


def _notes(synopses: Sequence[Synopsis]) -> list[str]:
    notes = []
    for what, levels in (
        ("machines", [each.machine for each in synopses]),
        ("designs", [each.info.design for each in synopses]),
        ("margins", [f"±{100 * each.margin_ratio:g} %" for each in synopses]),
        ("versions of wirelab", [each.info.wirelab_version for each in synopses]),
    ):
        different = list(dict.fromkeys(levels))
        if len(different) > 1:
            notes.append(f"Different {what}: {', then '.join(different)}.")
    newest = synopses[-1]
    changed = [
        newest.labels[name]
        for name in newest.contenders
        if _has_changed([each.contenders[name] for each in synopses if name in each.contenders])
    ]
    if changed:
        notes.append(f"Versions changed: {words.listed(changed)}.")
    return notes


def _has_changed(records: Sequence[ContenderRecord]) -> bool:
    return any(record.versions != records[0].versions for record in records)
