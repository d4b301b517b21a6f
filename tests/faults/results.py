"""The results of cases: kept as JSON while they come, told as a table, and as RESULTS.md."""

import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from tests.faults.case import Result
from tests.faults.matrix import LEFT_OUT, Case, Target

KINDS = ("lost", "leftover", "traceback", "hang", "exit code", "message", "not resumed")
TITLES = ("lost", "leftovers", "tracebacks", "hangs", "exit codes", "messages", "not resumed")
PAGE = Path(__file__).with_name("RESULTS.md")
KEPT = Path(__file__).resolve().parents[2] / "target" / "faults.json"
LONGEST = 240


def keep(results: Iterable[Result]) -> dict[str, Result]:
    """Add results to those of before, in place of older ones of the same cases; return all."""
    known = read_kept()
    known.update((result.case, result) for result in results)
    KEPT.parent.mkdir(exist_ok=True)
    KEPT.write_text(json.dumps([asdict(result) for result in known.values()], indent=1))
    return known


def read_kept() -> dict[str, Result]:
    """Return the results that were kept, by the words of their cases."""
    rows = json.loads(KEPT.read_text()) if KEPT.exists() else []
    return {row["case"]: Result(**row) for row in rows}


def forget() -> None:
    """Begin anew."""
    KEPT.unlink(missing_ok=True)


def table(cases: Iterable[Case], results: Mapping[str, Result]) -> str:
    """Return how many cases had which finding, by target, as a table of Markdown."""
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


def page(cases: list[Case], results: Mapping[str, Result]) -> str:
    """Return the page with the latest results."""
    tried = [results[str(case)] for case in cases if str(case) in results]
    failed = [result for result in tried if result.findings]
    missing = _grouped(case for case in cases if str(case) not in results)
    day = datetime.now(UTC).date().isoformat()
    parts = [
        "# Latest results of the fault suite\n",
        f"Written by `make faults` on {day}, Linux {platform.release()}, {platform.machine()}:"
        f" {len(tried)} of the {len(cases)} cases of the matrix were tried,"
        f" {len(failed)} of them with a finding. What is counted: [README.md](README.md).\n",
        f"{table(cases, results)}\n",
        "## Cases with a finding\n",
        *([f"* **{it.case}**: {_told(it)}" for it in failed] or ["None."]),
        "\n## Cases that were not tried\n",
        *([f"* {it}" for it in missing] or ["None."]),
        "\n## What the matrix leaves out\n",
        *(f"* {it}" for it in LEFT_OUT),
    ]
    return "\n".join(parts) + "\n"


def _grouped(cases: Iterable[Case]) -> list[str]:
    """Name cases that differ in nothing but the phase in one line."""
    phases: dict[tuple[str, str], list[str]] = {}
    for case in cases:
        phases.setdefault((case.target, case.fault), []).append(case.phase)
    return [f"{', '.join(key)}: {', '.join(there)}" for key, there in phases.items()]


def _row(name: str, results: list[Result]) -> str:
    counts = [sum(any(kind == it for it, _ in each.findings) for each in results) for kind in KINDS]
    return f"| {name} | {len(results)} | {' | '.join(map(str, counts))} |"


def _told(result: Result) -> str:
    parts = (f"{kind}: {' '.join(what.split())[:LONGEST]}" for kind, what in result.findings)
    return "; ".join(parts)
