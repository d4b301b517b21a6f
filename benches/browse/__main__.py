"""Time the pages of `wirelab browse` on this machine; see README.md for what they mean.

`python -m benches.browse BUNDLE [--bundles 100] [--rounds 10] [--output FILE]`: BUNDLE is copied
so many times. Prints a table, and writes all figures as JSON.
"""

import argparse
import sys
import tempfile
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from benches.browse.library import copy_bundle
from benches.browse.timing import CHROMIUM, time_pages
from benches.results import write_results
from wirelab.bundle import Bundle
from wirelab.lab.host import read_host
from wirelab.lab.processes.cpu import plan_cpus

RESULTS = Path(__file__).parent / "results" / "browse.json"


def main() -> int:
    """Measure, print, and write."""
    parser = argparse.ArgumentParser(prog="benches.browse")
    parser.add_argument("bundle", type=Path, metavar="BUNDLE", help="a bundle that is copied")
    parser.add_argument("--bundles", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    if options.bundles < 2:
        parser.error("--bundles must be at least 2, since two of them are compared")
    bundle = Bundle.open(options.bundle)
    with tempfile.TemporaryDirectory(prefix="wirelab-bench-") as place:
        folder = Path(place) / "bundles"
        copy_bundle(bundle, folder, options.bundles)
        found = [*time_pages(folder, Path(place), options.rounds).found.values()]
    if CHROMIUM is None:
        print("no chromium on this machine: pages were not loaded in a browser", file=sys.stderr)
    print("| cache | what | median | slowest | target |\n|---|---|--:|--:|---|")
    for timing in found:
        print(timing.row)
    host = read_host(plan_cpus())
    content = {
        "date": datetime.now(UTC).date().isoformat(),
        "cpu": host.cpu.model,
        "cpus": host.cpu.logical,
        "kernel": host.kernel,
        "bundles": options.bundles,
        "bundle": f"{bundle.info.study}, design {bundle.info.design}",
        "timings": [asdict(timing) for timing in found],
    }
    write_results(options.output, content)
    print(f"results: {options.output}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
