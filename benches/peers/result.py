"""The results of a session, as their file holds them."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from benches.results import write_results
from wirelab.lab.host import Host


class Row(BaseModel):
    """A part of the results."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Fidelity(Row):
    """What the recorder saw of a run at a rate."""

    schedule_error_p50_us: float
    schedule_error_p99_us: float
    gap_p50_us: float
    gap_p99_us: float
    burst_share: float
    """The part of the gaps below 20 µs."""
    gap_variation: float
    """Standard deviation of the gaps over their mean: 0 is perfect, 1 is Poisson."""
    true_p50_us: float
    true_p99_us: float


class Measured(Row):
    """What a run gave."""

    requests: int
    errors: int
    unsent: int
    """Due by the schedule, but not sent; 0 also where a generator does not count them."""
    seconds: float
    user_us_per_request: float
    system_us_per_request: float
    server_us_per_request: float
    generator_busy_share: float
    server_busy_share: float
    memory_peak_bytes: int
    mean_us: float | None
    p50_us: float | None
    p99_us: float | None
    little_closure: float | None
    """Requests a second × mean latency ÷ clients; 1 in a closed loop that hides nothing."""
    fidelity: Fidelity | None = None

    @property
    def requests_per_s(self) -> float:
        """Requests answered without an error, by the generator's own clock."""
        return self.requests / self.seconds

    @property
    def cpu_us_per_request(self) -> float:
        """CPU time of the generator and all it started, start-up included."""
        return self.user_us_per_request + self.system_us_per_request


class Run(Row):
    """One generator, one case, one round."""

    case: str
    generator: str
    round: int
    attempt: int
    """Counts from 1; another follows when others disturbed the last one."""
    probe_before_us: float
    probe_after_us: float
    foreign_cpu_s_per_s: float
    status: Literal["measured", "not built", "failed"]
    reason: str = ""
    measured: Measured | None = None


class Session(Row):
    """The file."""

    format: Literal["wirelab-peers/1"] = "wirelab-peers/1"
    started_utc: str
    host: Host
    server_cpu: int
    generator_cpu: int
    rounds: int
    seconds: float
    requests: int | None
    """Of the case that asks for a number, where it was not the case's own."""
    versions: dict[str, str]
    absent: dict[str, str]
    runs: tuple[Run, ...]

    def write(self, path: Path) -> None:
        """Write the file as a whole or not at all, and its folder where there is none."""
        write_results(path, self.model_dump(mode="json"))

    @classmethod
    def read(cls, path: Path) -> "Session":
        """Read the file."""
        return cls.model_validate_json(path.read_text())
