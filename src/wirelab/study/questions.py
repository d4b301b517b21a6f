"""Which cells a study compares with which: the family of comparisons, fixed before any run."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from wirelab.study.cell import Cell
from wirelab.study.levels import Factor
from wirelab.study.model import Question, StudyFile


@dataclass(frozen=True, slots=True)
class Pair:
    """Two cells that differ in one factor only, and the question that compares them."""

    question: str
    a: Cell
    b: Cell


def family(study: StudyFile, cells: Sequence[Cell]) -> list[Pair]:
    """List every comparison that the study's questions make among these cells, each once.

    A level that stands later in the study file is A, relative to an earlier one as B; so the
    first level of a factor (the baseline, by custom) is what the others are measured by. Twins and
    controls are in no family.
    """
    pairs: dict[frozenset[Cell], Pair] = {}
    for name, question in study.questions.items():
        for a, b in _compared(study, question, cells):
            pairs.setdefault(frozenset((a, b)), Pair(name, a, b))
    return list(pairs.values())


def twins(cells: Sequence[Cell]) -> list[tuple[Cell, Cell]]:
    """List each twin with the cell that it repeats: what the noise floor is measured from."""
    return [(cell, replace(cell, twin=False)) for cell in cells if cell.twin]


def _compared(
    study: StudyFile, question: Question, cells: Sequence[Cell]
) -> list[tuple[Cell, Cell]]:
    factor = question.compare
    order = study.levels[factor]
    asked = sorted(
        (
            cell
            for cell in cells
            if not cell.twin
            and not study.workloads[cell.workload].control
            and cell.matches(question.where)
        ),
        key=lambda cell: order.index(cell.level(factor)),
    )
    return [
        (later, earlier)
        for earlier, later in itertools.combinations(asked, 2)
        if _differ_only_in(factor, earlier, later)
        and (question.against == "all" or study.baseline in (earlier.contender, later.contender))
    ]


def _differ_only_in(factor: Factor, a: Cell, b: Cell) -> bool:
    moved: dict[str, Any] = {factor: b.level(factor)}
    return a.level(factor) != b.level(factor) and replace(a, **moved) == b
