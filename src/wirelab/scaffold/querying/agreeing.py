"""Compare an operation's answers over several protocols, and find equivalent representations.

Protocols represent some values differently: proto3 has an empty string where JSON has null, GraphQL
ids are strings, times differ in offset and precision, and lists may have any order. For such parts,
a comparison by meaning is proposed. For parts that differ between two answers of one server, it is
proposed to ignore them. Verification reports all other differences.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from itertools import combinations

from wirelab.domain.model import Common, Domain
from wirelab.scaffold.querying.ordering import find_orders
from wirelab.scaffold.querying.repeating import Answered
from wirelab.terminal import words
from wirelab.terminal.untrusted import visible
from wirelab.verify.equality.common_shape import (
    ShapeDifference,
    ShapeError,
    leaf_count,
    read_exactly,
    shape,
    shape_differences,
)

DEEPEST = 4
"""Maximum depth of nested lists for which an order is proposed."""
ROUNDED = Fraction(1, 10**6)
"""Relative tolerance: single precision and rounded decimals differ by less."""
COARSEST = Fraction(1, 10**3)
"""The largest tolerance, relative to the smallest value: it holds for all values alike."""
UNSET = {"''": "", "`0`": 0, "`false`": False, "`[]`": []}
"""Values that represent null, as JMESPath literals."""


@dataclass
class Spelling:
    """How to compare parts of one operation's answers."""

    defaults: dict[str, dict[str, str]] = field(default_factory=dict)
    """By protocol and part: what represents its null, as a JMESPath literal."""
    tolerance: dict[str, float | str] = field(default_factory=dict)
    ordered: dict[str, str] = field(default_factory=dict)
    """By part: the sort key of a list, as a JMESPath expression."""
    varying: dict[str, list[str]] = field(default_factory=dict)
    """By part that is not compared: the protocols over which two answers differ in it."""

    def __bool__(self) -> bool:
        return bool(self.defaults or self.tolerance or self.ordered or self.varying)

    def reasons_to_ignore(self) -> Iterator[str]:
        """Say of each part that is ignored why."""
        for part, protocols in self.varying.items():
            over = words.listed(protocols)
            yield f"{visible(part)} differs between two answers to the same request over {over}"

    def notes(self) -> Iterator[str]:
        """Yield notes for the user."""
        for protocol, parts in self.defaults.items():
            for part, literal in parts.items():
                name = part.removeprefix("*/")
                yield f"{name} is null over {protocol}, and compared as {literal}"
        for part, tolerance in self.tolerance.items():
            yield f"{part} has several forms, and is compared with a tolerance of {tolerance}"
        for part, key in self.ordered.items():
            yield f"{part or 'the list'} is in different orders, and compared sorted by {key}"
        for reason in self.reasons_to_ignore():
            yield f"{reason}, and is ignored"


def find_spellings(
    domain: Domain, answered: Mapping[str, Sequence[Answered]]
) -> dict[str, Spelling]:
    """Return the proposals by operation, from the answers of every server to the same requests."""
    spellings = {}
    for name, answers in answered.items():
        if spelling := propose_spelling(domain.operations[name].common, answers):
            spellings[name] = spelling
    return spellings


def propose_spelling(common: Common, answers: Sequence[Answered]) -> Spelling:
    """Return the proposal for an operation, from the answers to each request."""
    spelling = Spelling()
    for _ in range(DEEPEST):  # lists inside of lists can be compared once those are in order
        pairs = [*_pairs(common, answers), *_repeated(common, answers)]
        orders = find_orders([(one, other) for _, _, one, other in pairs])
        if not orders:
            break
        spelling.ordered |= orders
        common = common.model_copy(update={"ordered": spelling.ordered})
    spelling.varying = _varying(common, answers)
    common = common.model_copy(update={"ignored": tuple(spelling.varying)})
    differences: dict[tuple[str, str, str], list[ShapeDifference]] = {}
    for first, second, one, other in _pairs(common, answers):
        for each in shape_differences(common, one, other):
            differences.setdefault((first, second, each.part), []).append(each)
    for (first, second, part), places in differences.items():
        propose(spelling, first, second, part, places)
    return spelling


def _varying(common: Common, answers: Sequence[Answered]) -> dict[str, list[str]]:
    """Return the plain values that differ between two answers of one server, with its protocol.

    None of them if nothing else would be left to compare: verification names that operation.
    """
    parts: dict[str, list[str]] = {}
    repeated = list(_repeated(common, answers))
    for protocol, _, one, again in repeated:
        for each in shape_differences(common, one, again):
            if not isinstance(each.one, dict | list) and not isinstance(each.other, dict | list):
                protocols = parts.setdefault(each.part, [])
                protocols += [protocol] if protocol not in protocols else []
    left = sum(leaf_count(one, parts) for _, _, one, _ in repeated)
    return parts if left else {}


def _pairs(
    common: Common, answers: Sequence[Answered]
) -> Iterator[tuple[str, str, object, object]]:
    """Yield all pairs of protocols with the shapes of their answers to one request."""
    for each in answers:
        shapes = _shapes(common, {protocol: value[0] for protocol, value in each.items()})
        for one, other in combinations(shapes, 2):
            yield one, other, shapes[one], shapes[other]


def _repeated(
    common: Common, answers: Sequence[Answered]
) -> Iterator[tuple[str, str, object, object]]:
    """Yield the shapes of two answers of one server to one question, behind its protocol."""
    for each in answers:
        for protocol, given in each.items():
            if len(given) > 1:
                one, again = (_shapes(common, {protocol: value}) for value in given)
                if one and again:
                    yield protocol, protocol, one[protocol], again[protocol]


def _shapes(common: Common, answers: Mapping[str, object]) -> dict[str, object]:
    """Return the common shapes of answers by protocol; verification names those without one."""
    shapes = {}
    for protocol, answer in answers.items():
        with suppress(ShapeError):
            shapes[protocol] = shape(common, protocol, answer)
    return shapes


def propose(
    spelling: Spelling, one: str, other: str, part: str, places: Sequence[ShapeDifference]
) -> None:
    """Propose how a part is compared, if all of its differences are of one harmless kind."""
    values = [(each.one, each.other) for each in places]
    literal = _unset(values)
    swapped = _unset([(b, a) for a, b in values])
    if part and not part.endswith("*") and (literal or swapped):
        spelling.defaults.setdefault(one if literal else other, {})[part] = literal or swapped
    elif all(_same_moment(*pair) for pair in values):
        spelling.tolerance[part] = "1ms"
    elif (tolerance := _rounding(values)) is not None:
        spelling.tolerance[part] = tolerance


def _unset(values: Sequence[tuple[object, object]]) -> str:
    """Return the value of all others where one has null, if it represents null, too."""
    for literal, nothing in UNSET.items():
        if all(
            one is None and other == nothing and type(other) is type(nothing)
            for one, other in values
        ):
            return literal
    return ""


def _same_moment(one: object, other: object) -> bool:
    if not isinstance(one, str) or not isinstance(other, str):
        return False
    try:
        moments = [datetime.fromisoformat(each) for each in (one, other)]
        return abs((moments[0] - moments[1]).total_seconds()) <= 0.001
    except (ValueError, TypeError):  # a time with an offset, and one without
        return False


def _rounding(values: Sequence[tuple[object, object]]) -> float | None:
    """Return a tolerance if all pairs are the same numbers, written as text or rounded.

    Whole numbers are not rounded, and no tolerance may make other values equal.
    """
    distances, least = [Fraction(0)], None
    for pair in values:
        one, other = map(read_exactly, pair)
        if one is None or other is None:
            return None
        distance = abs(one - other)
        are_whole = one.denominator == other.denominator == 1
        if distance > (0 if are_whole else ROUNDED * min(abs(one), abs(other))):
            return None
        distances.append(distance)
        least = min(filter(None, (least, abs(one))), default=None)
    tolerance = 2 * max(distances)
    return float(tolerance) if least is None or tolerance <= COARSEST * least else None
