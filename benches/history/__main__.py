"""Is a planted change found, and none where there is none? See README.md.

    python -m benches.history bisect --language python --repetitions 20 --condition disturbed
    python -m benches.history levels

Each prints a line for each repetition; `bisect` leaves a file in results/.
"""

import argparse
import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_args

from numpy.random import PCG64, Generator

from benches.history.levels import compare_methods
from benches.history.planted import Language, ids, plant, wirelab
from benches.noise.conditions import CONDITIONS, Condition, condition
from benches.results import write_results
from wirelab.lab.host import read_host

COMMITS = 32
REGRESSION = 1.05
MARGIN = "2"
"""Percent: who wants to find 5 % does not call 4 % the same."""
RESULTS = Path(__file__).parent / "results"


def main() -> None:
    """Read the command line and carry out one trial."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("trial", choices=("bisect", "levels"))
    parser.add_argument("--language", choices=get_args(Language), default="python")
    parser.add_argument("--condition", choices=CONDITIONS, default="quiet")
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--budget", default="8m")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    if chosen.trial == "levels":
        compare_methods(chosen.repetitions, chosen.seed)
        return
    name: Condition = chosen.condition
    rows: list[dict[str, Any]] = []
    host = read_host()
    content = {
        "trial": "bisect",
        "condition": name,
        "date": datetime.now(UTC).date().isoformat(),
        "cpu": host.cpu.model,
        "cpus": host.cpu.logical,
        "rows": rows,
    }
    path = RESULTS / f"bisect-{chosen.language}-{name}.json"
    for row in bisections(chosen.language, name, chosen.repetitions, chosen.seed, chosen.budget):
        rows.append(row)
        write_results(path, content)
    print(f"results: {path}")


def bisections(
    language: Language, name: Condition, repetitions: int, first_seed: int, budget: str
) -> Iterator[dict[str, Any]]:
    """Bisect a history with one change, and one without, as often as that; yield each result."""
    for seed in range(first_seed, first_seed + repetitions):
        at = int(Generator(PCG64(seed)).integers(1, COMMITS + 1))
        for changes in ({at: REGRESSION}, {}):
            with TemporaryDirectory(prefix="wirelab-history-") as place:
                folder = Path(place) / "repository"
                plant(folder, language, COMMITS, changes)
                began = time.monotonic()
                with condition(name, seed):
                    asked = ("--json", "--budget", budget, "--margin", MARGIN, "--seed", str(seed))
                    done = wirelab(folder, language, "bisect", f"v0..v{COMMITS}", *asked)
                seconds = round(time.monotonic() - began)
                if done.returncode != 0:
                    raise RuntimeError(done.stderr)
                found = json.loads(done.stdout)
                accused = [change["candidates"] for change in found["changes"]]
                right = [[each] for each in ids(folder, [f"v{at}"] if changes else [])]
                row = {
                    "seed": seed,
                    "planted": at if changes else None,
                    "is_right": accused == right,
                    "accuses_wrongly": any(each not in right for each in accused),
                    "ratios": [change["ratio"] for change in found["changes"]],
                    "rounds": found["rounds"],
                    "seconds": seconds,
                }
                print(f"{language} {name} {row}", flush=True)
                yield row


if __name__ == "__main__":
    main()
