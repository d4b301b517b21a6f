"""A machine of a cluster as the head sees it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

from wirelab.bundle import MachineRecord
from wirelab.bundle.run_reasons import RunReason
from wirelab.cluster.messages import MachineDescription
from wirelab.cluster.station_messages import SetupResult
from wirelab.planning.schedule import Block
from wirelab.study import Cell


class Movable(Protocol):
    """What quotes a log."""

    def moved(self, folder: Path | str, to: Path | str) -> Self:
        """Return it as it is after the folder of its logs has been moved."""


Moved = TypeVar("Moved", bound=Movable)


@dataclass(eq=False)
class ClusterMachine:
    """One machine: its actor, its description, and why it takes no further part ("" if it does).

    `unusable`: cells that are not measured there, and why.
    """

    name: str
    station: Any
    description: MachineDescription | None = None
    setup: SetupResult | None = None
    unusable: dict[Cell, RunReason] = field(default_factory=dict)
    lost: str = ""

    def usable(self, block: Block) -> int:
        """Count the runs of a block that can be measured there."""
        return sum(cell not in self.unusable for cell in block.cells)

    def moved(self, record: Moved, bundle: Path) -> Moved:
        """Return a record with the machine's logs where they are in the head's bundle."""
        for folder, to in self._folders(bundle).items():
            record = record.moved(folder, to)
        return record

    def relocate(self, text: str, bundle: Path) -> str:
        """Replace the machine's paths in a note by those in the head's bundle."""
        for folder, to in self._folders(bundle).items():
            text = text.replace(f"{folder}/", f"{to}/")
        return text

    def _folders(self, bundle: Path) -> Mapping[str, str]:
        """Return where its folders are in the head's bundle, the folder of logs first."""
        if self.setup is None:
            return {}
        remote = self.setup.folder
        return {f"{remote}/logs": f"{bundle}/logs/{self.name}", remote: str(bundle)}

    def record(self, everywhere: Mapping[Cell, RunReason], bundle: Path) -> MachineRecord:
        """Return the record of the machine; `everywhere`: cells that no machine measures."""
        missing = {
            f"{cell.contender} ({cell.place})": self.moved(reason, bundle)
            for cell, reason in self.unusable.items()
            if cell not in everywhere
        }
        host = self.description.host.model_dump(mode="json") if self.description else {}
        lost = self.relocate(self.lost, bundle)
        return MachineRecord(name=self.name, host=host, missing=missing, lost=lost)
