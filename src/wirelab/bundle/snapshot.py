"""A bundle for one analysis, which asks for the same records and slices many times."""

from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import TypeAdapter

from wirelab.bundle.contents import Contents, Parsed
from wirelab.bundle.records import BlockRecord


class Snapshot(Contents):
    """The contents of a bundle as they were when first asked for, so that each is read once.

    What another process writes afterwards is not seen: make one for each analysis.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._records: dict[str, Any] = {}

    def block_records(self, block: str = "") -> list[BlockRecord]:
        """Return every recorded attempt at a block, in the order of the schedule."""
        return [record for record in self._blocks if block in ("", record.block.id)]

    def slices(self, block: str = "") -> pd.DataFrame:
        """Return one row per slice of every attempt, to be read only."""
        return super().slices(block) if block else self._slices

    @cached_property
    def _blocks(self) -> list[BlockRecord]:
        return super().block_records()

    @cached_property
    def _slices(self) -> pd.DataFrame:
        return super().slices()

    def _read(self, name: str, model: TypeAdapter[Parsed], missing: Parsed | None = None) -> Parsed:
        if name not in self._records:
            self._records[name] = super()._read(name, model, missing)
        found: Parsed = self._records[name]
        return found
