"""What did not fit into a time budget: operations and verdicts; and the sufficient budget."""

import math
from collections.abc import Collection, Iterator, Sequence

from wirelab import words
from wirelab.analysis.model import Caution, Judged
from wirelab.bundle import BlockRecord
from wirelab.schedule import Schedule
from wirelab.statistics import MINIMUM_BLOCKS
from wirelab.statistics.comparison import too_few_blocks
from wirelab.study import Study

COMPARE = "compare"
"""The id of studies that `wirelab compare` writes, which has `--budget` and `--margin`."""
OF_CAPACITY = "capacity"
"""The id of studies that `wirelab capacity` writes, which has `--margin`."""
LEAST_GROWTH = 2.0
"""A suggested budget is at least this multiple of the last one, since blocks get longer, too."""
NOT_MEASURED = "Not measured"
NOT_DECIDED = "Not decided"


def budget_s(study: Study, schedule: Schedule) -> float | None:
    """Return the `--budget` of a comparison in seconds; None for a study without this option."""
    minutes = study.designs[schedule.design].budget_minutes
    return None if study.id != COMPARE or minutes is None else 60 * minutes


def omitted(study: Study, schedule: Schedule) -> dict[str, tuple[str, ...]]:
    """Return the titles of the workloads that were wanted and left out, by reason."""
    return {
        reason: tuple(study.workloads[level].title for level in levels)
        for (factor, reason, wanted), levels in schedule.left_out.items()
        if wanted and factor == "workload"
    }


def omission_cautions(study: Study, schedule: Schedule) -> Iterator[Caution]:
    """Name what was left out, and the reason."""
    for reason, titles in omitted(study, schedule).items():
        yield Caution("serious", NOT_MEASURED, f"{words.listed(titles)} ({reason})")


def undecided_cautions(
    study: Study,
    schedule: Schedule,
    pairs: Sequence[Judged],
    records: Sequence[BlockRecord],
    silent: Collection[str] = (),
) -> Iterator[Caution]:
    """Suggest blocks and a budget that would probably decide what `compare` left undecided.

    Nothing is suggested for `silent` contenders, which stopped answering. Blocks are assumed to
    last as long as those of the same group so far (`records`), and to be valid as often.
    """
    given_s = budget_s(study, schedule)
    if given_s is None:
        return
    group_of = {run.cell: block.group for block in schedule.blocks for run in block.runs}
    took: dict[str, list[float]] = {}
    for record in records:
        took.setdefault(record.block.group, []).append(record.seconds)
    needed: dict[str, int] = {}
    imprecise: list[Judged] = []
    enough: list[int] = []
    short: list[Judged] = []
    for pair in pairs:
        group = group_of[pair.a]
        if pair.a.contender in silent or pair.b.contender in silent:
            continue
        if blocks := _blocks_needed(pair, len(took.get(group, ()))):
            needed[group] = max(needed.get(group, 0), blocks)
            if pair.comparison.blocks < MINIMUM_BLOCKS:
                short.append(pair)
            else:
                imprecise.append(pair)
                enough.append(blocks)
    seconds = math.fsum(
        math.fsum(times) * max(1.0, needed.get(group, 0) / len(times))
        for group, times in took.items()
    )
    budget = words.budget(max(seconds, LEAST_GROWTH * given_s))
    reasons = {
        _would_decide(enough): imprecise,
        too_few_blocks(min((it.comparison.blocks for it in short), default=0)): short,
    }
    for reason, undecided in reasons.items():
        if undecided:
            names = words.listed(
                f"{pair.a_label} against {pair.b_label}"
                f" at “{study.workloads[pair.a.workload].title}”"
                for pair in undecided
            )
            yield Caution("minor", NOT_DECIDED, f"{names} ({reason}: --budget {budget})")


def _would_decide(blocks: Sequence[int]) -> str:
    """Say how many blocks would decide pairs; `blocks` is the number that each of them needs."""
    least, most = min(blocks, default=0), max(blocks, default=0)
    if len(blocks) < 2:
        return f"about {most} blocks would probably decide it"
    if least == most:
        return f"about {most} blocks would probably decide all of them"
    return f"about {least} blocks would probably decide one of them, {most} all of them"


def _blocks_needed(pair: Judged, measured: int) -> int:
    """Return how many blocks would probably decide a pair of which `measured` are known.

    0 if it has a verdict, or no valid block.
    """
    valid = pair.comparison.blocks
    if pair.verdict is None or not valid:
        return 0
    if valid < MINIMUM_BLOCKS:
        return math.ceil(MINIMUM_BLOCKS * measured / valid)
    return pair.verdict.blocks_needed or 0
