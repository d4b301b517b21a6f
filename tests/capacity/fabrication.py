"""Measurements of capacities that were never made, with what they should show."""

import numpy as np

from wirelab.capacity.record import BlockOfTrials, CapacityRecord, OverloadRecord, TrialRecord
from wirelab.measure.events import Judged


def trial(contender: str, rate: float, *, kept: bool = True, **others: object) -> TrialRecord:
    """Make a trial of a second, of which everything was good, or nothing."""
    due = round(rate)
    judged = Judged(due=due, good=due if kept else 0, loss_ratio=0.0 if kept else 1.0, is_kept=kept)
    fields = {
        "contender": contender,
        "rate_per_s": rate,
        "seconds": 1.0,
        "judged": judged,
        "failed": 0,
        "never_sent": 0,
        "errors": {},
        "p99_us": 1000.0,
    }
    return TrialRecord.model_validate({**fields, **others})


def record(
    capacities: dict[str, list[float | None]],
    *,
    overload: tuple[OverloadRecord, ...] = (),
    restarted: tuple[str, ...] | None = None,
    reasons: dict[str, str] | None = None,
) -> CapacityRecord:
    """Make a record of these capacities, by contender and block."""
    names = tuple(capacities)
    blocks = len(capacities[names[0]])
    return CapacityRecord(
        objective="p99<50ms",
        contenders=names,
        restarted=names if restarted is None else restarted,
        operation="GET /items",
        connections=32,
        margin=0.05,
        grid_step=0.04,
        searches={},
        blocks=tuple(
            BlockOfTrials(
                number=at + 1,
                trials=(),
                capacities={name: capacities[name][at] for name in names},
                overload=overload,
                reasons=reasons or {},
            )
            for at in range(blocks)
        ),
    )


def around(rate: float, deviation: float, blocks: int, seed: int) -> list[float | None]:
    """Draw the capacities of some starts."""
    draws = np.random.default_rng(seed).normal(0.0, deviation, blocks)
    return [float(rate * np.exp(it)) for it in draws]
