"""The pilot: measure the contenders' capacities, of which an open load can be a share."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wirelab.bundle import PilotRecord
from wirelab.bundle.reasons import in_words
from wirelab.engine.result import RESULT, EngineResult
from wirelab.errors import MeasureError
from wirelab.experiment.blocks.session import Session
from wirelab.experiment.laboratory import Laboratory
from wirelab.planning.schedule import Block, Run, Schedule, needs_pilot
from wirelab.study import Cell, ClosedLoad, Design, Load, OpenLoad, Study, Window

WINDOW = Window(seconds=2.0)
"""How long to measure a capacity if the design has slices."""


@dataclass(frozen=True, slots=True)
class Rates:
    """The rate of every open load: the same for all cells that are compared."""

    study: Study
    capacities: Mapping[Cell, float]
    """The smallest capacity found, in transactions a second, by cell without its contender."""

    @classmethod
    def of(cls, study: Study, records: Iterable[PilotRecord]) -> "Rates":
        """Use the smallest capacity of every place, so that no contender there is overloaded."""
        smallest: dict[Cell, float] = {}
        for record in records:
            place = _place(record.cell)
            found = record.throughput_per_s
            smallest[place] = min(found, smallest.get(place, found))
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
        return _with_loads(self.study, loads)


def pending_pilots(
    study: Study, schedule: Schedule, records: Sequence[PilotRecord], finished: Collection[str]
) -> dict[int, Cell]:
    """Return the cells whose capacity is still to be measured, by number among all with a pilot.

    A group with finished blocks keeps its rate, so contenders that join it later are not measured.
    """
    rates = Rates.of(study, records)
    known = {record.cell for record in records}
    for block in schedule.blocks:
        if block.id in finished:
            at_its_rate = rates.study_for(block.cells)
            known.update(cell for cell in block.cells if not needs_pilot(at_its_rate, cell))
    needed = [cell for cell in schedule.cells if needs_pilot(study, cell)]
    return {number: cell for number, cell in enumerate(needed, start=1) if cell not in known}


def measure_capacity(
    laboratory: Laboratory, study: Study, design: Design, run: Run, *, seed: int, folder: Path
) -> PilotRecord:
    """Measure closed load with as many clients as the open load has connections.

    It is measured separately, from the same state, after the same warm-up; its files are written to
    `folder`. Raises `LabError`, and `MeasureError` if the measurement is invalid.
    """
    load = study.loads[run.cell.load]
    clients = load.clients if isinstance(load, ClosedLoad) else load.connections
    closed = ClosedLoad(
        kind="closed",
        title=load.title,
        clients=clients,
        reuse_connections=load.reuse_connections,
    )
    own = design.at(run.cell)
    apart = own.model_copy(update={"separate": True, "window": own.window or WINDOW})
    session = Session(
        laboratory,
        _with_loads(study, {run.cell.load: closed}),
        apart,
        Block(run.id, 0, 0, "pilot", (run,), seed),
        (run,),
        1,
        folder,
    )
    _, (record,) = session.carry_out()
    if record.status != "valid":
        raise MeasureError(f"cannot measure its capacity: {in_words(record.reasons)}")
    result = EngineResult.read(folder / RESULT).only
    return PilotRecord(
        cell=run.cell,
        clients=clients,
        transactions=result.counts.transactions,
        throughput_per_s=result.throughput_per_s,
        latency_mean_us=result.latency_us.response.mean,
    )


def _place(cell: Cell) -> Cell:
    return replace(cell, contender="", twin=False)


def _with_loads(study: Study, loads: Mapping[str, Load]) -> Study:
    return study.model_copy(update={"loads": {**study.loads, **loads}})
