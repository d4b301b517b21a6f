"""One window of k6's users."""

import json
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import Any

import psutil

from benches.k6_users.window import Window
from wirelab.installation.programs import cache_folder
from wirelab.lab.processes.process import start_guarded

SCRIPT = Path(__file__).parent / "users.js"
STARTING_S = 3.0
"""What k6 spends on its start, and its interpreters on theirs, is not its cost of a request."""


def find_k6() -> str | None:
    """Return the k6 that `python -m benches.peers prepare` installs, or that of the machine."""
    return shutil.which("k6", path=str(cache_folder() / "peers" / "bin")) or shutil.which("k6")


def k6_window(
    program: str,
    request: dict[str, Any],
    *,
    users: int,
    seconds: float,
    cpus: Sequence[int],
    folder: Path,
) -> Window:
    """Let so many users send for so long, each as soon as it has its answer."""
    folder.mkdir(parents=True)
    options = {"vus": users, "duration": f"{seconds:g}s", "summaryTrendStats": ["avg"]}
    script, summary = folder / "users.js", folder / "summary.json"
    script.write_text(
        Template(SCRIPT.read_text()).substitute(
            options=json.dumps(options), request=json.dumps(request)
        )
    )
    quiet = ["-q", "--no-usage-report", "--address=", f"--summary-export={summary}"]
    process = start_guarded(
        [program, "run", *quiet, script], role="k6", log_path=folder / "log", cpus=cpus
    )
    used: list[tuple[float, float]] = []
    while process.poll() is None:
        if process.root_pid is not None:
            try:
                times = psutil.Process(process.root_pid).cpu_times()
            except psutil.Error:
                break
            used.append((time.monotonic(), times.user + times.system))
        time.sleep(0.1)
    if process.wait(30) != 0:
        raise RuntimeError(f"k6 failed: {process.log_tail(5)}")
    metrics = json.loads(summary.read_text())["metrics"]
    if metrics.get("wrong", {}).get("count", 0):
        raise RuntimeError(f"{metrics['wrong']['count']} answers were refused")
    times_ms = metrics[
        "grpc_req_duration" if request["protocol"] == "grpc" else "http_req_duration"
    ]
    count = metrics["iterations"]["count"]
    return Window(
        transactions=count,
        throughput_per_s=metrics["iterations"]["rate"],
        response_mean_us=times_ms["avg"] * 1e3,
        client_cpu_us=1e6 * steady_rate(used, seconds) / metrics["iterations"]["rate"],
    )


def steady_rate(used: Sequence[tuple[float, float]], seconds: float) -> float:
    """Return the CPU time of a second, between the start and the end of the load."""
    begin = used[0][0] + STARTING_S
    steady = [each for each in used if begin <= each[0] <= used[0][0] + seconds]
    (first_at, first), (last_at, last) = steady[0], steady[-1]
    return (last - first) / (last_at - first_at)
