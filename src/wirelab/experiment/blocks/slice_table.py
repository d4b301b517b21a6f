"""The slices of a session as a table: one row per slice, with its contender and results."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from wirelab.bundle import SLICES
from wirelab.engine.events import SliceRow
from wirelab.planning.schedule import Run


@dataclass(frozen=True, slots=True)
class Turn:
    """One slice: whose turn it was, in which permutation, and at which position in it, from 1.

    Permutations of a rehearsal are numbered separately.
    """

    run: Run
    permutation: int
    position: int
    row: SliceRow


def write_slices(folder: Path, turns: Sequence[Turn], cpus: Collection[int]) -> None:
    """Write slices.parquet: times in µs or ns as their names say, one column a role's CPU time.

    Stolen time is that of `cpus`: time stolen from other CPUs does not disturb slices.
    """
    if turns:
        table = pd.DataFrame([_row(turn, cpus) for turn in turns])
        table.to_parquet(folder / SLICES, index=False)


def _row(turn: Turn, cpus: Collection[int]) -> dict[str, object]:
    row = turn.row.model_dump(exclude={"target", "errors", "cpu_us", "steal_us"})
    errors = ", ".join(f"{name}: {count}" for name, count in turn.row.errors.items())
    return {
        "run_id": turn.run.id,
        "permutation": turn.permutation,
        "position": turn.position,
        **row,
        "errors": errors,
        **{f"{role}_cpu_us": used for role, used in turn.row.cpu_us.items()},
        "steal_us": [us for cpu, us in enumerate(turn.row.steal_us) if cpu in cpus],
    }
