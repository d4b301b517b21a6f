"""The comparisons of a study, as pairs and blocks; they are fixed before any run."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wirelab.study.cell import Cell
from wirelab.study.design import Design
from wirelab.study.levels import FACTORS, Factor
from wirelab.study.model import StudyFile


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
