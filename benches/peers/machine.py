"""The machine around a run: its state, and the CPU use of other programs."""

import json
import subprocess
import time
from collections.abc import Collection

from wirelab.measure.meter import read_system_time

QUIET_CPU_S_PER_S = 0.12
"""Foreign load below which a run may begin."""
FOREIGN_CPU_S_PER_S = 0.10
"""Foreign load above which a run is repeated."""
LOOK_S = 0.5
PATIENCE_S = 60.0


def probe_us(floor: str, server_cpu: int, generator_cpu: int, seconds: float = 1.0) -> float:
    """Measure what a request costs the limit client against the raw server at this moment."""
    cpus = ["--server-cpu", str(server_cpu), "--client-cpu", str(generator_cpu)]
    answer = subprocess.run(
        [floor, "probe", "--seconds", f"{seconds:g}", *cpus],
        capture_output=True,
        check=True,
        timeout=seconds + 30,
    )
    return float(json.loads(answer.stdout)["cpu_us_per_request"])


def wait_until_quiet(cpus: Collection[int], patience_s: float) -> float:
    """Wait for others to leave these CPUs; return what they still use, in CPU seconds a second."""
    deadline = time.monotonic() + patience_s
    while True:
        foreign = _busy_cpu_s_per_s(cpus)
        if foreign < QUIET_CPU_S_PER_S or time.monotonic() > deadline:
            return foreign


def _busy_cpu_s_per_s(cpus: Collection[int]) -> float:
    before, began = read_system_time(cpus), time.monotonic()
    time.sleep(LOOK_S)
    return (read_system_time(cpus) - before).busy_us / 1e6 / (time.monotonic() - began)
