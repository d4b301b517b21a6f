"""The pilot: measure the contenders' capacities, of which an open load can be a share."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from wirelab.bundle import PilotRecord
from wirelab.errors import MeasureError
from wirelab.experiment.laboratory import Laboratory
from wirelab.experiment.session import Session
from wirelab.measure.result import RESULT, EngineResult
from wirelab.schedule import Block, Run
from wirelab.study import Cell, ClosedLoad, Design, Load, OpenLoad, Study, Window

WINDOW = Window(seconds=2.0)
"""How long to measure a capacity if the design has slices."""


@dataclass(frozen=True, slots=True)
class Rates:
    """The rate of every open load at every place: the same for all contenders of a place."""

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

    def study_for(self, cell: Cell) -> Study:
        """Return the study with the cell's load at its rate; unchanged if the rate is given."""
        load, capacity = self.study.loads[cell.load], self.capacities.get(_place(cell))
        share = load.share_of_capacity if isinstance(load, OpenLoad) else None
        if share is None or capacity is None:
            return self.study
        rate = float(f"{share * capacity:.3g}")
        return _with_load(
            self.study,
            cell,
            load.model_copy(update={"rate_per_s": rate, "share_of_capacity": None}),
        )


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
        _with_load(study, run.cell, closed),
        apart,
        Block(run.id, 0, 0, "pilot", (run,), seed),
        (run,),
        1,
        folder,
    )
    _, (record,) = session.carry_out()
    if record.status != "valid":
        raise MeasureError("its capacity is not known: " + "; ".join(record.reasons))
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


def _with_load(study: Study, cell: Cell, load: Load) -> Study:
    return study.model_copy(update={"loads": {**study.loads, cell.load: load}})
