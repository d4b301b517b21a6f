"""Cautions about costs: a store that dominates times, and bytes that fit no straight line."""

from collections.abc import Iterator
from dataclasses import dataclass

from wirelab.analysis.cautions.caution import At, Caution
from wirelab.analysis.cautions.evidence import Evidence
from wirelab.terminal import words

STORE_DOMINATES = 0.5


@dataclass(frozen=True)
class StoreDominates(Caution):
    """The store's CPU time alone is more than half of the response time."""

    TITLE = "The store dominates response times"
    places: tuple[At, ...]

    def _detail(self) -> str:
        places = words.first_few(list(map(str, self.places)))
        return (
            f"its CPU time alone is more than half of the response of {places}: differences between"
            " protocols are diluted"
        )


@dataclass(frozen=True)
class BytesNotStraight(Caution):
    """Bytes are no linear function of the number of transactions; `others` counts more cases."""

    TITLE = "Bytes do not fit a straight line everywhere"
    label: str
    workload: str
    warning: str
    others: int

    def _detail(self) -> str:
        more = f" (and {self.others} more)" if self.others else ""
        return f"{self.label} at {self.workload}: {self.warning}{more}"


def costs(evidence: Evidence) -> Iterator[Caution]:
    """Find stores that dominate, and bytes that do not fit."""
    high = tuple(
        At(share.label, evidence.titles[share.cell])
        for share in evidence.store_shares
        if share.store_cpu_share and share.store_cpu_share > STORE_DOMINATES
    )
    if high:
        yield StoreDominates(high)
    if warned := {text: cost for cost in evidence.wire for text in cost.fit.warnings}:
        warning, cost = next(iter(warned.items()))
        yield BytesNotStraight(cost.label, cost.workload, warning, len(warned) - 1)
