"""The comparisons of a study, as pairs and blocks; and why a question compares nothing.

They are fixed before any run.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wirelab.inputs.problems import Problem, shown
from wirelab.study.cell import Cell
from wirelab.study.design import Design
from wirelab.study.levels import FACTORS, Factor, plural
from wirelab.study.load import STUDY_FILE, Study
from wirelab.study.metrics import CAPACITY
from wirelab.study.model import Question, StudyFile
from wirelab.terminal.words import listed


@dataclass(frozen=True, slots=True)
class Pair:
    """Two cells that differ in one factor only, and the question that compares them."""

    question: str
    a: Cell
    b: Cell


def family(study: StudyFile, cells: Sequence[Cell]) -> list[Pair]:
    """List every comparison that the study's questions make among these cells, each once.

    Of two levels, A is the one that the study lists later and B the earlier one, so the first level
    of a factor (by custom the baseline) is what the others are compared with. Twins and controls
    are in no comparison.
    """
    pairs: dict[frozenset[Cell], Pair] = {}
    for name in study.questions:
        for pair in compared_by(study, name, cells):
            pairs.setdefault(frozenset((pair.a, pair.b)), pair)
    return list(pairs.values())


def compared_by(study: StudyFile, name: str, cells: Sequence[Cell]) -> list[Pair]:
    """List every comparison of one question, even if others make it, too.

    It makes none if a required contender does not take part.
    """
    question = study.questions[name]
    factor = question.compare
    known = frozenset(cells)
    order = study.levels[factor]
    matching = sorted(
        (
            cell
            for cell in cells
            if not cell.twin
            and not study.workloads[cell.workload].control
            and cell.matches(question.where)
            and all(replace(cell, contender=needed) in known for needed in question.needs)
        ),
        key=lambda cell: order.index(cell.level(factor)),
    )
    return [
        Pair(name, later, earlier)
        for earlier, later in _alike(factor, matching)
        if question.against == "all" or study.baseline in (earlier.contender, later.contender)
    ]


def group_cells(study: StudyFile, design: Design, cells: Sequence[Cell]) -> dict[str, list[Cell]]:
    """Group the cells that a block measures, by name: those that are compared with one another.

    The cells of a group share the workload, and every other factor except the contender and those
    that a question compares or an experiment measures together; so the cost of an environment, for
    example, is measured within a block. Cells of different experiments are in different groups.
    Groups and their cells are in the order of the study's levels, whatever the order of `cells`.
    """
    matching = {"contender", *(question.compare for question in study.questions.values())}
    groups: dict[tuple[str, ...], list[Cell]] = {}
    for cell in sorted(cells, key=lambda cell: _sort_key(study, cell)):
        experiment = design.experiment_of(cell) or ""
        own = design.experiments[experiment].together if experiment else ()
        shared = [
            factor
            for factor in FACTORS
            if factor == "workload" or factor not in matching.union(own)
        ]
        shown = (f for f in shared if f == "workload" or len(study.levels[f]) > 1)
        name = "-".join(cell.level(factor) for factor in shown)
        key = (name, experiment, *(cell.level(factor) for factor in shared))
        groups.setdefault(key, []).append(cell)
    named: dict[str, list[Cell]] = {}
    for (name, experiment, *_), members in groups.items():
        named[f"{name}-{experiment}" if name in named else name] = members
    return named


def _sort_key(study: StudyFile, cell: Cell) -> tuple[int, ...]:
    levels = study.levels
    return (*(levels[factor].index(cell.level(factor)) for factor in FACTORS), cell.twin)


def twins(cells: Sequence[Cell]) -> list[tuple[Cell, Cell]]:
    """List each twin with the cell that it repeats; they show what a setting resolves."""
    return [(cell, replace(cell, twin=False)) for cell in cells if cell.twin]


def _alike(factor: Factor, cells: Sequence[Cell]) -> Iterator[tuple[Cell, Cell]]:
    """Yield each cell with each later one that differs only in a factor."""
    no_level: dict[str, Any] = {factor: ""}
    others = [replace(cell, **no_level) for cell in cells]
    later: dict[Cell, deque[Cell]] = {}
    for cell, other in zip(cells, others, strict=True):
        later.setdefault(other, deque()).append(cell)
    for cell, other in zip(cells, others, strict=True):
        later[other].popleft()
        for each in later[other]:
            if each.level(factor) != cell.level(factor):
                yield cell, each


@dataclass(frozen=True, slots=True)
class _Obstacle:
    """The key of a question that leaves nothing to compare, its value, and what is wrong."""

    key: str
    value: str | list[str]
    reason: str
    expected: str


def never_answered(study: Study) -> Iterator[Problem]:
    """Yield a problem for each question that compares nothing in any design, whatever `--only` is.

    The only contender of a study is no mistake: others can be added, and a plan says how.
    """
    for name, question in study.questions.items():
        obstacle = (
            None if _has_no_rival(study, question) else _obstacle(study, question, study.levels)
        )
        if obstacle is not None:
            key = f"question.{name}.{obstacle.key}"
            yield Problem(shown(study.folder / STUDY_FILE), key, obstacle.value, obstacle.expected)


def unanswered(study: Study, cells: Sequence[Cell]) -> list[str]:
    """Return the names of the questions that compare nothing among these cells.

    Not those about the only contender that is to be measured alone: its figure is the answer.
    """
    return [
        name
        for name, question in study.questions.items()
        if not compared_by(study, name, cells) and not is_measured_alone(study, question)
    ]


def is_measured_alone(study: Study, question: Question) -> bool:
    """Return whether the figure of the study's only contender answers a question."""
    alone = study.metric == CAPACITY or study.has_options
    return alone and _has_no_rival(study, question)


def with_reason(study: StudyFile, name: str, cells: Sequence[Cell]) -> str:
    """Return the text of a question, with the reason if it compares nothing among these cells."""
    question = study.questions[name]
    if compared_by(study, name, cells):
        return question.text
    return f"{question.text} ({_reason(study, question, cells)})"


def _reason(study: StudyFile, question: Question, cells: Sequence[Cell]) -> str:
    levels = _levels_of(cells)
    for factor in FACTORS:
        named = question.where.levels(factor)
        if named is not None and not set(named) & set(levels[factor]):
            return _no_part(factor, named)
    if missing := [each for each in question.needs if each not in levels["contender"]]:
        return _no_part("contender", missing, ", required by the question,")
    matching = [cell for cell in cells if cell.matches(question.where)]
    if not matching:
        return "no cell combines its levels"
    if obstacle := _obstacle(study, question, _levels_of(matching)):
        return obstacle.reason
    needs = f" where {listed(question.needs)} takes part" if question.needs else ""
    return f"no two of its cells differ only in the {question.compare}{needs}"


def _obstacle(
    study: StudyFile, question: Question, levels: Mapping[Factor, Sequence[str]]
) -> _Obstacle | None:
    """Return what keeps a question from comparing anything, as far as these levels show it."""
    factor = question.compare
    part = {each: _named(question, each, levels[each]) for each in FACTORS}
    compared = [each for each in part["workload"] if not study.workloads[each].control]
    if not compared:
        (only,) = part["workload"]
        return _Obstacle(
            "where.workload",
            only,
            f"only {only} takes part, the control, which is never compared",
            "a workload other than the control, which is never compared",
        )
    taking = compared if factor == "workload" else part[factor]
    if len(taking) == 1:
        return _single(study, question, taking[0])
    if question.against == "baseline" and study.baseline not in part["contender"]:
        return _Obstacle(
            "where.contender",
            _as_written(part["contender"]),
            f"the baseline {study.baseline} does not take part",
            f'contenders with the baseline {study.baseline}, since against = "baseline"',
        )
    return None


def _single(study: StudyFile, question: Question, level: str) -> _Obstacle:
    """Describe a factor of which a single level can be compared."""
    factor = question.compare
    reason = f"only the {factor} {level} takes part"
    control = study.control if factor == "workload" else None
    besides = " besides the control" if control else ""
    if any(each not in (level, control) for each in study.levels[factor]):
        named = _as_written(question.where.levels(factor) or ())
        expected = f"at least two {plural(factor)}{besides}, since the question compares them"
        return _Obstacle(f"where.{factor}", named, reason, expected)
    expected = (
        f"a factor with at least two levels; {level} is the only {factor} of the study{besides}"
    )
    return _Obstacle("compare", factor, reason, expected)


def _has_no_rival(study: StudyFile, question: Question) -> bool:
    """Return whether a question compares contenders, and the study has only one."""
    return question.compare == "contender" and len(study.contenders) == 1


def _as_written(names: Sequence[str]) -> str | list[str]:
    """Return names as `where` has them: a single one may be without a list."""
    return names[0] if len(names) == 1 else list(names)


def _named(question: Question, factor: Factor, levels: Sequence[str]) -> list[str]:
    named = question.where.levels(factor)
    return [level for level in levels if named is None or level in named]


def _no_part(factor: Factor, names: Sequence[str], inserted: str = "") -> str:
    if len(names) == 1:
        return f"the {factor} {names[0]}{inserted} does not take part"
    return f"the {plural(factor)} {listed(names)}{inserted} do not take part"


def _levels_of(cells: Sequence[Cell]) -> dict[Factor, tuple[str, ...]]:
    """Return the levels that cells combine."""
    return {
        factor: tuple(dict.fromkeys(cell.level(factor) for cell in cells)) for factor in FACTORS
    }
