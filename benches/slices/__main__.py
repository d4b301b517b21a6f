"""Count the engine's instructions per request, in one window and in slices.

Instructions, not time: valgrind counts them on any machine, however busy, and the next run finds
the same number. One connection asks a null server one request after the other, so that each costs
one turn of the event loop in both cases.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

REQUESTS = (2_000, 6_000)
"""Two runs of each kind: the difference between them has no start-up in it."""

PER_SLICE = 1_000
"""As many as a server answers one client in 50 ms, at 50 µs each."""

GUARD_US = 5_000
LIMIT = 0.01
"""How far the ratio may be from 1."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a run cost: requests, those included that do not count, and user instructions."""

    requests: float
    instructions: int


def main() -> int:
    """Print the costs; exit 1 if slices cost more than the limit."""
    parser = argparse.ArgumentParser(prog="python -m benches.slices", description=__doc__)
    parser.add_argument("program", type=Path, nargs="?", default=Path(".venv/bin/wirelab-load"))
    program: Path = parser.parse_args().program.resolve()
    with tempfile.TemporaryDirectory() as name, null_server(program) as address:
        folder = Path(name)
        window = per_request(program, address, folder, in_slices=False)
        slices = per_request(program, address, folder, in_slices=True)
    ratio = slices / window
    print(f"one window: {window:,.0f} instructions a request")
    print(f"slices of {PER_SLICE:,}: {slices:,.0f} instructions a request")
    print(f"ratio: {ratio:.4f} (at most {1 + LIMIT}); {PER_SLICE * (slices - window):,.0f} a slice")
    return int(ratio > 1 + LIMIT)


def per_request(program: Path, address: str, folder: Path, *, in_slices: bool) -> float:
    """Return the instructions of one request more."""
    few, many = (run(program, address, folder, count, in_slices=in_slices) for count in REQUESTS)
    return (many.instructions - few.instructions) / (many.requests - few.requests)


def run(program: Path, address: str, folder: Path, count: int, *, in_slices: bool) -> Cost:
    """Let the engine ask so often, under callgrind."""
    stop = {"transactions": PER_SLICE if in_slices else count}
    course: dict[str, object] = {"stop": stop}
    if in_slices:
        permutations = [[0]] * (count // PER_SLICE)
        course = {"slices": {"permutations": permutations, "guard_us": GUARD_US, "stop": stop}}
    job = {
        "format": "wirelab-job/2",
        "output": str(folder / "out"),
        "targets": [
            {
                "name": "null",
                "transport": "http1",
                "address": address,
                "connections": {"count": 1},
                "pacer": {"kind": "closed"},
                "requests": [{"path": "/", "expect": {"status": 200, "body_length": 64}}],
                "transactions": [{"operation": "get", "rounds": [[0]]}],
            }
        ],
        "warm_up": {"transactions": 100},
        **course,
    }
    (folder / "job.json").write_text(json.dumps(job))
    profile = folder / "profile"
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", "--quiet"]
    done = subprocess.run(
        [*command, str(program), str(folder / "job.json")],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(f"the engine failed under valgrind:\n{done.stderr}")
    found = re.search(r"^(?:totals|summary): (\d+)", profile.read_text(), re.MULTILINE)
    if found is None:
        raise SystemExit("callgrind left no total; expected valgrind 3.19 or later")
    result = json.loads((folder / "out" / "result.json").read_text())
    if result["targets"][0]["counts"]["failed"]:
        raise SystemExit(f"requests failed: {result['targets'][0]['counts']['errors']}")
    rows = result["slices"]
    requests = sum(row["transactions"] / row["share_recorded"] for row in rows)
    return Cost(requests, int(found[1]))


@contextmanager
def null_server(program: Path) -> Iterator[str]:
    """Keep a server up that answers at once; yield its address."""
    command = [str(program), "null", "http", "--port", "0", "--bytes", "64"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None, "it was asked for"
            yield server.stdout.readline().strip().removeprefix("http://").rstrip("/")
        finally:
            server.terminate()


sys.exit(main())
