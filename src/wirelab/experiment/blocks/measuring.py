"""Measure block after block, with further looks and within a time budget."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from statistics import mean

from wirelab.analysis import ComparedPair, analyse
from wirelab.bundle import Bundle
from wirelab.experiment.blocks.crew import Crew
from wirelab.experiment.blocks.looks import GroupSoFar, next_look, out_of_time, too_wide
from wirelab.experiment.observer import Observer
from wirelab.planning.plan import PlannedStudy
from wirelab.planning.schedule import Block, Schedule, extend
from wirelab.statistics import MINIMUM_BLOCKS
from wirelab.terminal import words


@dataclass
class Measuring:
    """The blocks of one execution, run by a crew."""

    plan: PlannedStudy
    bundle: Bundle
    observer: Observer
    crew: Crew

    def carry_out(self) -> None:
        """Run the blocks, and further ones for groups whose intervals are still too wide."""
        schedule, looks = self.plan.schedule, self._looks_so_far()
        while True:
            blocks = schedule.remaining(self.bundle.finished_block_ids())
            self.observer.phase("Measuring", len(blocks))
            if not self.crew.carry_out(blocks, lambda block: not self._is_over_budget(block)):
                self._cut_short(schedule)
                return
            longer = self._next_look(schedule, looks)
            if longer is None:
                return
            schedule, looks = longer, looks + 1

    def _looks_so_far(self) -> int:
        """Return the number of looks of a resumed study, including the current one."""
        return 1 + [event.get("event") for event in self.bundle.events()].count("look")

    def _next_look(self, schedule: Schedule, looks: int) -> Schedule | None:
        """Schedule further blocks if the design allows it and intervals are too wide."""
        design = self.plan.design
        if not design.looks and design.budget_minutes is None:
            return None
        left_s = self._seconds_left()
        if left_s == 0 and looks == 1:
            return None  # whatever an analysis would find
        study, varying = self.plan.study, most_variable(self.bundle, schedule)
        groups = self._groups(schedule, varying)
        more = next_look(design, study.margin, looks, groups, left_s)
        if not more:
            ended = out_of_time(design, study.margin, groups, left_s)
            if ended and looks > 1:  # further blocks were announced
                self.observer.note(ended)
            return None
        longer = extend(study, schedule, more)
        added = words.plural(len(longer.blocks) - len(schedule.blocks), "more block")
        why = too_wide(design, study, [varying[name] for name in more])
        self.observer.note(f"measuring {added}, since {why}")
        self.bundle.write_schedule(longer)
        self.bundle.append_event("look", blocks=more)
        return longer

    def _groups(
        self, schedule: Schedule, varying: Mapping[str, ComparedPair]
    ) -> dict[str, GroupSoFar]:
        """Return each group's number of blocks, their duration, and its variation."""
        took: dict[str, list[float]] = {}
        for record in self.bundle.block_records():
            took.setdefault(record.block.group, []).append(record.seconds)
        return {
            name: GroupSoFar(
                blocks, varying[name].comparison.standard_deviation, mean(took.get(name, [0.0]))
            )
            for name, blocks in schedule.repetitions.items()
            if name in varying
        }

    def _seconds_left(self) -> float | None:
        """Return the remaining time budget; None without one."""
        if self.plan.design.budget_minutes is None:
            return None
        spent_s = sum(record.seconds for record in self.bundle.block_records())
        return max(0.0, 60 * self.plan.design.budget_minutes - spent_s)

    def _is_over_budget(self, block: Block) -> bool:
        """Return whether the budget has no time for a block that no verdict needs."""
        left_s = self._seconds_left()
        if left_s is None or block.number <= MINIMUM_BLOCKS:
            return False
        took = [r.seconds for r in self.bundle.block_records() if r.block.group == block.group]
        return mean(took or [0.0]) > left_s

    def _cut_short(self, schedule: Schedule) -> None:
        """Remove the blocks from the schedule that did not fit into the budget."""
        done = self.bundle.finished_block_ids()
        blocks = tuple(block for block in schedule.blocks if block.id in done)
        left = len(schedule.blocks) - len(blocks)
        those = words.plural(left, "block is", "blocks are")
        self.observer.note(f"the time budget is used up: {those} left out")
        self.bundle.append_event("budget spent", left_out=left)
        self.bundle.write_schedule(replace(schedule, blocks=blocks))


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
    found = pair.comparison.standard_deviation
    return math.inf if found is None else found
