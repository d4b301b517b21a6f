"""Try the method on this machine; see README.md for what was found.

    python -m benches.noise same --studies 59 --condition quiet
    python -m benches.noise detect --condition disturbed
    python -m benches.noise resolution --condition disturbed
    python -m benches.noise order --repetitions 10 --condition disturbed
    python -m benches.noise engine --repetitions 20
    python -m benches.noise columns --repetitions 20
    python -m benches.noise captures --repetitions 20
    python -m benches.noise page --studies 20 [--browser]
    python -m benches.noise regression --repetitions 20 --condition disturbed
    python -m benches.noise summary

Each prints a table, and leaves a file in results/, which `summary` reads.
"""

import argparse
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

from benches.noise.captures import try_captures
from benches.noise.columns import try_columns
from benches.noise.conditions import CONDITIONS, Condition
from benches.noise.detection import try_detection
from benches.noise.engine_cost import try_engine_cost
from benches.noise.page import try_page
from benches.noise.regression import try_regression
from benches.noise.resolution import try_order, try_resolution
from benches.noise.same import try_same
from benches.noise.summary import TRIALS, Row, print_summary
from benches.results import write_results
from wirelab.lab.host import read_host
from wirelab.lab.processes.cpu import plan_cpus

RESULTS = Path(__file__).parent / "results"


def main() -> None:
    """Read the command line and carry out one trial."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "trial",
        choices=(*TRIALS, "summary"),
    )
    parser.add_argument("--condition", choices=CONDITIONS, default="quiet")
    parser.add_argument("--studies", type=int, default=59)
    parser.add_argument("--repetitions", type=int, default=10)
    parser.add_argument("--browser", action="store_true", help="open the page in chromium")
    parser.add_argument("--budget", default="2m", help="of each comparison of a regression")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    name: Condition = chosen.condition
    trials: dict[str, Callable[[], Iterable[dict[str, object]]]] = {
        "same": lambda: try_same(name, chosen.studies, chosen.seed),
        "detect": lambda: try_detection(name, chosen.seed),
        "resolution": lambda: try_resolution(name, chosen.seed),
        "order": lambda: (try_order(name, chosen.seed + n) for n in range(chosen.repetitions)),
        "engine": lambda: try_engine_cost(name, chosen.repetitions, chosen.seed),
        "columns": lambda: try_columns(name, chosen.repetitions, chosen.seed),
        "captures": lambda: try_captures(name, chosen.repetitions, chosen.seed),
        "page": lambda: try_page(name, chosen.studies, chosen.seed, browser=chosen.browser),
        "regression": lambda: try_regression(name, chosen.repetitions, chosen.seed, chosen.budget),
    }
    if chosen.trial == "summary":
        print_summary(RESULTS)
    else:
        _keep(chosen.trial, name, trials[chosen.trial]())


def _keep(trial: str, name: Condition, rows: Iterable[dict[str, object]]) -> None:
    """Write the rows as they come, with the machine they were measured on."""
    host = read_host(plan_cpus())
    found: list[Row] = []
    content = {
        "trial": trial,
        "condition": name,
        "date": datetime.now(UTC).date().isoformat(),
        "cpu": host.cpu.model,
        "cpus": host.cpu.logical,
        "kernel": host.kernel,
        "rows": found,
    }
    path = RESULTS / f"{trial}-{name}.json"
    for row in rows:
        found.append(row)
        write_results(path, content)
    for line in TRIALS[trial]({name: found}):
        print(line)
    print(f"results: {path}")


if __name__ == "__main__":
    main()
