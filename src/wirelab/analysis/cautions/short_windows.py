"""Windows of separate runs that are too short for their number of clients."""

from collections.abc import Iterator
from dataclasses import dataclass

from wirelab.analysis.cautions.caution import At, Caution
from wirelab.analysis.cautions.evidence import Evidence
from wirelab.study import ClosedLoad
from wirelab.terminal import words

LEAST_PER_CLIENT = 6
"""With fewer transactions of each client, the mean time exceeds about a fifth of the window."""


@dataclass(frozen=True)
class ShortWindows(Caution):
    """A large part of a window's transactions met a queue that was forming or emptying."""

    SEVERITY = "serious"
    TITLE = "Windows are too short for their number of clients"
    places: tuple[At, ...]
    """With their mean times, the shortest window first."""
    fewest: float
    """Transactions of each client, on average."""

    def _detail(self) -> str:
        return (
            f"{words.first_few(list(map(str, self.places)))}: each client completed fewer than"
            f" {LEAST_PER_CLIENT} transactions (the fewest: {words.significant(self.fewest, 2)} on"
            " average), and the first and the last ones meet a queue that is forming or emptying,"
            " so means may be too low or too high. What to do: measure a window of at least five"
            " times the mean response time"
        )


def short_windows(evidence: Evidence) -> Iterator[Caution]:
    """Find windows that are too short.

    A window has no guard: all clients send their first transaction at once, to an idle server.
    Every transaction that begins in the window counts. Those answered after its end meet a queue
    that is emptying.
    """
    short: list[tuple[float, At]] = []
    for cell, summary in evidence.summaries.items():
        load = evidence.study.loads[cell.load]
        separate = evidence.design.at(cell).separate
        if cell.twin or not separate or not isinstance(load, ClosedLoad):
            continue
        if load.clients == 1:  # there is no queue
            continue
        transactions = evidence.values.runs[cell]["transactions"]
        per_client = float(transactions.median()) / load.clients
        if per_client < LEAST_PER_CLIENT:
            mean = f"mean {words.duration(summary.mean_us.value)}"
            short.append((per_client, At(summary.label, evidence.titles[cell], mean)))
    if short:
        short.sort(key=lambda found: found[0])
        yield ShortWindows(tuple(at for _, at in short), short[0][0])
