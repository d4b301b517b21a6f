"""The comparisons and claims of a running study after each block, as the report will have them."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from wirelab.analysis.cells import time_metric
from wirelab.analysis.comparing import method_of
from wirelab.analysis.values import RunValues
from wirelab.analysis.wording import wording_of
from wirelab.bundle import Contents
from wirelab.claims import ClaimCheck, ClaimEvidence, ElementaryResult, check_claims
from wirelab.planning.schedule import Block, Schedule
from wirelab.statistics import (
    BlockValue,
    ClaimVerdict,
    Comparison,
    Method,
    Verdict,
    compare,
    decide,
    family_p_values,
)
from wirelab.study import METRICS, Cell, Study, family

MOST_LOST = 3
"""After so many blocks in a row without a value, a comparison gets no further ones."""
NO_VALUE = BlockValue(float("nan"))


@dataclass(frozen=True, slots=True)
class OpenPart:
    """What will probably be decided when all of these groups have so many further blocks."""

    groups: tuple[str, ...]
    further_blocks: int


@dataclass(frozen=True, slots=True)
class PairSoFar:
    """A comparison of A with B in all blocks so far; `groups` are those of its cells."""

    a: Cell
    b: Cell
    groups: tuple[str, ...]
    comparison: Comparison
    verdict: Verdict | None
    """None if no question makes the comparison, or if the number of blocks is fixed, which gives
    verdicts at the end only."""
    is_lost: bool
    """Whether the latest blocks had no value, so that further ones would not, either."""

    @property
    def is_decided(self) -> bool:
        """Whether it has a verdict, which is final."""
        return self.verdict is not None and self.verdict.is_decided

    @property
    def open(self) -> tuple[OpenPart, ...]:
        """What further blocks will probably decide: the comparison, or nothing."""
        further = self.further_blocks
        return () if further is None else (OpenPart(self.groups, further),)

    @property
    def further_blocks(self) -> int | None:
        """How many further blocks will probably decide it; None if none will."""
        return None if self.verdict is None or self.is_lost else self.verdict.further_blocks


IsEnough = Callable[[Sequence[PairSoFar]], bool]
"""Says whether the comparisons so far answer what a study is run for."""


@dataclass
class _Values:
    """The values of one pair by block number, as far as they are known."""

    a: Cell
    b: Cell
    groups: tuple[str, ...]
    in_family: bool
    by_block: dict[int, BlockValue] = field(default_factory=dict)
    comparison: Comparison | None = None


class ComparisonsSoFar:
    """Reads blocks as they appear in a bundle, and compares contenders as the report will.

    It compares what the study's questions compare, and in addition each contender, and each twin,
    with the baseline. The value of a block is read once, so that a late block costs no more than an
    early one. Blocks count in the order of their numbers, up to the first that is missing.

    If the study's metric is one that is counted before the blocks, it compares times, and there are
    no verdicts.
    """

    def __init__(self, bundle: Contents, study: Study, schedule: Schedule) -> None:
        self._bundle, self._study = bundle, study
        self.metric = time_metric(study) if METRICS[study.metric].exact else study.metric
        self._method = method_of(schedule, study.metric)
        self._direction = wording_of(METRICS[self.metric]).direction
        groups = {cell: block.group for block in schedule.blocks for cell in block.cells}
        self._pairs: dict[frozenset[Cell], _Values] = {}
        self._rounds: dict[int, dict[str, RunValues]] = {}
        is_judged = self.metric == study.metric
        pairs = [(pair.a, pair.b, is_judged) for pair in family(study, schedule.cells)]
        for a, b, in_family in [*pairs, *_with_baseline(study, schedule.cells)]:
            together = tuple(dict.fromkeys((groups[a], groups[b])))
            self._pairs.setdefault(frozenset((a, b)), _Values(a, b, together, in_family))
        apart = [pair.groups for pair in self._pairs.values() if len(pair.groups) > 1]
        self._apart = {group for both in apart for group in both}

    def read(self, block: Block) -> None:
        """Read a block; a repeated one replaces its earlier attempt."""
        counting = self._bundle.last_attempts(block.id)
        if not counting or counting[0].failures:
            return
        values = RunValues.from_bundle(self._bundle, self._study, block.id)
        in_round = values
        if block.group in self._apart:  # other blocks of the round measure the other cells of pairs
            blocks = self._rounds.setdefault(block.number, {})
            blocks[block.id] = values
            in_round = RunValues.merged(list(blocks.values()))
        for pair in self._pairs.values():
            if block.group not in pair.groups:
                continue
            values_of_pair = in_round if len(pair.groups) > 1 else values
            ratios = values_of_pair.block_values(self.metric, pair.a, pair.b)
            value = ratios.get(block.number, NO_VALUE)
            inverted = METRICS[self.metric].is_reported_inverted
            pair.by_block[block.number] = value.inverted() if inverted else value
            pair.comparison = None

    def pairs(self) -> list[PairSoFar]:
        """Compare all pairs."""
        compared = [(pair, self._compare(pair)) for pair in self._pairs.values()]
        is_decidable = self._method is Method.REPEATED_T
        judged = [each for each in compared if each[0].in_family and is_decidable]
        corrected = family_p_values([comparison for _, comparison in judged])
        verdicts = {
            id(pair): decide(comparison, own, direction=self._direction)
            for (pair, comparison), own in zip(judged, corrected, strict=True)
        }
        return [
            PairSoFar(
                pair.a, pair.b, pair.groups, comparison, verdicts.get(id(pair)), _is_lost(pair)
            )
            for pair, comparison in compared
        ]

    def _compare(self, pair: _Values) -> Comparison:
        if pair.comparison is None:
            pair.comparison = compare(
                _in_order(pair) or [NO_VALUE],
                margin_ratio=self._study.margin,
                method=self._method,
            )
        return pair.comparison


def _in_order(pair: _Values) -> list[BlockValue]:
    """Return the values up to the first block that is missing."""
    numbers = sorted(pair.by_block)
    complete = [number for place, number in enumerate(numbers) if number == numbers[0] + place]
    return [pair.by_block[number] for number in complete]


def _is_lost(pair: _Values) -> bool:
    latest = _in_order(pair)[-MOST_LOST:]
    return len(latest) == MOST_LOST and all(each.value != each.value for each in latest)


def _with_baseline(study: Study, cells: Iterable[Cell]) -> list[tuple[Cell, Cell, bool]]:
    """Return each cell with that of the baseline, if both are measured."""
    known = dict.fromkeys(cells)
    bases = {cell: replace(cell, contender=study.baseline, twin=False) for cell in known}
    return [(cell, base, False) for cell, base in bases.items() if cell != base and base in known]


@dataclass(frozen=True, slots=True)
class ClaimSoFar:
    """A claim that can be tested; `open` are the parts that further blocks will probably close."""

    id: str
    is_decided: bool
    open: tuple[OpenPart, ...]


class ClaimsSoFar:
    """Reads blocks as they appear in a bundle, each once, and judges the study's claims."""

    def __init__(self, bundle: Contents, study: Study, schedule: Schedule) -> None:
        self._bundle, self._study, self._schedule = bundle, study, schedule
        self._group_of = {cell: block.group for block in schedule.blocks for cell in block.cells}
        self._values: dict[str, RunValues] = {}
        self._read: dict[str, list[int]] = {}

    def read(self, block: Block) -> None:
        """Read a block; a repeated one replaces its earlier attempt."""
        self._values[block.id] = RunValues.from_bundle(self._bundle, self._study, block.id)
        numbers = self._read.setdefault(block.group, [])
        self._read[block.group] = sorted({*numbers, block.number})

    def claims(self) -> list[ClaimSoFar]:
        """Judge all claims that can be tested, as one family."""
        if not self._values:
            return []
        values = RunValues.merged(list(self._values.values()))
        evidence = ClaimEvidence.from_schedule(
            self._schedule,
            values.values,
            self._study.margin,
            values.block_values,
            lambda metric: method_of(self._schedule, metric),
        )
        return [
            self._so_far(claim, values)
            for claim in check_claims(self._study, evidence)
            if claim.tested
        ]

    def _so_far(self, claim: ClaimCheck, values: RunValues) -> ClaimSoFar:
        if claim.verdict is not ClaimVerdict.CANNOT_TELL:
            return ClaimSoFar(claim.id, True, ())
        parts = tuple(
            OpenPart(self._groups(test), test.further_blocks)
            for test in claim.tests
            if test.further_blocks is not None and not self._is_lost(test.cells, values)
        )
        return ClaimSoFar(claim.id, False, parts)

    def _groups(self, test: ElementaryResult) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._group_of[cell] for cell in test.cells))

    def _is_lost(self, cells: Collection[Cell], values: RunValues) -> bool:
        """Return whether a cell has no value in the latest blocks, as in further ones then."""
        return any(self._has_no_latest(cell, values) for cell in cells)

    def _has_no_latest(self, cell: Cell, values: RunValues) -> bool:
        group = self._group_of.get(cell)
        if group is None:
            return True
        latest = self._read.get(group, [])[-MOST_LOST:]
        measured = values.runs[cell].index if cell in values.runs else ()
        return len(latest) == MOST_LOST and not set(latest) & set(measured)
