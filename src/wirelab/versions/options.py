"""Read the options of `wirelab bisect` and `wirelab history`; report all errors at once."""

from dataclasses import dataclass

from wirelab.compare.options import (
    MeasureRequest,
    check_common,
    check_timed,
    read_servers,
    selection_of,
    timed_terms,
)
from wirelab.compare.sides import ComparedSide
from wirelab.inputs.problems import (
    add_problem,
    collected_problems,
    require_at_least,
    state_problem,
)
from wirelab.inputs.times import seconds_of_option
from wirelab.scaffold.access import Access
from wirelab.versions.command_line import BisectOptions, HistoryOptions, VersionOptions

START_HINT = "wirelab starts each version itself: --start './server --port {port}'"


@dataclass(frozen=True)
class VersionsRequest(MeasureRequest):
    """The request of a command line about versions; times are in seconds."""

    start: str
    build: str | None
    seconds: float
    build_limit_s: float


def read_bisection(options: BisectOptions) -> VersionsRequest:
    """Read the options of a bisection. Raises `ProblemsError` with everything that is wrong."""
    with collected_problems():
        if options.ci and options.json:
            state_problem("--ci prints Markdown, and --json prints JSON: give one of them")
        ranged = len(options.sides) == 1 and options.sides[0].count("..") == 1
        if not (ranged and "..." not in options.sides[0]) and len(options.sides) != 2:
            expected = "two versions, the older one first: GOOD..BAD"
            add_problem("wirelab bisect", "", " ".join(options.sides), expected)
        return _read(options, least=2)


def read_history(options: HistoryOptions) -> VersionsRequest:
    """Read the options of a history that measures. Raises `ProblemsError`."""
    with collected_problems():
        require_at_least("--every", options.every, 1)
        return _read(options, least=1)


def _read(options: VersionOptions, *, least: int) -> VersionsRequest:
    seconds = check_timed(options)
    build_limit_s = seconds_of_option("--build-limit", options.build_limit)
    check_common(options)
    access = Access()
    sides: list[ComparedSide] = []
    if options.start is None:
        state_problem("--start is missing", START_HINT)
    else:
        sides, access = read_servers(options, least=least)
        for name in access.headers:
            if name:
                add_problem("--header", "", name, "no side: all versions get the same headers")
    return VersionsRequest(
        timed_terms(options, access),
        sides,
        selection_of(options),
        options.start or "",
        options.build,
        seconds,
        build_limit_s,
    )
