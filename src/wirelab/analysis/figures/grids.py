"""Grids of contenders: the share of a setting's differences due to each factor."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wirelab.analysis.model import Setting
from wirelab.statistics import TwoWay, two_way
from wirelab.study import FactorGrid, Study
from wirelab.terminal import words


@dataclass(frozen=True, slots=True)
class GridEffects:
    """The effects of a grid's factors in one setting; only completely measured rows count."""

    grid: FactorGrid
    setting: str
    time_title: str
    rows: tuple[str, ...]
    effects: TwoWay

    @property
    def sentence(self) -> str:
        """The shares in words; what noise explains is left out."""
        grid, effects = self.grid, self.effects
        shares = (
            f"{words.percent(effects.row_share)} are due to the {grid.down}",
            f"{words.percent(effects.column_share)} to the {grid.across}",
            f"{words.percent(effects.combination_share)} to the combination of both",
        )
        count = len(self.rows) * len(grid.columns)
        return f"Of the differences between these {count} contenders, {words.listed(shares)}."


def grid_effects(study: Study, settings: Sequence[Setting]) -> tuple[GridEffects, ...]:
    """Decompose the times of every setting that has at least two rows of a grid, mixes first."""
    ordered = sorted(settings, key=lambda setting: not study.workloads[setting.workload].mix)
    return tuple(
        found
        for grid in study.grids
        for setting in ordered
        if not setting.control
        for found in _effects(grid, setting)
    )


def _effects(grid: FactorGrid, setting: Setting) -> Iterator[GridEffects]:
    times = {row.summary.cell.contender: row.summary.run_times_us for row in setting.rows}
    rows = tuple(
        name
        for name, contenders in grid.rows.items()
        if all(contender in times for contender in contenders)
    )
    if len(rows) < 2:  # with one row, there is no effect to separate
        return
    tables = [[times[contender] for contender in grid.rows[name]] for name in rows]
    effects = two_way([_in_block(tables, block) for block in _common_blocks(tables)])
    if effects is not None:
        yield GridEffects(grid, setting.title, setting.time_title, rows, effects)


def _common_blocks(tables: Sequence[Sequence[Mapping[int, float]]]) -> list[int]:
    measured = [set(times) for row in tables for times in row]
    return sorted(set.intersection(*measured))


def _in_block(tables: Sequence[Sequence[Mapping[int, float]]], block: int) -> list[list[float]]:
    return [[times[block] for times in row] for row in tables]
