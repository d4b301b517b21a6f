"""A session: every case with every generator, round after round, each round in reversed order."""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benches.peers.case import Case
from benches.peers.execution import Executed, FailedError, NotBuiltError, Place, execute
from benches.peers.generator import Generator
from benches.peers.machine import FOREIGN_CPU_S_PER_S, PATIENCE_S, probe_us, wait_until_quiet
from benches.peers.result import Run

MOST_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Plan:
    """The runs of a session."""

    cases: Sequence[Case]
    generators: Sequence[Generator]
    rounds: int
    seconds: float
    patience_s: float = PATIENCE_S
    """How long to wait for a quiet machine; with 0, no run is repeated."""
    requests: int | None = None
    """Replaces the number of requests of a case."""

    def walk(self) -> Iterator[tuple[int, Case, Generator]]:
        """Yield all runs in the order in which they take place."""
        for round_ in range(self.rounds):
            for case in self.cases:
                if case.rounds is not None and round_ >= case.rounds:
                    continue
                able = [generator for generator in self.generators if generator.carries(case)]
                for generator in able if round_ % 2 == 0 else reversed(able):
                    yield round_, case, generator


class Execution:
    """Executes a plan."""

    def __init__(self, plan: Plan, place: Place, report: Callable[[str], None]) -> None:
        """Take the plan, the place, and a function that reports progress."""
        self._plan = plan
        self._place = place
        self._report = report
        self._probed_us = 0.0
        self._not_built: dict[tuple[str, str], str] = {}

    def runs(self) -> Iterator[Run]:
        """Yield every run as soon as it is over, disturbed attempts included."""
        self._probed_us = self._probe()
        for round_, case, generator in self._plan.walk():
            if generator.program not in self._place.programs:
                continue
            attempts = MOST_ATTEMPTS if self._plan.patience_s else 1
            for attempt in range(1, attempts + 1):
                run = self._run(round_, case, generator, attempt)
                self._report(_line(run))
                yield run
                if run.measured is None or run.foreign_cpu_s_per_s <= FOREIGN_CPU_S_PER_S:
                    break

    def _run(self, round_: int, case: Case, generator: Generator, attempt: int) -> Run:
        before_us = self._probed_us
        executed: Executed | None = None
        reason = self._not_built.get((case.id, generator.name), "")
        status = "not built" if reason else "measured"
        if not reason:
            cpus = {self._place.server_cpu, self._place.generator_cpu}
            wait_until_quiet(cpus, self._plan.patience_s)
            folder = Path(tempfile.mkdtemp(prefix="wirelab-peers-"))
            try:
                requests = case.requests and (self._plan.requests or case.requests)
                seconds = self._plan.seconds
                executed = execute(
                    generator,
                    case,
                    self._place,
                    folder=folder,
                    seconds=seconds,
                    requests=requests,
                )
            except NotBuiltError as error:
                status, reason = "not built", str(error)
                self._not_built[case.id, generator.name] = reason
            except FailedError as error:
                status, reason = "failed", str(error)
            finally:
                shutil.rmtree(folder)
            self._probed_us = self._probe()
        return Run.model_validate(
            {
                "case": case.id,
                "generator": generator.name,
                "round": round_,
                "attempt": attempt,
                "probe_before_us": before_us,
                "probe_after_us": self._probed_us,
                "foreign_cpu_s_per_s": executed.foreign_cpu_s_per_s if executed else 0.0,
                "status": status,
                "reason": reason,
                "measured": executed.measured if executed else None,
            }
        )

    def _probe(self) -> float:
        place = self._place
        floor = place.programs["wirelab-floor"]
        return probe_us(floor, place.server_cpu, place.generator_cpu)


def _line(run: Run) -> str:
    place = f"round {run.round + 1}  {run.case:16} {run.generator:18}"
    if run.measured is None:
        return f"{place} {run.status}: {run.reason.splitlines()[0][:100]}"
    measured = run.measured
    text = f"{place} {measured.requests_per_s:9,.0f}/s  {measured.cpu_us_per_request:8.2f} µs"
    if measured.fidelity is not None:
        text += f"  schedule error p99 {measured.fidelity.schedule_error_p99_us:,.0f} µs"
    text += f"  probe {run.probe_before_us:.2f} → {run.probe_after_us:.2f}"
    return f"{text}  foreign {run.foreign_cpu_s_per_s:.0%}"
