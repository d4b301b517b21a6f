"""Compare an operation's answers over several protocols, and find equivalent representations.

Protocols represent some values differently: proto3 has an empty string where JSON has null, GraphQL
ids are strings, times differ in offset and precision, and lists may have any order. For such parts,
a comparison by meaning is proposed. For parts that differ between two answers of one server, it is
proposed to ignore them. Verification reports all other differences.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import combinations

from wirelab.domain.model import Common, Domain
from wirelab.scaffold.querying.ordering import find_orders
from wirelab.scaffold.querying.repeating import Answered
from wirelab.terminal import words
from wirelab.terminal.untrusted import visible
from wirelab.verify.equality.common_shape import (
    ShapeDifference,
    leaf_count,
    shape,
    shape_differences,
)

DEEPEST = 4
"""Maximum depth of nested lists for which an order is proposed."""
ROUNDED = 1e-6
"""Relative tolerance: single precision and rounded decimals differ by less."""
UNSET = {"''": "", "`0`": 0, "`false`": False, "`[]`": []}
"""Values that represent null, as JMESPath literals."""


@dataclass
class Spelling:
    """How to compare parts of one operation's answers."""

    defaults: dict[str, dict[str, str]] = field(default_factory=dict)
    """By protocol and name of a value: what represents its null, as a JMESPath literal."""
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
        for protocol, names in self.defaults.items():
            for name, literal in names.items():
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
        shapes = {protocol: shape(common, protocol, value[0]) for protocol, value in each.items()}
        for one, other in combinations(shapes, 2):
            yield one, other, shapes[one], shapes[other]


def _repeated(
    common: Common, answers: Sequence[Answered]
) -> Iterator[tuple[str, str, object, object]]:
    """Yield the shapes of two answers of one server to one question, behind its protocol."""
    for each in answers:
        for protocol, given in each.items():
            if len(given) > 1:
                one, again = (shape(common, protocol, value) for value in given)
                yield protocol, protocol, one, again


def propose(
    spelling: Spelling, one: str, other: str, part: str, places: Sequence[ShapeDifference]
) -> None:
    """Propose how a part is compared, if all of its differences are of one harmless kind."""
    name = part.removeprefix("*/")
    values = [(each.one, each.other) for each in places]
    literal = _unset(values)
    swapped = _unset([(b, a) for a, b in values])
    if "/" not in name and (literal or swapped):
        spelling.defaults.setdefault(one if literal else other, {})[name] = literal or swapped
    elif all(_same_moment(*pair) for pair in values):
        spelling.tolerance[part] = "1ms"
    elif all(_same_number(*pair) for pair in values):
        spelling.tolerance[part] = max(_distance(*pair) for pair in values) * 2


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


def _same_number(one: object, other: object) -> bool:
    try:
        return _distance(one, other) <= ROUNDED * max(abs(float(str(one))), 1.0)
    except ValueError:
        return False


def _distance(one: object, other: object) -> float:
    if isinstance(one, bool) or isinstance(other, bool) or one is None or other is None:
        raise ValueError("not a number")
    return abs(float(str(one)) - float(str(other)))
