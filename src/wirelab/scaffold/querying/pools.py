"""Values for the parameters of operations: from examples, from lists in answers, from CSV.

The examples of a description may not exist, but the items of a list that was just returned do, so
ids are taken from lists first. A list may itself need an id from another list. The values found are
written to a file, and not queried again.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from types import MappingProxyType
from typing import Any

from wirelab.inputs.close_match import close_matches
from wirelab.inputs.problems import Problem, ProblemsError
from wirelab.scaffold.descriptions.offer import Offer, Parameter
from wirelab.scaffold.names import spelled
from wirelab.scaffold.querying.seen import SeenValues
from wirelab.terminal.words import first_few, percent

Call = Callable[[Offer, Mapping[str, object]], tuple[bool, object]]
"""Performs an operation with parameters; returns whether it was answered, and the answer."""

SETS = 50
SETS_OF_A_SOURCE = 10
"""Maximum number of parameter sets for an operation that is queried for ids only."""
ENOUGH = 0.95
"""Minimum share of the parameter sets that must be answered."""
NOT_ANSWERED = f", fewer than {percent(ENOUGH)}"
"""What the summary contains if too few sets were answered."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Parameter sets for one operation: how many were tried, and those that were answered."""

    offer: Offer
    tried: int
    sets: tuple[Mapping[str, object], ...]
    source: str

    @property
    def rate(self) -> float:
        """The share of sets that were answered."""
        return len(self.sets) / self.tried if self.tried else 0.0

    @property
    def is_answered(self) -> bool:
        """Whether enough sets were answered; True for a write, whose sets are not tried."""
        return self.rate >= ENOUGH

    def summary(self) -> str:
        """Describe how many sets were answered; those for a write are not tried."""
        if self.offer.effect == "write":
            return f"{len(self.sets)} parameter sets from {self.source}, not tried: it writes"
        few = "" if self.is_answered else NOT_ANSWERED
        count = f"{len(self.sets)} of {self.tried}"
        return f"{count} parameter sets answered ({percent(self.rate)}{few}), from {self.source}"


def fill_pools(
    offers: Sequence[Offer],
    call: Call,
    *,
    rows: Sequence[Mapping[str, str]] = (),
    drawn: Mapping[str, Sequence[Mapping[str, object]]] = MappingProxyType({}),
    sources: Collection[str] = (),
    seed: int = 1,
    begin: Callable[[Offer], None] = lambda _: None,
) -> dict[str, Pool]:
    """Find parameters for read operations by querying a server.

    `rows` are those of a CSV, whose columns are parameters; `drawn` are values drawn from the
    schemas; `sources` are operations that are queried only for the ids in their answers. Lists come
    first. An operation waits until lists have returned values for all its parameters; once all
    operations wait, drawn values are tried. `begin` is called for each operation that is
    queried.
    """
    seen = SeenValues(10 * SETS)
    pools = {}
    waiting = sorted((each for each in offers if each.effect != "write"), key=_unknowns)
    while waiting:
        offer, candidates, source = _next(waiting, seen, rows, drawn, Random(seed))
        candidates = candidates[: SETS_OF_A_SOURCE if offer.name in sources else SETS]
        waiting.remove(offer)
        begin(offer)
        answered = []
        for candidate in candidates:
            right, answer = call(offer, candidate)
            if right:
                answered.append(candidate)
                seen.add(offer, answer)
        pools[offer.name] = Pool(offer, len(candidates), tuple(answered), source)
    for offer in offers:
        if offer.effect == "write":
            given = from_rows(offer, rows)
            pools[offer.name] = Pool(offer, len(given), tuple(given), "CSV")
    return pools


def _unknowns(offer: Offer) -> tuple[bool, int]:
    """Return the key to sort operations by: lists first, then by parameters without values."""
    return not offer.lists, sum(not each.examples for each in offer.parameters)


def require_used(rows: Sequence[Mapping[str, str]], offers: Iterable[Offer]) -> None:
    """Raise `ProblemsError` if the columns of a CSV are the parameters of no operation."""
    needed = {
        offer.name: [each.name for each in offer.parameters] for offer in offers if offer.parameters
    }
    columns = [name for name in rows[0] if name] if rows else []
    given = {*map(spelled, columns)}
    if not rows or any({*map(spelled, names)} <= given for names in needed.values()):
        return
    operations = [f"{name} ({', '.join(names)})" for name, names in needed.items()]
    expected = f"a column for each parameter of an operation: {first_few(operations)}"
    if not operations:
        expected = "no CSV, since no operation has parameters"
    known = {name for names in needed.values() for name in names}
    hint = close_matches([name for name in columns if name not in known], known)
    raise ProblemsError([Problem("--csv", "columns", columns, expected, hint)])


def _next(
    waiting: Sequence[Offer],
    seen: SeenValues,
    rows: Sequence[Mapping[str, str]],
    drawn: Mapping[str, Sequence[Mapping[str, object]]],
    random: Random,
) -> tuple[Offer, list[dict[str, object]], str]:
    """Return the next operation, its parameter sets to try, and their source."""
    for offer in waiting:
        if candidates := _candidates(offer, seen, rows, random):
            return offer, *candidates
    offer = next((each for each in waiting if each.name in drawn), waiting[0])
    return offer, [dict(each) for each in drawn.get(offer.name, ())], "schema"


def _candidates(
    offer: Offer,
    seen: SeenValues,
    rows: Sequence[Mapping[str, str]],
    random: Random,
) -> tuple[list[dict[str, object]], str] | None:
    """Return parameter sets to try, and their source; None if a parameter has no known value."""
    if not offer.parameters:
        return [{}], "no parameters"
    if given := from_rows(offer, rows):
        return given, "CSV"
    columns: dict[str, list[object]] = {}
    sources = []
    for parameter in offer.parameters:
        drawn, source = _values(offer, parameter, seen)
        if not drawn:
            return None
        columns[parameter.name] = drawn
        sources.append(source)
    count = min(SETS, max(map(len, columns.values())))
    candidates: dict[str, dict[str, object]] = {}
    for values in columns.values():
        random.shuffle(values)
    for number in range(count):
        chosen = {name: values[number % len(values)] for name, values in columns.items()}
        candidates.setdefault(json.dumps(chosen, sort_keys=True, default=str), chosen)
    return list(candidates.values()), " and ".join(dict.fromkeys(sources))


def _values(offer: Offer, parameter: Parameter, seen: SeenValues) -> tuple[list[object], str]:
    """Return values for one parameter: from answers, otherwise from the description."""
    if parameter.kind not in ("enum", "boolean"):
        numbers_only = parameter.kind == "integer"
        if values := seen.of(offer, parameter.name, int if numbers_only else (str, int)):
            return values, "lists"
    if parameter.examples:
        return list(dict.fromkeys(parameter.examples)) if _plain(parameter.examples) else list(
            parameter.examples
        ), "examples"
    return [], ""


def from_rows(offer: Offer, rows: Sequence[Mapping[str, str]]) -> list[dict[str, object]]:
    """Return the parameter sets of an operation in the rows of a CSV; [] if it lacks a column."""
    column_of = {spelled(name): name for name in (rows[0] if rows else ()) if name}
    needed = {each.name: each for each in offer.parameters}
    columns = {name: column_of.get(spelled(name)) for name in needed}
    if not columns or None in columns.values():
        return []
    return [
        {name: _typed(row[str(columns[name])], parameter) for name, parameter in needed.items()}
        for row in rows
    ]


def _typed(text: str, parameter: Parameter) -> Any:
    if parameter.kind in ("integer", "number", "boolean", "object", "array"):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return text


def _plain(values: Sequence[object]) -> bool:
    return all(isinstance(each, str | int | float | bool) for each in values)
