"""Cautions: threats to validity that are found automatically. One file a theme.

To add one, write its kind and a function that finds it in the evidence, and list the function here.
"""

from collections.abc import Callable, Iterator

from wirelab.analysis.cautions import (
    budget,
    capacities,
    costs,
    disturbance,
    estimates,
    generator,
    machines,
    networks,
    pathologies,
    runs,
    scatter,
    servers,
    settling,
    turns,
    twins,
    verification,
)
from wirelab.analysis.cautions.caution import Caution
from wirelab.analysis.cautions.evidence import Evidence

Find = Callable[[Evidence], Iterator[Caution]]

FIRST: tuple[Find, ...] = (
    budget.omissions,
    budget.undecided,
    servers.versions,
    verification.symptoms,
    pathologies.pathologies,
    generator.ceilings,
)
USUAL: tuple[Find, ...] = (
    verification.verification,
    runs.runs,
    runs.blocks,
    runs.lost,
    runs.apart,
    twins.twins,
    generator.generator,
    disturbance.disturbed,
    turns.turns,
    estimates.drift,
    scatter.scatter,
    estimates.samples,
    estimates.methods,
    costs.costs,
)
"""Of these, the serious ones come first."""
LAST: tuple[Find, ...] = (
    settling.settling,
    settling.short_windows,
    settling.mixes_cut_short,
    capacities.capacities,
    machines.machines,
    servers.control,
    networks.networks,
)


def find_cautions(evidence: Evidence) -> Iterator[Caution]:
    """Find all cautions, in the order of the report, but those about alterations."""
    for find in FIRST:
        yield from find(evidence)
    usual = [caution for find in USUAL for caution in find(evidence)]
    yield from sorted(usual, key=lambda caution: caution.severity != "serious")
    for find in LAST:
        yield from find(evidence)
