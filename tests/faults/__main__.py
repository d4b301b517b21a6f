"""Run every case, or those whose names contain words: `python -m tests.faults [--only WORDS]`.

Cases without a result come first, then those whose latest result is oldest.
"""

import argparse
import math
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from tests.faults.case import isolated, why_not_here
from tests.faults.matrix import Case, all_cases
from tests.faults.results import PAGE, keep, oldest_first, page, read_kept, table
from tests.faults.worlds import why_not

LOGS = Path(__file__).resolve().parents[2] / "target" / "faults"
"""The output of the laboratory in cases with a finding."""

_writing = threading.Lock()
_obstacles: dict[str, str] = {}
"""Why cases could not run, by name."""


def main() -> int:
    """Run cases, print the table, and write the page. Returns 1 if there is a finding."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="WORDS")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="parallel cases [1]")
    parser.add_argument(
        "--minutes", type=float, default=math.inf, metavar="N", help="begin no case after N minutes"
    )
    chosen = parser.parse_args()
    if reason := why_not_here():
        print(f"error: faults cannot be tried here: {reason}", file=sys.stderr)
        return 3
    cases = all_cases()
    selected = [
        it for it in cases if not chosen.only or any(only in str(it) for only in chosen.only)
    ]
    attempt = partial(_try_case, until=time.monotonic() + 60 * chosen.minutes)
    with ThreadPoolExecutor(chosen.jobs) as pool:
        succeeded = list(pool.map(attempt, oldest_first(selected, read_kept())))
    results = read_kept()
    PAGE.write_text(page(cases, results, _obstacles))
    print(table(cases, results))
    print(f"{sum(str(it) in results for it in cases)} of {len(cases)} cases; details in {PAGE}")
    return 0 if all(succeeded) else 1


def _try_case(case: Case, until: float) -> bool:
    """Run a case if there is time, keep its result, and print it."""
    if time.monotonic() > until:
        return True
    if reason := why_not(case):
        _obstacles[str(case)] = reason
        print(f"{case}: not tried: {reason}", flush=True)
        return True
    try:
        result = isolated(case)
    except RuntimeError as error:  # of the harness itself: the case has no result
        print(f"error: {error}", file=sys.stderr)
        return False
    with _writing:
        keep([result])
    words = [f"{kind}: {what}" for kind, what in result.findings] or ["nothing lost, left or hung"]
    print(
        f"{case} ({result.seconds:.0f} s, exit code {result.code}): {'; '.join(words)}", flush=True
    )
    if result.findings:
        LOGS.mkdir(parents=True, exist_ok=True)
        (LOGS / f"{case}.log").write_text(result.output)
    return not result.findings


if __name__ == "__main__":
    sys.exit(main())
