"""Sessions of contenders that took turns, from a few times."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from wirelab.analysis.figures.turns import SessionTurns
from wirelab.analysis.values import RunValues
from wirelab.study import Cell, ClosedLoad, Load, OpenLoad

MS = 1_000_000
CPUS = 2
LOADS: Mapping[str, Load] = {
    "u1": ClosedLoad(kind="closed", title="one client", clients=1),
    "u4": ClosedLoad(kind="closed", title="four thinking", clients=4, think_time_us=50.0),
    "arrivals": OpenLoad(kind="constant", title="400/s", rate_per_s=400.0, connections=1),
}

REST = Cell("rest", "fetch", "postgresql", "native", "u1")
TWIN = Cell("rest", "fetch", "postgresql", "native", "u1", twin=True)
GRPC = Cell("grpc", "fetch", "postgresql", "native", "u1")
SOAP = Cell("soap", "fetch", "postgresql", "native", "u1")


def session(
    typical_us: Mapping[Cell, Sequence[float]],
    *,
    mean_us: Mapping[Cell, Sequence[float]] | None = None,
    order: Sequence[Sequence[Cell]] | None = None,
    stolen: Sequence[float] | None = None,
    block: int = 1,
    group: str = "fetch",
    number: int = 1,
) -> SessionTurns:
    """Lay out slices of 50 ms with 20 transactions, one a permutation for each cell.

    `stolen` gives the share of a permutation's time that the host took.
    """
    permutations = len(next(iter(typical_us.values())))
    turns = order or [list(typical_us)] * permutations
    rows = []
    for permutation, cells in enumerate(turns):
        for position, cell in enumerate(cells, start=1):
            typical = typical_us[cell][permutation]
            lost = 0.0 if stolen is None else stolen[permutation]
            rows.append(
                {
                    "cell": cell,
                    "run_id": cell.registration,
                    "permutation": permutation + 1,
                    "position": position,
                    "guard_ns": 5 * MS,
                    "started_ns": 0,
                    "ended_ns": 50 * MS,
                    "drain_ns": 1 * MS,
                    "transactions": 20,
                    "failed": 0,
                    "median_us": typical,
                    "mean_us": typical if mean_us is None else mean_us[cell][permutation],
                    "steal_us": [lost * 56_000.0] * CPUS,
                }
            )
    return SessionTurns(block, group, number, pd.DataFrame(rows), LOADS)


def noisy(typical_us: float, random: np.random.Generator, permutations: int = 30) -> list[float]:
    """Draw slices around a time, with 2 % of noise."""
    times: list[float] = (typical_us * np.exp(random.normal(0.0, 0.02, permutations))).tolist()
    return times


def values_of(
    *sessions: SessionTurns, runs: Mapping[Cell, pd.DataFrame] | None = None
) -> RunValues:
    """Make values as `RunValues.of` would of a bundle."""
    turns: dict[Cell, dict[int, tuple[SessionTurns, ...]]] = {}
    for each in sessions:
        for cell in each.cells:
            by_block = turns.setdefault(cell, {})
            by_block[each.block] = (*by_block.get(each.block, ()), each)
    frames = runs or {
        cell: pd.DataFrame(
            {"latency_p99_us": 1.0, "machine": ""}, index=pd.Index(by_block, name="block")
        )
        for cell, by_block in turns.items()
    }
    worst = max((float(each.stolen_shares.max()) for each in sessions), default=0.0)
    return RunValues(frames, turns, (), "rest", worst)
