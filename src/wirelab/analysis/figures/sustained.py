"""The rates that contenders sustain, from the trials of blocks, and their overload behaviour."""

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median

from wirelab.analysis.cells import measured
from wirelab.analysis.model import Overloaded, Sustained
from wirelab.bundle import BlockRecord, CapacityRecord, OverloadRecord
from wirelab.study import Cell, Study

STRICT = 0.05
"""The exceed ratio that is shown in addition to the main one of one half."""
OPTIONS = {
    "search_seconds": "--search",
    "trial_seconds": "--trial",
    "repeats": "--repeats",
    "objective": "--objective",
    "connections": "--connections",
}
"""The keys of a load, and the same as options of `wirelab capacity`."""


def sustained(blocks: Iterable[BlockRecord]) -> dict[Cell, Sustained]:
    """Summarise the trials of every cell whose load measures capacity, from its valid runs."""
    records: dict[Cell, dict[int, CapacityRecord]] = {}
    for block in blocks:
        for run in block.runs:
            if run.status == "valid" and run.capacity is not None:
                of_cell = records.setdefault(run.run.cell, {})
                of_cell.setdefault(block.block.number, run.capacity)
    return {cell: _sum_up(list(found.values())) for cell, found in records.items()}


def shown_warning(study: Study, text: str) -> str:
    """Return a warning of a search with what the user can change, not options of the engine."""
    return text.replace("allow more with -c or -m", f"raise {setting_of(study, 'connections')}")


def setting_of(study: Study, key: str) -> str:
    """Return what changes a key of the load: the option of the command, or the key itself."""
    return OPTIONS[key] if study.has_options else key


def _sum_up(records: Sequence[CapacityRecord]) -> Sustained:
    searches = [record.search for record in records if record.search is not None]
    strict = [goal for search in searches for goal in search.goals if goal.exceed_ratio == STRICT]
    overloads = [
        (record.rate_per_s, row)
        for record in records
        for row in record.overload
        if record.rate_per_s
    ]
    return Sustained(
        objective=records[0].objective,
        rate_per_s=measured(
            record.rate_per_s for record in records if record.rate_per_s is not None
        ),
        strict_per_s=(strict[0].lower_per_s, strict[0].upper_per_s) if strict else (None, None),
        strict_outcome=strict[0].outcome if strict else None,
        overload=tuple(
            _overloaded(times, [each for each in overloads if each[1].times == times])
            for times in sorted({row.times for _, row in overloads})
        ),
        ended=tuple(
            {str(record.ended): record.ended for record in records if record.ended}.values()
        ),
        warnings=tuple(text for search in searches for text in search.warnings),
    )


def _overloaded(times: float, found: Sequence[tuple[float, OverloadRecord]]) -> Overloaded:
    """Summarise overloads of one kind, each relative to the sustained rate."""
    rows = [row for _, row in found]
    errors: Counter[str] = Counter()
    for row in rows:
        errors.update(row.trial.errors)
    recovered = [row.recovery_s for row in rows if row.recovery_s is not None]
    return Overloaded(
        times=times,
        good_share=median(row.trial.judged.good / row.trial.seconds / rate for rate, row in found),
        failed=tuple(name for name, _ in errors.most_common()),
        failed_share=median(row.trial.failed / max(1, row.trial.judged.due) for row in rows),
        never_sent_share=median(
            row.trial.never_sent / max(1, row.trial.judged.due) for row in rows
        ),
        recovery_s=median(recovered) if 2 * len(recovered) > len(rows) else None,
    )
