"""What a measurement of capacities leaves in its folder: capacity.json."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from wirelab.measure.events import CapacityFound, Judged

CAPACITY = "capacity.json"


class RecordModel(BaseModel):
    """A part of capacity.json."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class TrialRecord(RecordModel):
    """One trial of a contender in a block."""

    contender: str
    rate_per_s: float
    seconds: float
    judged: Judged
    failed: int
    never_sent: int
    errors: Mapping[str, int]
    p99_us: float | None


class OverloadRecord(RecordModel):
    """A contender that is asked for more than it sustains."""

    contender: str
    times: float
    """What it sustains, so often."""
    trial: TrialRecord
    recovery_s: float | None = None
    """From the end of the load until a trial at half of what it sustains keeps the objective; None
    where that was not tried, or did not come in time."""

    @property
    def good_per_s(self) -> float:
        """Answers in time, a second."""
        return self.trial.judged.good / self.trial.seconds

    @property
    def never_sent_share(self) -> float:
        """The share that no connection was free for."""
        return self.trial.never_sent / max(1, self.trial.judged.due)


class BlockOfTrials(RecordModel):
    """One start of all contenders, and their trials in turns."""

    number: int
    trials: tuple[TrialRecord, ...]
    capacities: Mapping[str, float | None]
    """The rate that half of a contender's trials sustain; None where the trials do not show it."""
    overload: tuple[OverloadRecord, ...]
    reasons: Mapping[str, str]
    """Why contenders were not measured."""


class CapacityRecord(RecordModel):
    """capacity.json."""

    format: Literal["wirelab-capacities/1"] = "wirelab-capacities/1"
    objective: str
    contenders: tuple[str, ...]
    """The baseline first."""
    restarted: tuple[str, ...]
    """Those that are started afresh in each block."""
    operation: str
    connections: int
    margin: float
    grid_step: float
    """Neighbouring rates of the trials differ by this share."""
    searches: Mapping[str, CapacityFound]
    """How the order of magnitude was found, in the first block."""
    blocks: tuple[BlockOfTrials, ...]

    def log_capacities(self, contender: str) -> list[float]:
        """Return the logarithm of a contender's capacity in each block; NaN where it is unknown."""
        rates = [block.capacities.get(contender) for block in self.blocks]
        return [math.nan if rate is None else math.log(rate) for rate in rates]

    def write(self, folder: Path) -> Path:
        """Write it into a folder, whole or not at all."""
        path = folder / CAPACITY
        written = path.with_suffix(".partial")
        written.write_text(self.model_dump_json(indent=1), encoding="utf-8")
        return written.replace(path)

    @classmethod
    def read(cls, folder: Path) -> "CapacityRecord | None":
        """Read what is in a folder; None where no capacity was measured."""
        path = folder / CAPACITY
        return cls.model_validate_json(path.read_bytes()) if path.is_file() else None
