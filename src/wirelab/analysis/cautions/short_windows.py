"""Windows of separate runs that are too short for their number of clients."""

from collections.abc import Iterator, Mapping

from wirelab.analysis.model import Caution, CellSummary
from wirelab.analysis.values import RunValues
from wirelab.study import Cell, ClosedLoad, Design, Study
from wirelab.terminal import words

LEAST_PER_CLIENT = 6
"""With fewer transactions of each client, the mean time exceeds about a fifth of the window."""


def window_cautions(
    study: Study,
    design: Design,
    values: RunValues,
    summaries: Mapping[Cell, CellSummary],
    titles: Mapping[Cell, str],
) -> Iterator[Caution]:
    """Warn if a large part of a window's transactions met a queue that was forming or emptying.

    A window has no guard: all clients send their first transaction at once, to an idle server.
    Every transaction that begins in the window counts. Those answered after its end meet a queue
    that is emptying.
    """
    short = {}
    for cell, summary in summaries.items():
        load = study.loads[cell.load]
        separate = design.at(cell).separate
        if cell.twin or not separate or not isinstance(load, ClosedLoad):
            continue
        if load.clients == 1:  # there is no queue
            continue
        per_client = float(values.runs[cell]["transactions"].median()) / load.clients
        if per_client < LEAST_PER_CLIENT:
            mean = words.duration(summary.mean_us.value)
            short[f"{summary.label} at “{titles[cell]}” (mean {mean})"] = per_client
    if short:
        yield Caution(
            "serious",
            "Windows are too short for their number of clients",
            f"{words.first_few(sorted(short, key=lambda name: short[name]))}: each client completed"
            f" fewer than {LEAST_PER_CLIENT} transactions (the fewest:"
            f" {words.significant(min(short.values()), 2)} on average), and the first and the last"
            " ones meet a queue that is forming or emptying, so means may be too low or too high."
            " What to do: measure a window of at least five times the mean response time",
        )
