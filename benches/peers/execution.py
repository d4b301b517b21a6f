"""One run: a server, a generator, and what both of them used."""

import json
import re
import time
from dataclasses import dataclass
from pathlib import Path

from benches.peers.case import Case
from benches.peers.generator import Generator, NotUnderstoodError, Order, Reported
from benches.peers.result import Fidelity, Measured
from benches.peers.schedule_error import fidelity, read_recorded
from benches.peers.server import NotReadyError, recorded_path, serve
from wirelab.lab.processes.process import start_guarded
from wirelab.lab.processes.process_table import ProcessTable
from wirelab.measure.meter import read_system_time

BAD_JOB = 2
"""Our engine's exit code for a job that it will not accept."""
NOT_BUILT_YET = r"target\.(transport|tls):.*"
"""What it complains about then, when it lacks what the case needs."""
SLACK_S = 60.0
SLOWEST_PER_S = 25_000
"""How fast a generator must be at least in a case that asks for a number of requests."""


class FailedError(Exception):
    """A run gave no measurement; the text says why."""


class NotBuiltError(Exception):
    """Our engine does not support this; the text is its message."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where runs take place."""

    programs: dict[str, str]
    material: Path
    server_cpu: int
    generator_cpu: int


@dataclass(frozen=True, slots=True)
class Executed:
    """A run that came to its end."""

    measured: Measured
    foreign_cpu_s_per_s: float


@dataclass(frozen=True, slots=True)
class _Used:
    user_us: int
    system_us: int
    memory_peak_bytes: int
    wall_s: float
    server_us: float


def execute(
    generator: Generator,
    case: Case,
    place: Place,
    *,
    folder: Path,
    seconds: float,
    requests: int | None,
) -> Executed:
    """Carry a case out with one generator; raises `FailedError` or `NotBuiltError`."""
    try:
        with serve(case, place.programs, place.material, folder, [place.server_cpu]) as server:
            order = Order(
                case=case,
                port=server.port,
                seconds=seconds,
                requests=requests,
                program=place.programs[generator.program],
                material=place.material,
                folder=folder,
                cpu=place.generator_cpu,
            )
            before, table = read_system_time(_both(place)), ProcessTable()
            server_before_us = table.usage({"server": server.pid})["server"].cpu_us
            began = time.monotonic()
            usage = _launch(generator.command(order), order, place)
            wall_s = time.monotonic() - began
            server_us = table.usage({"server": server.pid})["server"].cpu_us - server_before_us
            busy_us = (read_system_time(_both(place)) - before).busy_us
        reported = generator.read(order)
    except (NotReadyError, NotUnderstoodError, TimeoutError, KeyError, ValueError) as error:
        raise FailedError(f"{type(error).__name__}: {error}") from error
    if reported.requests == 0:
        raise FailedError(f"no request succeeded, {reported.errors} failed")
    used = _Used(**usage, wall_s=wall_s, server_us=server_us)
    foreign_us = busy_us - used.user_us - used.system_us - used.server_us
    seen = fidelity(read_recorded(recorded_path(folder))) if case.rate_per_s else None
    return Executed(_measured(case, reported, used, seen), max(0.0, foreign_us) / 1e6 / wall_s)


def _launch(command: list[str], order: Order, place: Place) -> dict[str, int]:
    """Run the generator on its CPU and return its resource usage."""
    usage, log = order.folder / "usage.json", order.folder / "generator.log"
    limit_s = order.requests / SLOWEST_PER_S if order.requests else order.seconds
    process = start_guarded(
        [place.programs["wirelab-floor"], "launch", usage, order.output, *command],
        role=command[0],
        log_path=log,
        cpus=[order.cpu],
    )
    try:
        code = process.wait(limit_s + SLACK_S)
    finally:
        process.stop()
    output = f"{log.read_text(errors='replace')}{order.output.read_text(errors='replace')}".strip()
    lacking = re.search(NOT_BUILT_YET, output)
    if code == BAD_JOB and lacking is not None:
        raise NotBuiltError(lacking[0])
    if code != 0:
        raise FailedError(f"exit code {code}: {output[-500:]}")
    used: dict[str, int] = json.loads(usage.read_text())
    return used


def _measured(case: Case, reported: Reported, used: _Used, seen: Fidelity | None) -> Measured:
    requests, per_s = reported.requests, reported.requests / reported.seconds
    closed = case.rate_per_s is None and reported.mean_us is not None
    return Measured(
        requests=requests,
        errors=reported.errors,
        unsent=reported.unsent,
        seconds=reported.seconds,
        user_us_per_request=used.user_us / requests,
        system_us_per_request=used.system_us / requests,
        server_us_per_request=used.server_us / requests,
        generator_busy_share=(used.user_us + used.system_us) / 1e6 / used.wall_s,
        server_busy_share=used.server_us / 1e6 / used.wall_s,
        memory_peak_bytes=used.memory_peak_bytes,
        mean_us=reported.mean_us,
        p50_us=reported.p50_us,
        p99_us=reported.p99_us,
        little_closure=per_s * (reported.mean_us or 0) / 1e6 / case.clients if closed else None,
        fidelity=seen,
    )


def _both(place: Place) -> set[int]:
    return {place.server_cpu, place.generator_cpu}
