"""The comparisons so far as forest plots, one for each setting; what is decided in a sentence."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from wirelab.analysis.comparing import differing_labels
from wirelab.analysis.names import label_of
from wirelab.experiment.events import ComparisonSoFar
from wirelab.live.courses import RatioCourse, StudyNames
from wirelab.report.theme import VERDICT_STYLE
from wirelab.study import Cell
from wirelab.terminal import words

TRAIL = 5
"""Number of earlier intervals that a row shows."""

Courses = Mapping[tuple[Cell, Cell], RatioCourse]


@dataclass(frozen=True, slots=True)
class ForestRow:
    """A comparison in one setting.

    `who` is the contender whose colour the row has, and `label` names what is compared. `estimate`
    is the ratio with its interval; `trail` are the intervals after the blocks before, the oldest
    first. `sign` and `style` are those of the verdict; "" without one.
    """

    who: str
    label: str
    latest: ComparisonSoFar
    estimate: str
    trail: tuple[tuple[float, float], ...]
    sign: str
    style: str


@dataclass(frozen=True, slots=True)
class Forest:
    """The comparisons of one setting; rows whose label names no other side are `relative_to`."""

    setting: str
    relative_to: str
    rows: tuple[ForestRow, ...]


def forests(names: StudyNames, courses: Courses) -> list[Forest]:
    """Arrange the comparisons that have values, in the order of the study's settings."""
    by_setting: dict[str, list[tuple[Cell, Cell]]] = {title: [] for title in names.titles}
    shown: set[Cell] = set()
    for (a, b), course in courses.items():
        # A contender that a question compares needs no further comparison with the baseline.
        if course.steps and (course.latest.is_question or a not in shown):
            shown.add(a)
            by_setting[names.title(a)].append((a, b))
    return [_forest(names, title, pairs, courses) for title, pairs in by_setting.items() if pairs]


def found_so_far(names: StudyNames, courses: Courses) -> str:
    """Say what is decided; "" before the first block, and if the number of blocks is fixed."""
    questions = {pair: course for pair, course in courses.items() if course.latest.is_question}
    if len(questions) == 1:
        (((a, b), course),) = questions.items()
        return _of_one(names, *differing_labels(a, b, names.labels), course)
    decided = Counter(it.latest.verdict for it in questions.values() if it.latest.verdict)
    if not decided:
        return "No verdict yet" if questions else ""
    others = {differing_labels(a, b, names.labels)[1] for a, b in questions}
    counts = words.listed(
        f"{decided[verdict]} {verdict}" for _, verdict in names.wording.legend() if decided[verdict]
    )
    return f"Relative to {others.pop()}: {counts}" if len(others) == 1 else counts


def _forest(
    names: StudyNames, title: str, pairs: list[tuple[Cell, Cell]], courses: Courses
) -> Forest:
    sides = {pair: _sides(names, *pair) for pair in pairs}
    others = [other for _, other in sides.values()]
    relative_to = max(others, key=others.count)
    pairs.sort(key=lambda pair: (sides[pair][1] != relative_to, pair[0].twin))
    return Forest(
        title,
        relative_to,
        tuple(_row(names, pair[0], sides[pair], relative_to, courses[pair]) for pair in pairs),
    )


def _sides(names: StudyNames, a: Cell, b: Cell) -> tuple[str, str]:
    if a.twin:
        return label_of(a, names.labels), label_of(b, names.labels)
    return differing_labels(a, b, names.labels)


def _row(
    names: StudyNames, a: Cell, sides: tuple[str, str], relative_to: str, course: RatioCourse
) -> ForestRow:
    wording = names.wording
    sign = next((sign for sign, text in wording.legend() if text == course.latest.verdict), "")
    return ForestRow(
        a.registration,
        sides[0] if sides[1] == relative_to else f"{sides[0]} vs {sides[1]}",
        course.latest,
        course.estimate,
        tuple(course.intervals[-1 - TRAIL : -1]),
        sign,
        VERDICT_STYLE[wording.outcomes()[sign]] if sign else "",
    )


def _of_one(names: StudyNames, a: str, b: str, course: RatioCourse) -> str:
    if not course.estimate:
        return "No verdict yet"
    found = f"{a} {names.wording.takes} {course.estimate} {names.wording.quantity} of {b}"
    verdict = course.latest.verdict
    return f"{found}: {verdict}" if verdict else f"No verdict yet: {found}"
