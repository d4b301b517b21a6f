"""Captures: the engine's cost of taking a value from each answer into the next request.

`wirelab-load` asks a server for a page of JSON in three ways: always the same, with a value of a
header of the answer before, and with one of its JSON. Pages are short or long, since all of a page
is parsed. A round has all three ways in random order, so they are paired: a machine that slows down
slows all of them down. Job files have no captures, so each run is a process of its own.
"""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from numpy.random import PCG64, Generator

from benches.noise.conditions import Condition, condition
from benches.noise.null_target import CLIENTS
from benches.noise.page_server import page
from wirelab.engine.result import EngineResult
from wirelab.installation.programs import find_program
from wirelab.lab.processes.cpu import format_cpus, plan_cpus
from wirelab.lab.processes.process import start_guarded

ROOT = Path(__file__).parents[2]
ITEMS = (1, 10, 100)
"""How many items a page has: about 70 bytes of JSON each."""
SECONDS = 1.0
WARM_UP_S = 0.3
WAYS = {
    "without": ("/items?cursor=17",),
    "header": ("/items?cursor={cursor}", "--capture", "cursor?=header:content-length"),
    "json": ("/items?cursor={cursor}", "--capture", "cursor?=/next"),
}
"""By way: the path, and what is captured."""


def try_captures(name: Condition, rounds: int, seed: int) -> Iterator[dict[str, object]]:
    """Measure `rounds` rounds with one client and with many; yield each as it ends."""
    random = Generator(PCG64(seed))
    with condition(name, seed):
        for items in ITEMS:
            with serving_pages(items) as address:
                for clients in CLIENTS:
                    for number in range(rounds):
                        cpu_us = {
                            way: cpu_us_of(address, WAYS[way], clients)
                            for way in map(str, random.permutation(list(WAYS)))
                        }
                        yield {
                            "clients": clients,
                            "bytes": len(page(items)),
                            "round": number,
                            **{f"{way}_us": cpu_us[way] for way in WAYS},
                        }


@contextmanager
def serving_pages(items: int) -> Iterator[str]:
    """Serve a page with this number of items until the end of the block; yield host:port."""
    command = [sys.executable, "-m", "benches.noise.page_server", str(items)]
    with TemporaryDirectory(prefix="wirelab-captures-") as folder:
        process = start_guarded(
            command,
            role="page server",
            log_path=Path(folder) / "log",
            cpus=plan_cpus().system,
            cwd=ROOT,
            piped=True,
        )
        try:
            yield f"127.0.0.1:{process.stdout.readline().decode().strip()}"
        finally:
            process.stop()
            process.stdin.close()
            process.stdout.close()


def cpu_us_of(address: str, way: Sequence[str], clients: int) -> float:
    """Put load on a server for a while; return the engine's CPU time of a request.

    `way` is the path, and the options of captures.
    """
    path, *options = way
    command: list[str] = [
        *(str(find_program("wirelab-load")), f"http://{address}{path}", *options, "--json"),
        *("--connections", str(clients), "--duration", f"{SECONDS}s"),
        *("--warm-up", f"{WARM_UP_S}s", "--cpus", format_cpus(plan_cpus().engine)),
    ]
    done = subprocess.run(command, capture_output=True, check=True)
    (target,) = EngineResult.model_validate_json(done.stdout).targets
    cost_us = target.engine.cpu_us_per_transaction
    assert cost_us is not None
    return cost_us
