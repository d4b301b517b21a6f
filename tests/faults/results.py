"""The latest result of each case: written as JSON after each, printed as a table, and RESULTS.md.

A run of some cases replaces their results and leaves the others', each with the day it is from.
"""

import json
import platform
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.faults.case import Result
from tests.faults.matrix import LEFT_OUT, Case, Target, World

KINDS = ("lost", "leftover", "traceback", "hang", "exit code", "message", "not resumed", "duration")
"""The kinds of findings; `TITLES` has the headings of the table."""
TITLES = (
    *("lost", "leftovers", "tracebacks", "hangs"),
    *("exit codes", "messages", "not resumed", "durations"),
)
PAGE = Path(__file__).with_name("RESULTS.md")
KEPT = Path(__file__).with_name("results.json")
LONGEST = 240


def keep(results: Iterable[Result], path: Path = KEPT) -> dict[str, Result]:
    """Replace older results of the same cases; return all results."""
    known = read_kept(path)
    known.update((result.case, result) for result in results)
    rows = (
        json.dumps({"case": each.case, "day": each.day, "findings": each.findings})
        for _, each in sorted(known.items())
    )
    path.write_text("[\n" + ",\n".join(rows) + "\n]\n")
    return known


def read_kept(path: Path = KEPT) -> dict[str, Result]:
    """Return the kept results, by the names of their cases."""
    rows = json.loads(path.read_text()) if path.exists() else []
    return {row["case"]: Result(**row) for row in rows}


def oldest_first(cases: Iterable[Case], results: Mapping[str, Result]) -> list[Case]:
    """Sort cases: first those without a result, then those with the oldest results."""
    return sorted(cases, key=lambda it: results[str(it)].day if str(it) in results else "")


def table(cases: Iterable[Case], results: Mapping[str, Result]) -> str:
    """Return the number of cases by finding and target, as a Markdown table."""
    rows: dict[Target, list[Result]] = {}
    for case in cases:
        if str(case) in results:
            rows.setdefault(case.target, []).append(results[str(case)])
    lines = [
        f"| target | cases | {' | '.join(TITLES)} |",
        f"|---|{'---:|' * (1 + len(TITLES))}",
        *(_row(target, found) for target, found in rows.items()),
        _row("all", [result for found in rows.values() for result in found]),
    ]
    return "\n".join(lines)


def page(
    cases: list[Case], results: Mapping[str, Result], obstacles: Mapping[str, str] | None = None
) -> str:
    """Return the page with the latest results; `obstacles`: why cases could not run."""
    tried = [results[str(case)] for case in cases if str(case) in results]
    failed = [result for result in tried if result.findings]
    missing = _grouped((it for it in cases if str(it) not in results), obstacles or {})
    days = Counter(result.day for result in tried)
    by_day = ", ".join(f"{count} on {day}" for day, count in sorted(days.items()))
    parts = [
        "# Latest results of the fault suite\n",
        f"Written by `make faults`, Linux {platform.release()}, {platform.machine()}:"
        f" {len(tried)} of the {len(cases)} cases of the matrix were tried ({by_day}),"
        f" {len(failed)} of them with a finding. Each counts with its latest result, from"
        " [results.json](results.json). [README.md](README.md) explains the findings.\n",
        f"{table(cases, results)}\n",
        "## Cases with a finding\n",
        *([f"* **{it.case}** ({it.day}): {_summary(it)}" for it in failed] or ["None."]),
        "\n## Cases that did not run\n",
        *([f"* {it}" for it in missing] or ["None."]),
        "\n## What the matrix leaves out\n",
        *(f"* {it}" for it in LEFT_OUT),
    ]
    return "\n".join(parts) + "\n"


def _grouped(cases: Iterable[Case], obstacles: Mapping[str, str]) -> list[str]:
    """List cases that differ only in the phase in one line, with the obstacle."""
    phases: dict[tuple[str, str], list[str]] = {}
    for case in cases:
        usual = case.world == World.TURNS
        what = f"{case.target}, {case.fault}" + ("" if usual else f", {case.world}")
        phases.setdefault((what, obstacles.get(str(case), "")), []).append(case.phase)
    return [
        f"{what}: {', '.join(there)}" + (f" ({obstacle})" if obstacle else "")
        for (what, obstacle), there in phases.items()
    ]


def _row(name: str, results: list[Result]) -> str:
    counts = [sum(any(kind == it for it, _ in each.findings) for each in results) for kind in KINDS]
    return f"| {name} | {len(results)} | {' | '.join(map(str, counts))} |"


def _summary(result: Result) -> str:
    parts = (f"{kind}: {' '.join(what.split())[:LONGEST]}" for kind, what in result.findings)
    return "; ".join(parts)
