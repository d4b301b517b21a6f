"""The store's share of an answer's time, by comparison with the control operation."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from wirelab.analysis.cells import measured, time_metric
from wirelab.analysis.model import CellSummary, StoreShare
from wirelab.analysis.values import RunValues
from wirelab.study import Cell, Study


def store_shares(
    study: Study,
    cells: Sequence[Cell],
    summaries: Mapping[Cell, CellSummary],
    values: RunValues,
) -> tuple[StoreShare, ...]:
    """Compare each cell with the control in the same block; empty without a control workload."""
    if study.control is None:
        return ()
    shares = []
    for cell in cells:
        control = replace(cell, workload=study.control)
        if cell.twin or cell == control or cell not in summaries or control not in summaries:
            continue
        metric = time_metric(study)
        times, controls = (values.values(metric, each) for each in (cell, control))
        beyond = [1.0 - controls[block] / times[block] for block in times.keys() & controls.keys()]
        if not beyond:
            continue
        summary = summaries[cell]
        store_cpu = summary.cpu_us.get("store")
        shares.append(
            StoreShare(
                cell=cell,
                label=summary.label,
                protocol=summary.protocol,
                control_us=summaries[control].latency_us.value,
                latency_us=summary.latency_us.value,
                beyond_control=measured(beyond),
                store_cpu_share=(
                    None if store_cpu is None else store_cpu.value / summary.latency_us.value
                ),
            )
        )
    return tuple(shares)
