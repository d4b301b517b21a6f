"""The bytes of a study: what so many transactions on one fresh connection take, cell by cell."""

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from wirelab.bundle import WireRecord
from wirelab.experiment.bench import Bench
from wirelab.experiment.jobs import engine_job
from wirelab.experiment.mixing import transactions
from wirelab.experiment.run import target_of
from wirelab.measure.wire import WireFormat, measure_wire
from wirelab.study import Cell, Study, WarmUp, Window, Wire


def count_bytes(bench: Bench, study: Study, cell: Cell, wire: Wire) -> Iterable[WireRecord]:
    """Count the bytes of a cell's workload. Raises `LabError` and `MeasureError`."""
    workload = study.workloads[cell.workload]
    with TemporaryDirectory(prefix="wirelab-wire-") as name:
        folder = Path(name)
        with bench.running(
            cell.contender,
            cell.store,
            cell.environment,
            workload.state,
            log_path=folder / "contender.log",
            proxy=cell.proxy,
        ) as server:
            job = engine_job(
                # one and the same request: its bytes are the question
                transactions(study, bench.plans, cell, seed=0)[:1],
                target_of(bench, cell.contender, server),
                load=study.loads[cell.load],
                warm_up=WarmUp(),
                window=Window(transactions=1),
                output=folder,
                cpus=bench.cpus,
                seed=0,
            )
            rows = measure_wire(job, folder, transactions=wire.transactions, repeats=wire.repeats)
            form = WireFormat.of_this_machine(server.host)
    for row in rows:
        counted = asdict(row)
        del counted["connections"]
        yield WireRecord(
            contender=cell.contender,
            workload=cell.workload,
            segment_bytes=form.segment_bytes,
            syn_extra_bytes=form.syn_extra_bytes,
            **counted,
        )
