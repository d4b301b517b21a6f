"""Which block is measured next: in the order of the schedule, with further looks, in the budget."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from statistics import mean

from wirelab.analysis import ComparedPair, analyse
from wirelab.bundle import Bundle
from wirelab.experiment.blocks.looks import GroupSoFar, next_look, out_of_time, too_wide
from wirelab.experiment.events import Note, Observer, StageStarted
from wirelab.planning.plan import PlannedStudy
from wirelab.planning.schedule import Block, Schedule, extend
from wirelab.statistics import MINIMUM_BLOCKS
from wirelab.terminal import words

Choose = Callable[[Sequence[Block]], Block | None]
"""Chooses one of the pending blocks; None for none of them."""


class BlockQueue:
    """The blocks that are still to be measured in one execution of a study."""

    def __init__(self, plan: PlannedStudy, bundle: Bundle, observer: Observer) -> None:
        self._plan, self._bundle, self._observer = plan, bundle, observer
        self._schedule = plan.schedule
        self._looks = self._looks_so_far()
        self._begun: set[str] = set()
        self._under_way: set[str] = set()
        self._budget_is_spent = False
        self._is_over = False
        self._pending = self._remaining()

    def take(self, choose: Choose = lambda blocks: blocks[0]) -> Block | None:
        """Begin a block; None if no pending one is chosen, or if none is left.

        Once no block is pending and none is under way, further blocks may be added.
        """
        while self._pending or self._add_blocks():
            block = choose(self._pending)
            if block is None:
                return None
            if block.id not in self._begun and self._is_over_budget(block):
                self._budget_is_spent = True
                self._pending = [each for each in self._pending if each.id in self._begun]
                continue
            self._pending.remove(block)
            self._begun.add(block.id)
            self._under_way.add(block.id)
            return block
        return None

    def put_back(self, block: Block) -> None:
        """Let a block that was begun be measured again, before all others."""
        self._under_way.discard(block.id)
        self._pending.insert(0, block)

    def finish(self, block: Block) -> None:
        """Note that a block is in the bundle."""
        self._under_way.discard(block.id)

    def is_over(self) -> bool:
        """Return whether no block is left to measure, after adding further ones if need be."""
        return not (self._pending or self._under_way or self._add_blocks())

    def _remaining(self) -> list[Block]:
        blocks = self._schedule.remaining(self._bundle.finished_block_ids())
        self._observer.on(StageStarted("Measuring", len(blocks)))
        return list(blocks)

    def _add_blocks(self) -> bool:
        """Add blocks for groups with intervals that are too wide; return whether there are any."""
        if self._under_way or self._is_over:
            return False
        longer = None if self._budget_is_spent else self._next_look()
        if longer is None:
            self._is_over = True
            if self._budget_is_spent:
                self._cut_short()
            return False
        self._schedule, self._looks = longer, self._looks + 1
        self._pending = self._remaining()
        return bool(self._pending)

    def _looks_so_far(self) -> int:
        """Return the number of looks of a resumed study, including the current one."""
        return 1 + [event.get("event") for event in self._bundle.events()].count("look")

    def _next_look(self) -> Schedule | None:
        """Schedule further blocks if the design allows it and intervals are too wide."""
        design, study, bundle = self._plan.design, self._plan.study, self._bundle
        if not design.looks and design.budget_minutes is None:
            return None
        left_s = self._seconds_left()
        if left_s == 0 and self._looks == 1:
            return None  # whatever an analysis would find
        varying = most_variable(bundle, self._schedule)
        groups = self._groups(varying)
        more = next_look(design, study.margin, self._looks, groups, left_s)
        if not more:
            ended = out_of_time(design, study.margin, groups, left_s)
            if ended and self._looks > 1:  # further blocks were announced
                self._observer.on(Note(ended))
            return None
        longer = extend(study, self._schedule, more)
        added = words.plural(len(longer.blocks) - len(self._schedule.blocks), "more block")
        why = too_wide(design, study, [varying[name] for name in more])
        self._observer.on(Note(f"measuring {added}, since {why}"))
        bundle.write_schedule(longer)
        bundle.append_event("look", blocks=more)
        return longer

    def _groups(self, varying: Mapping[str, ComparedPair]) -> dict[str, GroupSoFar]:
        """Return each group's number of blocks, their duration, and its variation."""
        took: dict[str, list[float]] = {}
        for record in self._bundle.block_records():
            took.setdefault(record.block.group, []).append(record.seconds)
        return {
            name: GroupSoFar(
                blocks, varying[name].comparison.standard_deviation, mean(took.get(name, [0.0]))
            )
            for name, blocks in self._schedule.repetitions.items()
            if name in varying
        }

    def _seconds_left(self) -> float | None:
        """Return the remaining time budget; None without one."""
        if self._plan.design.budget_minutes is None:
            return None
        spent_s = sum(record.seconds for record in self._bundle.block_records())
        return max(0.0, 60 * self._plan.design.budget_minutes - spent_s)

    def _is_over_budget(self, block: Block) -> bool:
        """Return whether the budget has no time for a block that no verdict needs."""
        left_s = self._seconds_left()
        if left_s is None or block.number <= MINIMUM_BLOCKS:
            return False
        took = [r.seconds for r in self._bundle.block_records() if r.block.group == block.group]
        return mean(took or [0.0]) > left_s

    def _cut_short(self) -> None:
        """Remove the blocks from the schedule that did not fit into the budget."""
        schedule, done = self._schedule, self._bundle.finished_block_ids()
        blocks = tuple(block for block in schedule.blocks if block.id in done)
        left = len(schedule.blocks) - len(blocks)
        those = words.plural(left, "block is", "blocks are")
        self._observer.on(Note(f"the time budget is used up: {those} left out"))
        self._bundle.append_event("budget spent", left_out=left)
        self._bundle.write_schedule(replace(schedule, blocks=blocks))


def most_variable(bundle: Bundle, schedule: Schedule) -> dict[str, ComparedPair]:
    """Return the pair whose block values vary most, among the compared pairs of each group.

    It is one without a standard deviation if some pair has too few blocks for one. Pairs with a
    cell that has no valid run are left out, since no number of blocks would give them an interval;
    so are groups without a pair.
    """
    measured = {
        run.run.cell
        for record in bundle.last_attempts()
        for run in record.runs
        if run.status == "valid"
    }
    group_of = {run.cell: block.group for block in schedule.blocks for run in block.runs}
    by_group: dict[str, list[ComparedPair]] = {}
    for pair in analyse(bundle).pairs:
        if {pair.a, pair.b} <= measured:
            by_group.setdefault(group_of[pair.a], []).append(pair)
    return {group: max(pairs, key=_variation) for group, pairs in by_group.items()}


def _variation(pair: ComparedPair) -> float:
    """Return the standard deviation of a pair's block values; infinite if not known."""
    deviation = pair.comparison.standard_deviation
    return math.inf if deviation is None else deviation
