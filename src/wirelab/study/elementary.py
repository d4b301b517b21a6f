"""Split an expectation into elementary tests, each about one or a few cells."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from wirelab.study.cell import Cell
from wirelab.study.claim import (
    AtMost,
    Compared,
    DirectionExpectation,
    Expectation,
    Extreme,
    LargestGain,
    Order,
    Qualitative,
    Ratio,
    Same,
    Somewhere,
    Steeper,
    Threshold,
)
from wirelab.study.levels import FACTORS, Factor, Where

Levels = Mapping[Factor, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class PairTest:
    """A's value, multiplied by `times`, is expected below B's, or above it."""

    metric: str
    a: Cell
    b: Cell
    expected: Literal["below", "above"]
    times: float = 1.0


@dataclass(frozen=True, slots=True)
class SameTest:
    """A's value is expected to be practically B's."""

    metric: str
    a: Cell
    b: Cell


@dataclass(frozen=True, slots=True)
class AtMostTest:
    """A's value is expected no higher than B's."""

    metric: str
    a: Cell
    b: Cell


@dataclass(frozen=True, slots=True)
class GainTest:
    """A's gain over its base is expected to be larger than B's gain over its own."""

    metric: str
    a: Cell
    a_base: Cell
    b: Cell
    b_base: Cell


@dataclass(frozen=True, slots=True)
class RatioTest:
    """A's value over B's is expected to be about the published ratio."""

    metric: str
    a: Cell
    b: Cell
    expectation: Ratio


@dataclass(frozen=True, slots=True)
class UnionTest:
    """At least one of these pairs is expected to hold."""

    pairs: tuple[PairTest, ...]

    @property
    def metric(self) -> str:
        """The metric of all pairs."""
        return self.pairs[0].metric


@dataclass(frozen=True, slots=True)
class SlopesTest:
    """The slope of log value on log x is expected to be larger over `cells` than over `others`."""

    metric: str
    cells: tuple[Cell, ...]
    x: tuple[float, ...]
    others: tuple[Cell, ...]
    other_x: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class ThresholdTest:
    """A cell's value is expected on one side of a constant."""

    metric: str
    a: Cell
    expectation: Threshold


@dataclass(frozen=True, slots=True)
class NoTest:
    """No measurable test, and why."""

    reason: str


PairedTest = PairTest | SameTest | AtMostTest | RatioTest
MeasuredTest = PairedTest | GainTest | ThresholdTest | UnionTest | SlopesTest
Test = MeasuredTest | NoTest


def elementary_tests(expectation: Expectation, levels: Levels) -> list[Test]:
    """List the elementary tests of an expectation.

    A factor that the expectation leaves open has the given levels; one that it names has the named
    levels, whether or not they were measured.
    """
    match expectation:
        case Qualitative():
            return [NoTest(expectation.reason)]
        case Threshold():
            return [
                ThresholdTest(expectation.metric, cell_at(context), expectation)
                for context in _contexts(expectation.where, levels)
            ]
        case Somewhere():
            contexts = _contexts(expectation.where, levels, expectation.compare)
            return [UnionTest(tuple(pair for each in contexts for pair in _any(each, expectation)))]
        case LargestGain():
            contexts = _contexts(expectation.where, levels, expectation.compare, expectation.across)
            return [test for context in contexts for test in _gains(context, expectation)]
        case _:
            return [
                test
                for context in _contexts(expectation.where, levels, expectation.compare)
                for test in _within(context, expectation)
            ]


def _within(
    context: Mapping[Factor, str],
    expectation: DirectionExpectation | Extreme | Order | Same | AtMost | Ratio | Steeper,
) -> Iterator[Test]:
    metric = expectation.metric

    def cell(level: str) -> Cell:
        return _cell_of(level, context, expectation)

    match expectation:
        case DirectionExpectation():
            lower, higher = cell(expectation.lower), cell(expectation.higher)
            yield PairTest(metric, lower, higher, "below", expectation.times)
        case Extreme():
            expected: Literal["below", "above"] = (
                "below" if expectation.kind == "lowest" else "above"
            )
            for other in expectation.among:
                if other != expectation.level:
                    yield PairTest(metric, cell(expectation.level), cell(other), expected)
        case Order():
            for lower_name, higher_name in itertools.pairwise(expectation.ascending):
                yield PairTest(metric, cell(lower_name), cell(higher_name), "below")
        case Same():
            yield SameTest(metric, cell(expectation.level), cell(expectation.other))
        case AtMost():
            yield AtMostTest(metric, cell(expectation.level), cell(expectation.other))
        case Ratio():
            a, b = cell(expectation.numerator), cell(expectation.denominator)
            yield RatioTest(metric, a, b, expectation)
        case Steeper():
            steep, x = tuple(map(cell, expectation.at)), tuple(expectation.at.values())
            for curve in expectation.than:
                yield SlopesTest(metric, steep, x, tuple(map(cell, curve)), tuple(curve.values()))


def _any(context: Mapping[Factor, str], expectation: Somewhere) -> Iterator[PairTest]:
    lower = _cell_of(expectation.lower, context, expectation)
    for level in expectation.higher:
        higher = _cell_of(level, context, expectation)
        yield PairTest(expectation.metric, lower, higher, "below", expectation.times)


def _cell_of(level: str, context: Mapping[Factor, str], expectation: Compared) -> Cell:
    """Return the cell of a compared level, with the levels of other factors that belong to it."""
    own = {**context, **expectation.levels_of(level)}
    return cell_at({**own, expectation.compare: level})


def _gains(context: Mapping[Factor, str], expectation: LargestGain) -> Iterator[GainTest]:
    def cell(level: str, place: str) -> Cell:
        return _cell_of(level, {**context, expectation.across: place}, expectation)

    for place in expectation.among:
        if place != expectation.at:
            yield GainTest(
                expectation.metric,
                cell(expectation.level, expectation.at),
                cell(expectation.over, expectation.at),
                cell(expectation.level, place),
                cell(expectation.over, place),
            )


def _contexts(where: Where, levels: Levels, *without: Factor) -> Iterator[dict[Factor, str]]:
    """Combine the levels of all factors except those that are compared."""
    factors = [factor for factor in FACTORS if factor not in without]
    for combination in itertools.product(
        *(where.levels(factor) or levels[factor] for factor in factors)
    ):
        yield dict(zip(factors, combination, strict=True))


def cell_at(at: Mapping[Factor, str]) -> Cell:
    """Return the cell at a level of every factor."""
    cell = Cell(at["contender"], at["workload"], at["store"], at["environment"], at["load"])
    return replace(cell, proxy=at["proxy"], network=at["network"])


def cells_of(test: MeasuredTest) -> tuple[Cell, ...]:
    """Return the cells that a test is about, A before B."""
    match test:
        case SlopesTest():
            return (*test.cells, *test.others)
        case UnionTest():
            return tuple(dict.fromkeys(cell for pair in test.pairs for cell in (pair.a, pair.b)))
        case GainTest():
            return (test.a, test.a_base, test.b, test.b_base)
        case ThresholdTest():
            return (test.a,)
        case _:
            return (test.a, test.b)
