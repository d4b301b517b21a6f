"""Take an expectation apart into elementary tests, each about one or a few cells."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from wirelab.statistics import Side
from wirelab.study import FACTORS, Cell, Factor, Where
from wirelab.study.claim import (
    Direction,
    Expectation,
    Extreme,
    Order,
    Qualitative,
    Ratio,
    Shape,
    Threshold,
)

Levels = Mapping[Factor, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class PairTest:
    """A's value, `times` as much as it is, is expected below B's, or above it."""

    metric: str
    a: Cell
    b: Cell
    expected: Side
    times: float = 1.0


@dataclass(frozen=True, slots=True)
class RatioTest:
    """A's value over B's is expected to be about the published ratio."""

    metric: str
    a: Cell
    b: Cell
    expectation: Ratio


@dataclass(frozen=True, slots=True)
class ThresholdTest:
    """A cell's value is expected on one side of a constant."""

    metric: str
    a: Cell
    expectation: Threshold


@dataclass(frozen=True, slots=True)
class ShapeTest:
    """The slope of log value on log x over these cells is expected within limits."""

    metric: str
    cells: tuple[Cell, ...]
    x: tuple[float, ...]
    expectation: Shape


@dataclass(frozen=True, slots=True)
class NoTest:
    """Nothing that could be measured, and why."""

    reason: str


Test = PairTest | RatioTest | ThresholdTest | ShapeTest | NoTest


def take_apart(expectation: Expectation, levels: Levels) -> list[Test]:
    """List the elementary tests of an expectation.

    A factor that the expectation leaves open takes the given levels; one that it names takes the
    levels named, whether or not they were measured.
    """
    match expectation:
        case Qualitative():
            return [NoTest(expectation.reason)]
        case Threshold():
            return [
                ThresholdTest(expectation.metric, _cell(context), expectation)
                for context in _contexts(expectation.where, levels)
            ]
        case _:
            return [
                test
                for context in _contexts(expectation.where, levels, without=expectation.compare)
                for test in _within(context, expectation)
            ]


def _within(
    context: Mapping[Factor, str], expectation: Direction | Extreme | Order | Ratio | Shape
) -> Iterator[Test]:
    metric = expectation.metric

    def cell(level: str) -> Cell:
        return _cell({**context, expectation.compare: level})

    match expectation:
        case Direction():
            lower, higher = cell(expectation.lower), cell(expectation.higher)
            yield PairTest(metric, lower, higher, Side.BELOW, expectation.times)
        case Extreme():
            expected = Side.BELOW if expectation.kind == "lowest" else Side.ABOVE
            for other in expectation.among:
                if other != expectation.level:
                    yield PairTest(metric, cell(expectation.level), cell(other), expected)
        case Order():
            for lower_name, higher_name in itertools.pairwise(expectation.ascending):
                yield PairTest(metric, cell(lower_name), cell(higher_name), Side.BELOW)
        case Ratio():
            a, b = cell(expectation.numerator), cell(expectation.denominator)
            yield RatioTest(metric, a, b, expectation)
        case Shape():
            on_axis = tuple(cell(name) for name in expectation.at)
            yield ShapeTest(metric, on_axis, tuple(expectation.at.values()), expectation)


def _contexts(
    where: Where, levels: Levels, without: Factor | None = None
) -> Iterator[dict[Factor, str]]:
    """Combine the levels of all factors but the one that is compared."""
    factors = [factor for factor in FACTORS if factor != without]
    for combination in itertools.product(
        *(where.levels(factor) or levels[factor] for factor in factors)
    ):
        yield dict(zip(factors, combination, strict=True))


def _cell(at: Mapping[Factor, str]) -> Cell:
    cell = Cell(at["contender"], at["workload"], at["store"], at["environment"], at["load"])
    return replace(cell, proxy=at["proxy"])
