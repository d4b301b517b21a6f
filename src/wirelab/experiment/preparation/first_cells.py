"""The cells whose bytes and calls are counted: one of each contender and workload."""

from wirelab.experiment.context import RunContext
from wirelab.experiment.place import Place
from wirelab.study import FACTORS, Cell


def first_cells(context: RunContext) -> dict[tuple[Place, str], list[Cell]]:
    """Return a cell of each contender and workload, by place and state.

    The cell has the first possible levels of the study: by convention, a native contender without a
    proxy.
    """
    levels = context.study.levels
    ranked = sorted(
        context.usable_cells(),
        key=lambda cell: [levels[factor].index(cell.level(factor)) for factor in FACTORS],
        reverse=True,
    )
    first = {(cell.contender, cell.workload): cell for cell in ranked if not cell.twin}
    servers: dict[tuple[Place, str], list[Cell]] = {}
    for cell in first.values():
        state = context.study.workloads[cell.workload].state
        servers.setdefault((Place.from_cell(cell), state), []).append(cell)
    return servers
