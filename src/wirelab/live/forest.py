"""The comparisons so far as forest plots, one for each setting; what is decided in a sentence."""

from collections import Counter
from collections.abc import Collection, Mapping
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

MOST_NAMED = 4
"""Maximum number of contenders whose verdicts the sentence names."""

OPEN = "open"

Courses = Mapping[tuple[Cell, Cell], RatioCourse]


@dataclass(frozen=True, slots=True)
class ForestRow:
    """A comparison in one setting.

    `who` is the contender whose colour the row has, and `label` names what is compared. `estimate`
    is the ratio with its interval; `trail` are the intervals after the blocks before, the oldest
    first. `sign` and `style` are those of the verdict; "" without one. `is_first`: no earlier row
    of the study has the same contender in this setting.
    """

    who: str
    label: str
    latest: ComparisonSoFar
    estimate: str
    trail: tuple[tuple[float, float], ...]
    sign: str
    style: str
    is_first: bool


@dataclass(frozen=True, slots=True)
class Forest:
    """The comparisons of one setting; rows whose label names no other side are `relative_to`."""

    setting: str
    relative_to: str
    rows: tuple[ForestRow, ...]


def forests(names: StudyNames, courses: Courses) -> list[Forest]:
    """Arrange the comparisons that have values, in the order of the study's settings."""
    by_setting: dict[str, list[tuple[Cell, Cell]]] = {title: [] for title in names.titles}
    first = _first_of_each(courses)
    for (a, b), course in courses.items():
        # A contender that a question compares needs no further comparison with the baseline.
        if course.steps and (course.latest.is_question or (a, b) in first):
            by_setting[names.title(a)].append((a, b))
    return [
        _forest(names, title, pairs, first, courses) for title, pairs in by_setting.items() if pairs
    ]


def found_so_far(names: StudyNames, courses: Courses) -> str:
    """Say what is decided; "" before the first block, and if the number of blocks is fixed.

    If questions compare each contender with several others, those with the first of them count.
    """
    asked = {pair: courses[pair] for pair in courses if courses[pair].latest.is_question}
    if len(asked) == 1:
        (((a, b), course),) = asked.items()
        return _of_one(names, *differing_labels(a, b, names.labels), course)
    first = _first_of_each(asked)
    if not any(asked[pair].latest.verdict for pair in first):
        return "No verdict yet" if asked else ""
    found: dict[str, Counter[str]] = {}
    sides = {(a, b): differing_labels(a, b, names.labels) for a, b in asked if (a, b) in first}
    for pair, (label, _) in sides.items():
        found.setdefault(label, Counter())[asked[pair].latest.verdict or OPEN] += 1
    others = {other for _, other in sides.values()}
    if len(others) > 1 or len(found) > MOST_NAMED:
        return words.capital(_counted(names, sum(found.values(), Counter())))
    clauses = [f"{label} {_counted(names, counts)}" for label, counts in found.items()]
    settings = max(counts.total() for counts in found.values())
    where = f" in {settings} settings" if settings > 1 else ""
    return f"Relative to {others.pop()}{where}: {'; '.join(clauses)}"


def _counted(names: StudyNames, found: Counter[str]) -> str:
    """Say how often each verdict was found; of one comparison, which."""
    verdicts = [verdict for _, verdict in names.wording.legend()]
    kinds = [kind for kind in (*verdicts, OPEN) if found[kind]]
    if len(kinds) == 1:
        return kinds[0] if found.total() == 1 else f"{kinds[0]} in all"
    return words.listed(f"{kind} in {found[kind]}" for kind in kinds)


def _first_of_each(courses: Courses) -> set[tuple[Cell, Cell]]:
    """Return the first comparison of each cell; those of questions come first."""
    first: dict[Cell, tuple[Cell, Cell]] = {}
    for a, b in courses:
        first.setdefault(a, (a, b))
    return set(first.values())


def _forest(
    names: StudyNames,
    title: str,
    pairs: list[tuple[Cell, Cell]],
    first: Collection[tuple[Cell, Cell]],
    courses: Courses,
) -> Forest:
    sides = {pair: _sides(names, *pair) for pair in pairs}
    others = [other for _, other in sides.values()]
    relative_to = max(others, key=others.count)
    pairs.sort(key=lambda pair: (pair not in first, pair[0].twin))
    return Forest(
        title,
        relative_to,
        tuple(
            _row(names, pair[0], sides[pair], relative_to, courses[pair], is_first=pair in first)
            for pair in pairs
        ),
    )


def _sides(names: StudyNames, a: Cell, b: Cell) -> tuple[str, str]:
    if a.twin:
        return label_of(a, names.labels), label_of(b, names.labels)
    return differing_labels(a, b, names.labels)


def _row(
    names: StudyNames,
    a: Cell,
    sides: tuple[str, str],
    relative_to: str,
    course: RatioCourse,
    *,
    is_first: bool,
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
        is_first,
    )


def _of_one(names: StudyNames, a: str, b: str, course: RatioCourse) -> str:
    if not course.estimate:
        return "No verdict yet"
    found = f"{a} {names.wording.takes} {course.estimate} {names.wording.quantity} of {b}"
    verdict = course.latest.verdict
    return f"{found}: {verdict}" if verdict else f"No verdict yet: {found}"
