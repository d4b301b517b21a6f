"""How a proxy's cache answered requests, by cell."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from wirelab.bundle import BlockRecord
from wirelab.study import Cell

HIT, REVALIDATED = "HIT", "REVALIDATED"


@dataclass(frozen=True, slots=True)
class CacheUse:
    """How the requests of a cell's sessions were answered, including the warm-up.

    `hit_share` was answered from the cache alone, `revalidated_share` from the cache after the
    server had confirmed the entry (304), `passed_share` by the server.
    """

    cell: Cell
    requests: int
    hit_share: float
    revalidated_share: float
    passed_share: float


def cache_uses(cells: Sequence[Cell], blocks: Sequence[BlockRecord]) -> tuple[CacheUse, ...]:
    """Add up the cache statistics of valid runs; cells without a cache are left out."""
    found: dict[Cell, Counter[str]] = {}
    for run in (run for block in blocks for run in block.runs):
        if run.status == "valid" and run.cache and not run.run.cell.twin:
            found.setdefault(run.run.cell, Counter()).update(run.cache)
    return tuple(_use(cell, found[cell]) for cell in cells if cell in found)


def _use(cell: Cell, results: Counter[str]) -> CacheUse:
    requests = results.total()
    hits, revalidated = results[HIT], results[REVALIDATED]
    return CacheUse(
        cell=cell,
        requests=requests,
        hit_share=hits / requests,
        revalidated_share=revalidated / requests,
        passed_share=(requests - hits - revalidated) / requests,
    )
