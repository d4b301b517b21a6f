"""Cautions about the machines of a cluster."""

from collections.abc import Iterator
from dataclasses import dataclass

from wirelab.analysis.cautions.caution import Caution
from wirelab.analysis.cautions.evidence import Evidence
from wirelab.bundle.run_reasons import RunReason
from wirelab.terminal import words


@dataclass(frozen=True)
class DependsOnMachine(Caution):
    """Ratios differ between machines."""

    SEVERITY = "serious"
    TITLE = "Results depend on the machine"
    pairs: tuple[str, ...]
    sentence: str

    def _detail(self) -> str:
        return (
            f"{self.sentence} Intervals hold for the machines that measured; for other machines,"
            " see the table by machine"
        )


@dataclass(frozen=True)
class MachinesLost(Caution):
    """Machines were lost: names and reasons."""

    machines: tuple[tuple[str, str], ...]

    @property
    def title(self) -> str:
        """The number of machines."""
        return f"{words.plural(len(self.machines), 'machine was', 'machines were')} lost"

    def _detail(self) -> str:
        lost = "; ".join(f"{name}: {why}" for name, why in self.machines)
        return f"{lost}. Other machines measured their blocks"


@dataclass(frozen=True)
class NotOnEveryMachine(Caution):
    """Contenders could not be measured somewhere: what, on which machine, and why."""

    TITLE = "Contenders could not be measured on every machine"
    missing: tuple[tuple[str, str, RunReason], ...]

    def _detail(self) -> str:
        missing = "; ".join(
            f"{what} on {machine}: {reason.brief}" for what, machine, reason in self.missing
        )
        return f"their blocks went to other machines: {missing}"


def machines(evidence: Evidence) -> Iterator[Caution]:
    """Find results that are valid for some machines only, and machines that were lost."""
    cluster = evidence.machines
    if cluster is None:
        return
    if depending := tuple(pair.label for pair in cluster.pairs if pair.depends):
        yield DependsOnMachine(depending, cluster.sentence)
    if lost := tuple((machine.name, machine.lost) for machine in cluster.machines if machine.lost):
        yield MachinesLost(lost)
    missing = tuple(
        (what, each.name, reason)
        for each in cluster.machines
        for what, reason in each.missing.items()
    )
    if missing:
        yield NotOnEveryMachine(missing)
