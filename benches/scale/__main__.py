"""What a load from many machines costs, and what 200 agents would; docs/concepts/scale.md says it.

    ray start --head --num-cpus=8 --disable-usage-stats
    python -m benches.scale real --cluster auto --agents 1 2 4 8
    python -m benches.scale replayed --agents 50 100 200
    python -m benches.scale blocks --cluster auto

`real`: times of the steps, start of agents, and size of results, on a cluster with a server of our
own on this machine, so that all its nodes must be here. `replayed`: the head alone, to which agents
answer at once with a recorded result. `blocks`: what a cluster of one machine, this one, adds to
each block of a study. All print a table in Markdown.
"""

import argparse
import pickle
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil

from benches.scale.blocks import measure_blocks
from benches.scale.replay import ReplayedCluster, replayed, without_files
from wirelab.cluster.agent import LoadAgent
from wirelab.cluster.agents import agents_of
from wirelab.cluster.connection import connect
from wirelab.cluster.messages import AgentReport, MachineDescription
from wirelab.cluster.sharing import job_of
from wirelab.engine.job import (
    Connections,
    Constant,
    Job,
    Request,
    Slice,
    Stop,
    Target,
    TransactionRounds,
)
from wirelab.engine.result import EngineResult
from wirelab.installation.programs import find_program
from wirelab.lab.processes.process import stopping_everything

RATE_PER_S = 200.0
SECONDS = 2.0


def main() -> int:
    """Read the command line, measure, and print."""
    parser = argparse.ArgumentParser(prog="benches.scale")
    parser.add_argument("what", choices=("real", "replayed", "blocks"))
    parser.add_argument("--cluster", default="auto")
    parser.add_argument("--agents", type=int, nargs="+", default=[1, 2])
    options = parser.parse_args()
    if options.what == "blocks":
        measure_blocks(options.cluster)
        return 0
    with server() as address, stopping_everything():
        if options.what == "real":
            measure_real(options.cluster, address, options.agents)
        else:
            measure_replayed(address, options.agents)
    return 0


def measure_real(cluster: str, address: str, counts: Sequence[int]) -> None:
    """Print what agents take on a cluster of nodes on this machine."""
    print(
        "| agents | placed and asked | connected | around the load | starts apart | clock | sent |"
    )
    print("|---|---|---|---|---|---|---|")
    for count in counts:
        job = job_for(address, count)
        began = time.monotonic()
        with connect(cluster) as connected, agents_of(connected, count) as agents:
            placed = time.monotonic()
            agents.check_machines()
            agents.connect(job)
            standing = time.monotonic()
            result, files = agents.run_load(job)
            ended = time.monotonic()
        starts = [
            EngineResult.model_validate_json(each["result.json"].content).only.window
            for each in files
        ]
        unix_ns = [start.started_unix_ns or 0 for start in starts]
        around_s = ended - standing - result.only.window.duration_s
        bound_us = max(agent.clock_error_us for agent in result.agents)
        sent = max(sum(len(file.content) for file in each.values()) for each in files)
        print(
            f"| {count} | {placed - began:.2f} s | {standing - placed:.2f} s | {around_s:.2f} s"
            f" | {(max(unix_ns) - min(unix_ns)) / 1e3:.0f} µs | ±{bound_us:.0f} µs"
            f" | {sent / 1e3:.1f} kB |",
            flush=True,
        )


def measure_replayed(address: str, counts: Sequence[int]) -> None:
    """Print what so many agents would take of the head."""
    description, report = recorded(address)
    print(f"one agent sends {len(pickle.dumps(report)) / 1e3:.1f} kB\n")
    print("| agents | until the load begins | until its result | memory of the head |")
    print("|---|---|---|---|")
    process = psutil.Process()
    for count in counts:
        before = process.memory_info().rss
        cluster = ReplayedCluster((count + 1) // 2, description, report)
        job = job_for(address, count)
        began = time.monotonic()
        agents = replayed(cluster, count)
        agents.check_machines()
        agents.connect(job)
        connected = time.monotonic()
        result, files = agents.run_load(job)
        ended = time.monotonic()
        assert len(files) == len(result.agents) == count
        grown = process.memory_info().rss - before
        print(
            f"| {count} | {connected - began:.2f} s | {ended - connected:.2f} s"
            f" | {grown / 1e6:.0f} MB |",
            flush=True,
        )


def job_for(address: str, agents: int) -> Job:
    """Return a load at which no agent is busy, with a connection for each."""
    target = Target(
        name="server",
        transport="http1",
        address=address,
        connections=Connections(count=agents),
        pacer=Constant(rate_per_s=RATE_PER_S * agents),
        requests=(Request(),),
        transactions=(TransactionRounds(operation="fetch", rounds=((0,),)),),
    )
    return Job(targets=(target,), stop=Stop(seconds=SECONDS), output=Path(), samples=False)


def recorded(address: str) -> tuple[MachineDescription, AgentReport]:
    """Have one agent, the first of two, measure for real."""
    agent = LoadAgent()
    description = agent.describe()
    agent.connect(job_of(job_for(address, 2), 0, 2))
    begin_ns = time.monotonic_ns() + 500_000_000
    window = Slice(
        target=0, begin_monotonic_ns=begin_ns, guard_us=20_000, stop=Stop(seconds=SECONDS)
    )
    report = agent.run_load(window)
    agent.close()
    return description, without_files(report)


@contextmanager
def server() -> Iterator[str]:
    """Start a server that answers everything at once, and return its address."""
    command = [str(find_program("wirelab-load")), "null", "http", "--port", "0"]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log)
        assert process.stdout is not None
        try:
            yield process.stdout.readline().decode().strip().split("://")[1].rstrip("/")
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


if __name__ == "__main__":
    raise SystemExit(main())
