"""Whether turns were fair: carry-over from one slice to the next, and work out of turn."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wirelab.analysis.figures.turns import SessionTurns
from wirelab.analysis.values import RunValues
from wirelab.statistics import CarryOver, Turns, busy_when_idle, carry_over
from wirelab.study import Cell

CARRY_OVER_P = 0.01
"""Below this p value, times depend on the predecessor."""


@dataclass(frozen=True, slots=True)
class Fairness:
    """The fairness of turns in one group of cells.

    `carry_over` is None with fewer than two usable blocks. `busy` gives the share of one CPU that
    contenders used outside their own slices, for those above the limit; `idle_share` is the largest
    of all these shares, None if unknown.
    """

    group: str
    cells: tuple[Cell, ...]
    carry_over: CarryOver | None
    busy: Mapping[Cell, float]
    idle_share: float | None = None

    @property
    def carries_over(self) -> bool:
        """Whether times depend on the predecessor."""
        return self.carry_over is not None and self.carry_over.p_value < CARRY_OVER_P


def check_fairness(values: RunValues, metric: str) -> tuple[Fairness, ...]:
    """Check every group of cells that took turns."""
    groups: dict[str, list[SessionTurns]] = {}
    for session in values.sessions():
        if session.takes_turns:
            groups.setdefault(session.group, []).append(session)
    return tuple(_check(group, sessions, values, metric) for group, sessions in groups.items())


def _check(
    group: str, sessions: Sequence[SessionTurns], values: RunValues, metric: str
) -> Fairness:
    cells = tuple(sorted({cell for each in sessions for cell in each.cells}, key=str))
    whole = [each for each in sessions if each.is_complete and set(each.cells) == set(cells)]
    idle = {cell: values.column(cell, "idle_cpu_share").values() for cell in cells}
    means = {str(n): _mean(idle[cell]) for n, cell in enumerate(cells)}
    busy = busy_when_idle(means)
    return Fairness(
        group=group,
        cells=cells,
        carry_over=carry_over([_turns(each, cells, metric) for each in whole]),
        busy={cells[int(number)]: share for number, share in busy.items()},
        idle_share=max((mean for mean in means.values() if mean is not None), default=None),
    )


def _turns(session: SessionTurns, cells: Sequence[Cell], metric: str) -> Turns:
    """Return the times of a session with the columns in the order of `cells`."""
    columns = [cells.index(cell) for cell in session.cells]
    log_times = np.column_stack([session.logs(metric, cell) for cell in cells])
    return Turns(log_times, np.array(columns)[session.order])


def _mean(shares: Iterable[float]) -> float | None:
    known = list(shares)
    return float(np.mean(known)) if known else None
