"""Cautions about runs that are missing, altered, do not count, or were measured apart."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from wirelab.analysis.answers.invalid_runs import (
    InvalidRuns,
    are_wrong,
    each_kind,
    group_reasons,
    names_obstacle,
    stopped_answering,
)
from wirelab.analysis.cautions.caution import Caution, Severity
from wirelab.analysis.cautions.evidence import Evidence
from wirelab.analysis.comparing import method_of
from wirelab.bundle import AcceptedChange, AlteredFile
from wirelab.bundle.run_reasons import ApartReason
from wirelab.terminal import words

Remedy = Literal["restart", "correct", "more blocks", ""]
REMEDIES: dict[Remedy, str] = {
    "restart": ". What to do: look at the server's log, restart it, and measure again",
    "correct": ". What to do: find out why these answers differ from the verified ones, such as"
    " state that requests share or data that changed, and measure again",
    "more blocks": ". What to do: measure more blocks, each of which tries other rates",
    "": "",
}


@dataclass(frozen=True)
class Incomplete(Caution):
    """Planned runs were not run."""

    SEVERITY = "serious"
    TITLE = "The study is not complete"
    missing: int
    planned: int

    def _detail(self) -> str:
        return (
            f"{words.plural(self.missing, 'planned run')} of {self.planned} not run;"
            " `wirelab run --resume` continues with them"
        )


@dataclass(frozen=True)
class RunsDoNotCount(Caution):
    """Runs are invalid."""

    runs: int
    groups: tuple[InvalidRuns, ...]
    is_grave: bool
    """Whether they are many, or a cell has no other run."""
    remedy: Remedy

    @property
    def severity(self) -> Severity:
        """See `is_grave`."""
        return "serious" if self.is_grave else "minor"

    @property
    def title(self) -> str:
        """The number of runs."""
        return f"{words.plural(self.runs, 'run does', 'runs do')} not count"

    def _detail(self) -> str:
        return "; ".join(group.sentence for group in self.groups) + REMEDIES[self.remedy]


@dataclass(frozen=True)
class RanApart(Caution):
    """Contenders of a block could not run at the same time."""

    reasons: tuple[ApartReason, ...]

    @property
    def title(self) -> str:
        """The number of blocks."""
        blocks = words.plural(len(self.reasons), "block")
        return f"Contenders did not all run at the same time in {blocks}"

    def _detail(self) -> str:
        return "; ".join(each_kind(self.reasons))


@dataclass(frozen=True)
class TooFewBlocks(Caution):
    """Cells have too few valid runs for a verdict."""

    SEVERITY = "serious"
    TITLE = "Too few blocks for a verdict"
    cells: int
    of: int
    fewest: int
    least: int
    more_helps: bool

    def _detail(self) -> str:
        remedy = f". What to do: measure at least {self.least} blocks"
        return (
            f"{self.cells} of {words.plural(self.of, 'cell')} have fewer than"
            f" {self.least} valid runs (the fewest: {self.fewest}); their comparisons end in"
            f" “cannot tell”{remedy if self.more_helps else ''}"
        )


@dataclass(frozen=True)
class ManyBlocksLost(Caution):
    """Pairs lost so many blocks that those that count may not represent all."""

    TITLE = "Many blocks of a comparison do not count"
    pairs: tuple[tuple[str, int, int], ...]
    """With the lost blocks, and all of them."""

    def _detail(self) -> str:
        named = [f"{name} ({lost} of {of} blocks)" for name, lost, of in self.pairs]
        return (
            f"{words.first_few(named)}. If runs fail because they are slow, the others flatter the"
            " contender"
        )


def runs(evidence: Evidence) -> Iterator[Caution]:
    """Find runs that are missing or do not count."""
    validity = evidence.validity
    if validity.missing:
        yield Incomplete(validity.missing, validity.planned)
    if validity.faulty:
        many = len(validity.faulty) > 0.1 * validity.planned
        lost = any(fault.run.cell not in evidence.summaries for fault in validity.faulty)
        groups = group_reasons(validity.faulty, evidence.labels)
        yield RunsDoNotCount(len(validity.faulty), groups, many or lost, _remedy(evidence))


def _remedy(evidence: Evidence) -> Remedy:
    """Return what to do about runs that do not count; "" if their reasons contain it."""
    faulty = evidence.validity.faulty
    if stopped_answering(faulty):
        return "restart"
    if wrong := [fault.reasons for fault in faulty if are_wrong(fault.reasons)]:
        return "" if all(map(names_obstacle, wrong)) else "correct"
    others = (evidence.summaries.get(fault.run.cell) for fault in faulty)
    return "more blocks" if any(each and each.sustained for each in others) else ""


def blocks(evidence: Evidence) -> Iterator[Caution]:
    """Find cells with too few blocks; of contenders to repair, another caution has the remedy."""
    least = method_of(evidence.schedule, evidence.study.metric).least_blocks
    few = {cell: each for cell, each in evidence.summaries.items() if each.runs < least}
    if few and evidence.compares:
        fewest = min(summary.runs for summary in few.values())
        helps = any(cell.contender not in evidence.to_repair for cell in few)
        yield TooFewBlocks(len(few), len(evidence.summaries), fewest, least, helps)


def lost(evidence: Evidence) -> Iterator[Caution]:
    """Find pairs with a verdict of which more than a fifth of the blocks has no value."""
    pairs = [
        (
            f"{pair.a_label} against {pair.b_label} at “{evidence.titles[pair.a]}”",
            pair.comparison.dropped_blocks,
            pair.comparison.blocks + pair.comparison.dropped_blocks,
        )
        for pair in evidence.pairs
        if pair.comparison.has_enough_blocks and pair.comparison.lost_many_blocks
    ]
    if pairs:
        yield ManyBlocksLost(tuple(pairs))


def apart(evidence: Evidence) -> Iterator[Caution]:
    """Find blocks whose contenders did not run at the same time."""
    if reasons := tuple(why for record in evidence.blocks for why in record.apart):
        yield RanApart(reasons)


@dataclass(frozen=True)
class Altered(Caution):
    """Files changed after sealing."""

    SEVERITY = "serious"
    TITLE = "The bundle was altered after it was sealed"
    files: tuple[AlteredFile, ...]

    def _detail(self) -> str:
        files = words.first_few(list(map(str, self.files)))
        return f"{files}. What the report says may not be what was measured"


@dataclass(frozen=True)
class ChangesAccepted(Caution):
    """Files changed after sealing, and the user accepted that."""

    SEVERITY = "serious"
    TITLE = "Altered files were accepted when the study was resumed"
    changes: tuple[AcceptedChange, ...]

    def _detail(self) -> str:
        return words.first_few(
            [f"{each.path}: {each.reason} ({each.accepted_utc})" for each in self.changes]
        )


def alterations(evidence: Evidence) -> Iterator[Caution]:
    """Find files that changed after sealing, and accepted changes."""
    if evidence.alterations:
        yield Altered(evidence.alterations)
    if accepted := evidence.bundle.info.accepted_changes:
        yield ChangesAccepted(accepted)
