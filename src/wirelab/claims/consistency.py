"""Is the paper consistent? Compares its claims with its own tables, without measuring."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from wirelab.claims.arithmetic import Line, lines_of
from wirelab.claims.check import Names, describe
from wirelab.study import FACTORS, METRICS, Cell, Study
from wirelab.study.claim import DirectionExpectation, Extreme, Order, PairExpectation
from wirelab.study.elementary import Levels, PairTest, cell_at, elementary_tests
from wirelab.study.published import LeastSamples, PublishedFigure, Quotients, Statement
from wirelab.terminal import words


@dataclass(frozen=True, slots=True)
class ConsistencyFinding:
    """One check of a paper against itself. `holds` is None if figures are only derived.

    `claim` is the id of the claim that is checked; "" for another statement.
    """

    text: str
    source: str
    holds: bool | None
    lines: tuple[Line, ...]
    claim: str = ""


def check_consistency(study: Study, names: Names = Cell.level_title) -> list[ConsistencyFinding]:
    """Run the checks of published.toml, then compare each claim with the published tables."""
    published = study.published
    findings = []
    for check in published.checks:
        match check:
            case Statement():
                lines = _lines_of(check.expect, study, names)
                findings.append(_judged(check.text, check.source, lines))
            case Quotients():
                findings.append(_derived(check.text, _quotients(check, study, names)))
            case LeastSamples():
                findings.append(_derived(check.text, _least_samples(check, study, names)))
            case _:
                findings.append(_judged(check.text, check.source, lines_of(check)))
    for name, claim in study.claims.claims.items():
        pairs = tuple(
            each
            for each in claim.expect
            if isinstance(each, DirectionExpectation | Extreme | Order)
        )
        lines = _lines_of(pairs, study, names)
        findings.append(_judged(f"{name}: {claim.text}", claim.source, lines, name))
    return [finding for finding in findings if finding.lines]


def _judged(text: str, source: str, lines: Iterator[Line], claim: str = "") -> ConsistencyFinding:
    shown = tuple(lines)
    return ConsistencyFinding(text, source, all(line.holds for line in shown), shown, claim)


def _derived(text: str, lines: Iterator[Line]) -> ConsistencyFinding:
    return ConsistencyFinding(text, "", None, tuple(lines))


def _lines_of(
    expectations: tuple[PairExpectation, ...], study: Study, names: Names
) -> Iterator[Line]:
    """Compare published values by their ratio, with A multiplied as claimed.

    Pairs with a missing value, or with B = 0, are left out.
    """
    # Tables omit factors that the paper did not vary: one level represents all of them.
    levels: Levels = {factor: names[:1] for factor, names in study.levels.items()}
    for expectation in expectations:
        for test in elementary_tests(expectation, levels):
            assert isinstance(test, PairTest)
            a, b = (study.published.figure(test.metric, cell) for cell in (test.a, test.b))
            if a is None or b is None or (ratio := a.ratio_to(b, test.metric)) is None:
                continue
            ratio *= test.times
            holds = ratio < 1.0 if test.expected == "below" else ratio > 1.0
            times = "" if test.times == 1.0 else f"{test.times:g} × "
            figures = times + _fraction(a, b, test.metric)
            yield Line(describe(test, a.at, names), ratio, holds, figures)


def _quotients(check: Quotients, study: Study, names: Names) -> Iterator[Line]:
    rows = [row for row in study.published.figures if check.metric in row.values]
    for row in rows:
        if row.at.get(check.compare) == check.numerator:
            counterpart = {**row.at, check.compare: check.denominator}
            for other in rows:
                ratio = row.ratio_to(other, check.metric)
                if other.at == counterpart and ratio is not None:
                    label = _label(row, study, names, without=check.compare)
                    yield Line(label, ratio, figures=_fraction(row, other, check.metric))


def _least_samples(check: LeastSamples, study: Study, names: Names) -> Iterator[Line]:
    """Bound the number of values by Samuelson's inequality: |x - mean| is at most sd * sqrt(n - 1).

    Source: Samuelson, Journal of the American Statistical Association 63 (1968) 1522-1525.
    """
    for row in study.published.figures:
        if {check.mean, check.sd, *check.extremes} <= row.values.keys():
            mean, deviation = row.values[check.mean], row.values[check.sd]
            farthest = max(abs(row.values[extreme] - mean) for extreme in check.extremes)
            if deviation:
                yield Line(_label(row, study, names), math.ceil((farthest / deviation) ** 2 + 1.0))


def _fraction(a: PublishedFigure, b: PublishedFigure, metric: str) -> str:
    unit = METRICS[metric].unit
    return " / ".join(words.in_unit(row.values[metric], unit) for row in (a, b))


def _label(row: PublishedFigure, study: Study, names: Names, without: str = "") -> str:
    cell = cell_at({factor: levels[0] for factor, levels in study.levels.items()} | {**row.at})
    return " · ".join(
        names(cell, factor) for factor in FACTORS if factor in row.at and factor != without
    )
