"""A machine of a cluster as the head sees it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wirelab.bundle import MachineRecord
from wirelab.cluster.messages import MachineDescription
from wirelab.cluster.station_messages import SetupResult
from wirelab.planning.schedule import Block
from wirelab.study import Cell


@dataclass(eq=False)
class ClusterMachine:
    """One machine: its actor, its description, and why it takes no further part ("" if it does).

    `unusable`: cells that are not measured there, and why.
    """

    name: str
    station: Any
    description: MachineDescription | None = None
    setup: SetupResult | None = None
    unusable: dict[Cell, str] = field(default_factory=dict)
    lost: str = ""

    def usable(self, block: Block) -> int:
        """Count the runs of a block that can be measured there."""
        return sum(cell not in self.unusable for cell in block.cells)

    def relocate(self, text: str, bundle: Path) -> str:
        """Replace the machine's paths in a text by those in the head's bundle."""
        if self.setup is None:
            return text
        remote = self.setup.folder
        text = text.replace(f"{remote}/logs/", f"{bundle}/logs/{self.name}/")
        return text.replace(f"{remote}/", f"{bundle}/")

    def record(self, everywhere: Mapping[Cell, str], bundle: Path) -> MachineRecord:
        """Return the record of the machine; `everywhere`: cells that no machine measures."""
        missing = {
            f"{cell.contender} ({cell.place})": self.relocate(reason, bundle)
            for cell, reason in self.unusable.items()
            if cell not in everywhere
        }
        host = self.description.host.model_dump(mode="json") if self.description else {}
        lost = self.relocate(self.lost, bundle)
        return MachineRecord(name=self.name, host=host, missing=missing, lost=lost)
