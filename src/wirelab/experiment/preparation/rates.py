"""The rates of open loads that are shares of a capacity, from the capacities that were measured."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Self

from wirelab.bundle import PilotRecord
from wirelab.study import Cell, Load, OpenLoad, Study


@dataclass(frozen=True, slots=True)
class Rates:
    """The rate of every open load: the same for all cells that are compared."""

    study: Study
    capacities: Mapping[Cell, float]
    """The smallest capacity found, in transactions a second, by cell without its contender."""

    @classmethod
    def from_records(cls, study: Study, records: Iterable[PilotRecord]) -> Self:
        """Use the smallest capacity of every place, so that no contender there is overloaded."""
        smallest: dict[Cell, float] = {}
        for record in records:
            place, capacity = _place(record.cell), record.throughput_per_s
            smallest[place] = min(capacity, smallest.get(place, capacity))
        return cls(study, smallest)

    def study_for(self, cells: Collection[Cell]) -> Study:
        """Return the study with the loads of cells that are compared at their rates.

        Each load has one rate, a share of the smallest capacity that any of the cells has under it,
        so that cells at different places are compared at the same rate. Loads with a given rate
        remain unchanged.
        """
        loads: dict[str, Load] = {}
        for name in dict.fromkeys(cell.load for cell in cells):
            places = {_place(cell) for cell in cells if cell.load == name}
            known = [self.capacities[place] for place in places if place in self.capacities]
            load = self.study.loads[name]
            if isinstance(load, OpenLoad) and load.share_of_capacity is not None and known:
                rate = float(f"{load.share_of_capacity * min(known):.3g}")
                update = {"rate_per_s": rate, "share_of_capacity": None}
                loads[name] = load.model_copy(update=update)
        return with_loads(self.study, loads)


def with_loads(study: Study, loads: Mapping[str, Load]) -> Study:
    """Return a study in which some loads are replaced."""
    return study.model_copy(update={"loads": {**study.loads, **loads}})


def _place(cell: Cell) -> Cell:
    return replace(cell, contender="", twin=False)
