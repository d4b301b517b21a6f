"""Try every case, or those whose words contain others: `python -m tests.faults [--only WORDS]`."""

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor

from tests.faults.case import Result, isolated, why_not_here
from tests.faults.matrix import Case, all_cases
from tests.faults.results import PAGE, forget, keep, page, table


def main() -> int:
    """Try cases one by one, print the table, and write the page. 1: something was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="WORDS")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="so many at once [1]")
    parser.add_argument("--again", action="store_true", help="keep the results of other cases")
    chosen = parser.parse_args()
    if reason := why_not_here():
        print(f"error: faults cannot be tried here: {reason}", file=sys.stderr)
        return 3
    cases = all_cases()
    wanted = [it for it in cases if not chosen.only or any(only in str(it) for only in chosen.only)]
    if not chosen.again:
        forget()
    done: list[Result] = []
    with ThreadPoolExecutor(chosen.jobs) as pool:
        for result in pool.map(_tried, wanted):
            if result is not None:
                keep([result])
                done.append(result)
    results = keep([])
    PAGE.write_text(page(cases, results))
    print(table(cases, results))
    print(f"{len(results)} of {len(cases)} cases; details in {PAGE}")
    return 1 if len(done) < len(wanted) or any(result.findings for result in done) else 0


def _tried(case: Case) -> Result | None:
    """Try one case, and say at once what came of it."""
    try:
        result = isolated(case)
    except RuntimeError as error:  # the harness itself: the case stays untried
        print(f"error: {error}", file=sys.stderr)
        return None
    words = [f"{kind}: {what}" for kind, what in result.findings] or ["nothing lost, left or hung"]
    print(
        f"{case} ({result.seconds:.0f} s, exit code {result.code}): {'; '.join(words)}", flush=True
    )
    return result


if __name__ == "__main__":
    sys.exit(main())
