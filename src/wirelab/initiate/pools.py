"""Values for the parameters of operations: from examples, from lists in answers, from CSV.

The examples of a description may not exist, but the items of a list that was just returned do, so
ids are taken from lists first. The values found are written to a file, and not queried again.
"""

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from wirelab.domain import pointer
from wirelab.initiate.names import words
from wirelab.initiate.offer import Offer, Parameter
from wirelab.problems import Problem, ProblemsError
from wirelab.words import percent

Call = Callable[[Offer, Mapping[str, object]], tuple[bool, object]]
"""Performs an operation with parameters; returns whether it was answered, and the answer."""

SETS = 50
ENOUGH = 0.95
"""Minimum share of the parameter sets that must be answered."""
NOT_ANSWERED = f", fewer than {percent(ENOUGH)}"
"""What the summary contains if too few sets were answered."""
PATHS_OF_LISTS = ("/*", "/data/*", "/items/*", "/results/*", "/content/*", "/value/*", "/*/*")


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
    drawn: Mapping[str, Sequence[Mapping[str, object]]] | None = None,
    seed: int = 1,
    sets: int = SETS,
    begin: Callable[[Offer], None] = lambda _: None,
) -> dict[str, Pool]:
    """Find parameters for read operations by querying a server.

    `rows` are those of a CSV, whose columns are parameters; `drawn` are values drawn from the
    schemas. Operations without parameters come first, for the lists that they return. `begin` is
    called for each operation.
    """
    seen: dict[str, list[object]] = {}
    pools = {}
    for offer in sorted(offers, key=_unknowns):
        begin(offer)
        if offer.effect == "write":
            given = _from_rows(offer, rows)
            pools[offer.name] = Pool(offer, len(given), tuple(given), "CSV")
            continue
        candidates, source = _candidates(
            offer, seen, rows, drawn or {}, random=Random(seed), sets=sets
        )
        answered = []
        for candidate in candidates:
            right, answer = call(offer, candidate)
            if right:
                answered.append(candidate)
                _remember(answer, offer, seen)
        pools[offer.name] = Pool(offer, len(candidates), tuple(answered), source)
    return pools


def _unknowns(offer: Offer) -> tuple[int, bool]:
    """Return the number of parameters without known values, to sort operations by."""
    return sum(not each.examples for each in offer.parameters), not offer.lists


def read_csv(file: Path) -> list[dict[str, str]]:
    """Read the rows of a CSV whose first line names its columns.

    Raises `ProblemsError` if it is not CSV, or if a row has more or fewer values than columns.
    """
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.reader(lines)
            names = next(reader, [])
            rows = [(reader.line_num, row) for row in reader if row]
    except OSError as error:
        unreadable = f"cannot be read: {error.strerror}"
        raise ProblemsError([Problem(str(file), "", unreadable, "")]) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise ProblemsError([Problem(str(file), "", str(error), "a CSV in UTF-8")]) from None
    if not rows:
        raise ProblemsError([Problem(str(file), "", "empty", "a line of names, then rows")])
    wrong = [(number, len(row)) for number, row in rows if len(row) != len(names)]
    if wrong:
        number, count = wrong[0]
        more = f" ({len(wrong) - 1} more lines are wrong)" if len(wrong) > 1 else ""
        expected = f"{len(names)}, one for each name in the first line{more}"
        raise ProblemsError(
            [Problem(f"{file}, line {number}", "number of values", count, expected)]
        )
    return [dict(zip(names, row, strict=True)) for _, row in rows]


def _candidates(
    offer: Offer,
    seen: Mapping[str, list[object]],
    rows: Sequence[Mapping[str, str]],
    drawn: Mapping[str, Sequence[Mapping[str, object]]],
    *,
    random: Random,
    sets: int,
) -> tuple[list[dict[str, object]], str]:
    """Return parameter sets to try, and their source."""
    if not offer.parameters:
        return [{}], "no parameters"
    if given := _from_rows(offer, rows):
        return given[:sets], "CSV"
    columns: dict[str, list[object]] = {}
    sources = []
    for parameter in offer.parameters:
        found, source = _values(offer, parameter, seen)
        if not found:
            made = [dict(each) for each in drawn.get(offer.name, ())][:sets]
            return made, "schema"
        columns[parameter.name] = found
        sources.append(source)
    count = min(sets, max(map(len, columns.values())))
    candidates: dict[str, dict[str, object]] = {}
    for values in columns.values():
        random.shuffle(values)
    for number in range(count):
        chosen = {name: values[number % len(values)] for name, values in columns.items()}
        candidates.setdefault(json.dumps(chosen, sort_keys=True, default=str), chosen)
    return list(candidates.values()), " and ".join(dict.fromkeys(sources))


def _values(
    offer: Offer, parameter: Parameter, seen: Mapping[str, list[object]]
) -> tuple[list[object], str]:
    """Return values for one parameter: from answers, otherwise from the description."""
    if parameter.kind not in ("enum", "boolean"):
        for key in _keys(offer, parameter.name):
            if found := [it for it in seen.get(key, ()) if _fits(it, parameter)]:
                return list(found), "lists"
    if parameter.examples:
        return list(dict.fromkeys(parameter.examples)) if _plain(parameter.examples) else list(
            parameter.examples
        ), "examples"
    return [], ""


def _keys(offer: Offer, parameter: str) -> Iterator[str]:
    """Yield the names that values for a parameter may have in answers, the best first."""
    named = words(parameter)
    yield "_".join(named)
    if named[-1:] in (["id"], ["name"], ["key"], ["slug"], ["code"], ["uuid"]) and len(named) > 1:
        yield f"{'_'.join(named[:-1])}.{named[-1]}"
    if named == ["id"] or len(named) == 1:
        for thing in _things(offer):
            yield f"{thing}.{named[0]}"


def _things(offer: Offer) -> Iterator[str]:
    """Yield the names of the resources of an operation: for /items/{id}, item."""
    path = str(offer.binding.get("path", ""))
    for part in reversed([it for it in path.partition("?")[0].split("/") if it and "{" not in it]):
        yield singular("_".join(words(part)))
    for word in reversed(words(offer.name)):
        yield singular(word)


def _remember(answer: object, offer: Offer, seen: dict[str, list[object]]) -> None:
    """Keep the scalar values of the objects in a list by the names of resource and value."""
    for pattern in PATHS_OF_LISTS:
        found = [it for _, it in pointer.matches(answer, pattern) if isinstance(it, dict)]
        if found or (isinstance(answer, list) and pattern == "/*"):
            things = list(dict.fromkeys(_things(offer)))
            for item in found:
                for name, value in item.items():
                    if isinstance(value, str | int) and not isinstance(value, bool):
                        for thing in things:
                            _keep(seen, f"{thing}.{'_'.join(words(name))}", value)
            if isinstance(answer, list):
                for value in answer:
                    if isinstance(value, str | int):
                        for thing in things:
                            _keep(seen, f"{thing}.id", value)
            return


def _keep(seen: dict[str, list[object]], key: str, value: object) -> None:
    values = seen.setdefault(key, [])
    if value not in values and len(values) < 10 * SETS:
        values.append(value)


def _from_rows(offer: Offer, rows: Sequence[Mapping[str, str]]) -> list[dict[str, object]]:
    needed = {each.name: each for each in offer.parameters}
    fitting = [row for row in rows if needed.keys() <= row.keys()]
    return [
        {name: _typed(row[name], parameter) for name, parameter in needed.items()}
        for row in fitting
        if needed
    ]


def _typed(text: str, parameter: Parameter) -> Any:
    if parameter.kind in ("integer", "number", "boolean", "object", "array"):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return text


def _fits(value: object, parameter: Parameter) -> bool:
    if parameter.kind == "integer":
        return isinstance(value, int)
    return isinstance(value, str | int)


def _plain(values: Sequence[object]) -> bool:
    return all(isinstance(each, str | int | float | bool) for each in values)


def singular(word: str) -> str:
    """Return a noun in the singular, by simple rules."""
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word
