"""k6 as the client of a closed load: for papers whose times include what it costs.

k6 (Grafana Labs) runs JavaScript for each request and decodes each gRPC answer. It is started in a
paused state, so that neither its start nor that of its interpreters is part of a window.
"""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import psutil

from wirelab.engine.job import Role
from wirelab.engine.result import DurationSummary
from wirelab.errors import MeasureError
from wirelab.installation.k6 import NO_K6, find_k6
from wirelab.lab.errors import log_of
from wirelab.lab.network.ports import free_port
from wirelab.lab.processes.process import GuardedProcess, start_guarded

SCRIPT = Path(__file__).with_name("k6.js")
PAUSED_BEFORE_RUN = 4
"""The status of k6 whose users are ready and wait."""
READY_LIMIT_S = 60.0
POLL_S = 0.05
QUANTILES = (*(number / 100 for number in range(1, 100)), 0.999)
STATISTICS = ("avg", "min", "max", *(f"p({100 * each:g})" for each in QUANTILES))


@dataclass(frozen=True, slots=True)
class K6Job:
    """What k6 sends: requests in turn, by so many users, in a scenario of k6.

    `requests` and `proto` are as `k6.js` reads them; without a `proto`, they are requests of HTTP.
    """

    address: str
    requests: Sequence[Mapping[str, Any]]
    scenario: Mapping[str, Any]
    users: int
    proto: Path | None = None
    think_s: float = 0.0

    def written(self) -> dict[str, Any]:
        """Return the job as `k6.js` reads it."""
        proto = self.proto
        return {
            "address": self.address,
            "requests": list(self.requests),
            "proto": proto and {"folder": str(proto.parent), "file": proto.name},
            "think_s": self.think_s,
            "options": {
                "scenarios": {"users": dict(self.scenario)},
                "summaryTrendStats": STATISTICS,
            },
        }


@dataclass(frozen=True, slots=True)
class K6Window:
    """What a window showed: counts, times of answers, bytes on the sockets, CPU time by role."""

    transactions: int
    wrong: int
    throughput_per_s: float
    response_us: DurationSummary
    sent: int
    received: int
    client_cpu_us: float
    cpu_us: Mapping[str, float | None]


def k6_window(
    job: K6Job,
    folder: Path,
    *,
    cpus: Sequence[int] = (),
    roles: Mapping[str, Role] | None = None,
) -> K6Window:
    """Run k6 once, and read what it, the server and the store used. Raises `MeasureError`."""
    program = find_k6()
    if program is None:
        raise MeasureError(NO_K6)
    written, summary = folder / "k6-job.json", folder / "k6-summary.json"
    written.write_text(json.dumps(job.written()))
    control = f"127.0.0.1:{free_port('127.0.0.1')}"
    options = ("--paused", "-q", "--no-usage-report", f"--address={control}")
    output = (f"--summary-export={summary}", "-e", f"JOB={written}")
    process = start_guarded(
        [program, "run", *options, *output, SCRIPT],
        role="k6",
        log_path=folder / "k6.log",
        cpus=cpus,
    )
    counted = roles or {}
    try:
        _await_users(process, control)
        own = cpu_us_of(process.root_pid)
        before = {name: _cpu_us(role) for name, role in counted.items()}
        _set_off(control)
        latest = own
        while process.poll() is None:
            latest = max(latest, cpu_us_of(process.root_pid))
            time.sleep(POLL_S)
        after = {name: _cpu_us(role) for name, role in counted.items()}
    finally:
        process.stop()
    if not summary.is_file():
        raise MeasureError("k6 failed", log=log_of(process))
    return _read(json.loads(summary.read_text())["metrics"], job, latest - own, before, after)


def _await_users(process: GuardedProcess, control: str) -> None:
    """Wait until k6's users are ready."""
    deadline = time.monotonic() + READY_LIMIT_S
    while process.poll() is None and time.monotonic() < deadline:
        try:
            reply = httpx.get(f"http://{control}/v1/status", timeout=1.0, trust_env=False)
            if reply.json()["data"]["attributes"]["status"] == PAUSED_BEFORE_RUN:
                return
        except (httpx.HTTPError, ValueError, KeyError):
            pass
        time.sleep(POLL_S)
    raise MeasureError("k6 did not become ready", log=log_of(process))


def _set_off(control: str) -> None:
    go = {"data": {"type": "status", "id": "default", "attributes": {"paused": False}}}
    httpx.patch(f"http://{control}/v1/status", json=go, timeout=10.0, trust_env=False)


def cpu_us_of(pid: int | None) -> float:
    """Return the CPU time of a process and its descendants in µs; 0 if it has ended."""
    if pid is None:
        return 0.0
    try:
        root = psutil.Process(pid)
        times = [each.cpu_times() for each in (root, *root.children(recursive=True))]
    except psutil.Error:
        return 0.0
    return 1e6 * float(sum(each.user + each.system for each in times))


def _cpu_us(role: Role) -> float:
    if role.cgroup is None:
        return cpu_us_of(role.pid)
    text = role.cgroup.read_text()
    if role.cgroup.name == "cpuacct.usage":
        return int(text) / 1e3
    return float(dict(line.split() for line in text.splitlines())["usage_usec"])


def _read(
    metrics: Mapping[str, Any],
    job: K6Job,
    own_cpu_us: float,
    before: Mapping[str, float],
    after: Mapping[str, float],
) -> K6Window:
    times = metrics["grpc_req_duration" if job.proto else "http_req_duration"]
    count = metrics["iterations"]["count"]
    return K6Window(
        transactions=count,
        wrong=metrics.get("wrong", {}).get("count", 0),
        throughput_per_s=metrics["iterations"]["rate"],
        response_us=_summary(times, count),
        sent=metrics["data_sent"]["count"],
        received=metrics["data_received"]["count"],
        client_cpu_us=own_cpu_us,
        cpu_us={name: after[name] - before[name] for name in before},
    )


def _summary(times_ms: Mapping[str, float], count: int) -> DurationSummary:
    """Return a distribution in µs; its standard deviation is that of its hundred percentiles."""
    low, mean, high = (1e3 * times_ms[name] for name in ("min", "avg", "max"))
    at = {each: 1e3 * times_ms[f"p({100 * each:g})"] for each in QUANTILES}
    curve = [(0.0, low), *at.items(), (1.0, high)]
    square = sum(
        (right - left) * (a * a + a * b + b * b) / 3.0 for (left, a), (right, b) in pairwise(curve)
    )
    return DurationSummary(
        count=count,
        mean=mean,
        sd=max(0.0, square - mean * mean) ** 0.5,
        min=low,
        p50=at[0.5],
        p90=at[0.9],
        p95=at[0.95],
        p99=at[0.99],
        p999=at[0.999],
        max=high,
    )
