"""Which block is measured next: of a fixed number, or where a verdict is nearest."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import mean

from wirelab.analysis.settings import setting_title
from wirelab.analysis.so_far import (
    ClaimSoFar,
    ClaimsSoFar,
    ComparisonsSoFar,
    IsEnough,
    OpenPart,
    PairSoFar,
)
from wirelab.bundle import BlockRecord, Bundle
from wirelab.bundle.records import BUDGET_SPENT, DECIDED
from wirelab.experiment.events import (
    ComparisonSoFar,
    ComparisonsUpdated,
    Note,
    Observer,
    StageStarted,
)
from wirelab.planning.plan import PlannedStudy
from wirelab.planning.schedule import Block, extend
from wirelab.statistics import MINIMUM_BLOCKS, Interval
from wirelab.terminal import words

Choose = Callable[[Sequence[Block]], Block | None]
"""Chooses one of the blocks that may begin; None for none of them."""


class BlockQueue:
    """The blocks that are still to be measured in one execution of a study.

    Each setting first has the blocks of the schedule. If that is until all comparisons, or claims,
    are decided, the next block then goes to the setting with the undecided one that probably needs
    the fewest in all: one that needs more than was expected waits until others have as many. One
    that no block will decide gets none. After the blocks that a verdict needs, no block begins that
    would not end within the budget.

    With `is_enough`, such a study ends when that says so, also if more or fewer comparisons are
    decided; until then its settings take turns.
    """

    def __init__(
        self,
        plan: PlannedStudy,
        bundle: Bundle,
        observer: Observer,
        is_enough: IsEnough | None = None,
    ) -> None:
        self._plan, self._bundle, self._observer = plan, bundle, observer
        self._is_enough = is_enough
        self._schedule = plan.schedule
        self._comparisons = ComparisonsSoFar(bundle, plan.study, plan.schedule)
        self._pairs = self._comparisons.pairs()
        self._claims_so_far = self._claims_reader()
        self._claims: list[ClaimSoFar] = []
        self._pending = list(self._schedule.remaining(bundle.finished_block_ids()))
        self._again: list[Block] = []
        self._under_way: dict[str, Block] = {}
        self._has_ended = False
        self._attempts = {_key(record): record for record in bundle.current_records()}
        steps = self._to_decide if self._schedule.until_decided else len(self._pending)
        observer.on(StageStarted("Measuring", steps))
        observer.on(self._update())
        finished = [record.block for record in bundle.last_attempts() if not record.failures]
        for block in finished:
            self._compare(block, is_last=block is finished[-1])

    def take(self, choose: Choose = lambda blocks: blocks[0]) -> Block | None:
        """Begin a block; None if none of those that may begin is chosen, or if none is left."""
        waiting = self._may_begin()
        block = choose(waiting) if waiting else None
        if block is None:
            return None
        if block in self._again:
            self._again.remove(block)
        elif block in self._pending:
            self._pending.remove(block)
        else:
            blocks = {block.group: block.number}
            self._schedule = extend(self._plan.study, self._schedule, blocks)
            self._bundle.write_schedule(self._schedule)
        self._under_way[block.id] = block
        return block

    def put_back(self, block: Block) -> None:
        """Let a block that was begun be measured again, before all others."""
        self._end_attempt(block)
        self._again.append(block)

    def finish(self, block: Block) -> None:
        """Compare again with a block that is in the bundle now."""
        self._end_attempt(block)
        self._compare(block)

    def has_ended(self) -> bool:
        """Return whether no block is left to measure, and none is under way; then tell why."""
        if self._under_way or self._may_begin():
            return False
        if not self._has_ended:
            self._has_ended = True
            self._conclude()
        return True

    @property
    def _goals(self) -> list[PairSoFar] | list[ClaimSoFar]:
        """What is measured until it is decided: comparisons that questions make, or claims."""
        if self._claims_so_far is not None:
            return self._claims
        return self._questions

    @property
    def _questions(self) -> list[PairSoFar]:
        """The comparisons that questions make, if they can be decided after any block."""
        return [pair for pair in self._pairs if pair.verdict is not None]

    @property
    def _to_decide(self) -> int:
        """How many of them there are; all claims, until a block shows which can be tested."""
        if self._claims_so_far is not None and not self._claims:
            return len(self._plan.study.claims.claims)
        return len(self._goals)

    @property
    def _open(self) -> list[OpenPart]:
        """What further blocks will probably decide."""
        return [part for goal in self._goals for part in goal.open]

    def _claims_reader(self) -> ClaimsSoFar | None:
        """Return what judges the claims, if these are measured until they are decided."""
        if self._plan.design.until != "claims" or not self._schedule.until_decided:
            return None
        return ClaimsSoFar(self._bundle, self._plan.study, self._schedule)

    def _may_begin(self) -> list[Block]:
        """Return the blocks that may begin now, the most urgent first."""
        planned = [block for block in self._pending if self._fits(block)]
        return [*self._again, *planned] or self._next_blocks()

    def _next_blocks(self) -> list[Block]:
        """Return the next block of each undecided setting, the nearest to a verdict first."""
        blocks = []
        for group in self._undecided():
            longer = extend(
                self._plan.study, self._schedule, {group: self._schedule.repetitions[group] + 1}
            )
            blocks.append(longer.blocks[-1])
        return [block for block in blocks if self._fits(block)]

    def _undecided(self) -> dict[str, int]:
        """Return the undecided groups, with the blocks that will probably decide one more pair.

        Blocks that are under way are not counted. Those that will have the fewest blocks come
        first; last those that the blocks under way will probably decide.
        """
        further: dict[str, list[int]] = {}
        repetitions = self._schedule.repetitions
        if self._is_enough is not None:
            pairs = self._questions
            alive = {group for pair in pairs if not pair.is_lost for group in pair.groups}
            enough = self._is_enough(pairs)
            return {} if enough else dict.fromkeys(sorted(alive, key=repetitions.__getitem__), 1)
        for part in self._open:
            behind = min(part.groups, key=repetitions.__getitem__)
            further.setdefault(behind, []).append(part.further_blocks)
        running = [block.group for block in self._under_way.values()]
        left = {group: min(counts) - running.count(group) for group, counts in further.items()}

        def urgency(group: str) -> tuple[bool, int]:
            return left[group] <= 0, repetitions[group] + left[group]

        return {group: left[group] for group in sorted(left, key=urgency)}

    def _fits(self, block: Block) -> bool:
        """Return whether a verdict needs a block, or the budget has the time for it."""
        design = self._plan.design
        least = design.first_blocks if self._schedule.until_decided else MINIMUM_BLOCKS
        loads = self._plan.study.loads.values()
        if len(self._plan.study.contenders) == 1 and any(load.kind == "capacity" for load in loads):
            least = 1  # its capacity is compared with nothing
        left_s = self._seconds_left()
        return left_s is None or block.number <= least or self._block_s(block.group) <= left_s

    def _seconds_left(self) -> float | None:
        """Return the remaining time budget; None without one."""
        minutes = self._schedule.budget_minutes or self._plan.design.budget_minutes
        if minutes is None:
            return None
        spent_s = sum(record.seconds for record in self._attempts.values())
        running_s = sum(self._block_s(block.group) for block in self._under_way.values())
        return max(0.0, 60 * minutes - spent_s - running_s)

    def _block_s(self, group: str) -> float:
        """Return how long the blocks of a group take; until one is known, as long as planned."""
        own = [record for record in self._attempts.values() if record.block.group == group]
        if own:
            return mean(record.seconds - _once_s(record) for record in own)
        return self._schedule.estimated_seconds / max(1, len(self._schedule.blocks))

    def _end_attempt(self, block: Block) -> None:
        del self._under_way[block.id]
        records = self._bundle.current_records(block.id)
        self._attempts |= {_key(record): record for record in records}

    def _compare(self, block: Block, *, is_last: bool = True) -> None:
        """Compare with a block, and tell observers; claims are judged with the last one."""
        self._comparisons.read(block)
        self._pairs = self._comparisons.pairs()
        if self._claims_so_far is not None:
            self._claims_so_far.read(block)
            if is_last:
                self._claims = self._claims_so_far.claims()
        self._observer.on(self._update())

    def _update(self) -> ComparisonsUpdated:
        goals, undecided = self._goals, self._undecided()
        nearest = None if self._is_enough else next(iter(undecided), None)
        return ComparisonsUpdated(
            tuple(_as_event(pair) for pair in self._pairs),
            decided=sum(goal.is_decided for goal in goals),
            questions=self._to_decide,
            nearest="" if nearest is None else self._title(nearest),
            further_blocks=None if nearest is None else undecided[nearest],
            seconds_left=self._expected_s() if goals else None,
        )

    def _expected_s(self) -> float:
        """Estimate how long it takes to decide all that can be, within the budget."""
        most = Counter(block.group for block in self._pending)
        for part in self._open:
            for group in part.groups:
                most[group] = max(most[group], part.further_blocks)
        expected_s = sum(count * self._block_s(group) for group, count in most.items())
        left_s = self._seconds_left()
        return expected_s if left_s is None else min(expected_s, left_s)

    def _title(self, group: str) -> str:
        """Name a group by the title of its workload, and where others have it, by the setting."""
        study, schedule = self._plan.study, self._schedule
        cells = {block.group: block.cells[0] for block in schedule.blocks}
        workload = cells[group].workload
        if [cell.workload for cell in cells.values()].count(workload) == 1:
            return study.workloads[workload].title
        return setting_title(study, cells[group], schedule.cells)

    def _conclude(self) -> None:
        """Remove the blocks from the schedule that were not measured, and say why it ends."""
        done = self._bundle.finished_block_ids()
        blocks = tuple(block for block in self._schedule.blocks if block.id in done)
        left = len(self._schedule.blocks) - len(blocks)
        if left:
            self._schedule = replace(self._schedule, blocks=blocks)
            self._bundle.write_schedule(self._schedule)
        goals, undecided = self._goals, self._undecided()
        decided = sum(goal.is_decided for goal in goals)
        if not self._schedule.until_decided:
            if left:
                those = words.plural(left, "block is", "blocks are")
                self._end(BUDGET_SPENT, f"the time budget is used up: {those} left out", left)
        elif undecided:
            self._end(BUDGET_SPENT, f"the time budget is used up: {self._update().text}", left)
        elif goals:
            of = words.plural(len(goals), "claim" if self._claims_so_far else "comparison")
            all_known = decided == len(goals) or self._is_enough is not None
            others = "" if all_known else "; no further block will decide the others"
            self._end(DECIDED, f"{decided} of {of} decided{others}", left)

    def _end(self, event: str, text: str, left_out: int) -> None:
        self._observer.on(Note(text))
        self._bundle.append_event(event, left_out=left_out)


def _key(record: BlockRecord) -> tuple[str, int]:
    return record.block.id, record.attempt


def _as_event(pair: PairSoFar) -> ComparisonSoFar:
    comparison, verdict = pair.comparison, pair.verdict
    interval = comparison.interval95 or Interval(0.0, float("inf"))
    known = interval.low > 0.0 and interval.high < float("inf")
    return ComparisonSoFar(
        pair.a,
        pair.b,
        blocks=comparison.blocks,
        ratio=comparison.ratio if comparison.blocks else None,
        low=interval.low if known else None,
        high=interval.high if known else None,
        verdict=str(verdict) if verdict is not None and verdict.is_decided else "",
        further_blocks=pair.further_blocks,
        is_question=verdict is not None,
    )


def _once_s(record: BlockRecord) -> float:
    """Return how long a block searched for capacities, which no further block repeats."""
    searches = [run.capacity.search for run in record.runs if run.capacity is not None]
    return sum(search.seconds for search in searches if search is not None)
