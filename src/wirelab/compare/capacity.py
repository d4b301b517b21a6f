"""The options of `wirelab capacity` as one value; reports all errors at once."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from wirelab.compare.options import Request, read_request
from wirelab.compare.sides import names_a_domain
from wirelab.compare.times import read_seconds
from wirelab.inputs.bounds import MOST_BLOCKS, MOST_CONNECTIONS
from wirelab.inputs.objective import check_objective
from wirelab.inputs.problems import Problem, Problems

SHORTEST_TRIAL_S = 0.05
MOST_REPEATS = 1000


@dataclass(frozen=True)
class CapacityRequest:
    """The request of a command line."""

    request: Request
    """The sides, and how to query them."""
    blocks: int


def read_capacity(
    sides: Sequence[str],
    *,
    objective: str,
    connections: int,
    blocks: int,
    repeats: int,
    trial: str | None,
    search: str,
    problems: Problems | None = None,
    **others: Any,
) -> CapacityRequest:
    """Read the options; `others` are shared with `wirelab compare`.

    `problems` are those of options that were read before. Raises `ProblemsError` with all.
    """
    problems = problems or Problems()
    trial_s = None
    search_s = 0.0
    try:
        if objective or not problems.found:  # a missing one has been noted
            check_objective(objective)
    except ValueError as error:
        problems.add("--objective", "", objective, str(error))
    try:
        search_s = read_seconds(search)
    except ValueError as error:
        problems.add("--search", "", search, str(error))
    if trial is not None:
        try:
            trial_s = read_seconds(trial)
        except ValueError as error:
            problems.add("--trial", "", trial, str(error))
        if trial_s is not None and trial_s < SHORTEST_TRIAL_S:
            problems.add("--trial", "", trial, f"at least {1000 * SHORTEST_TRIAL_S:g}ms")
    problems.require_at_least("--connections", connections, 1, MOST_CONNECTIONS)
    problems.require_at_least("--blocks", blocks, 1, MOST_BLOCKS)
    problems.require_at_least("--repeats", repeats, 1, MOST_REPEATS)
    if others["start"] is None and names_a_domain(sides):
        hint = "give addresses, commands with {port}, or versions with --start"
        sentence = f"{sides[0]} is a domain, and a capacity is that of servers"
        problems.extend([Problem.stated(sentence, hint)])
        problems.raise_if_any()
    request = read_request(
        sides,
        clients=1,
        rate=1.0,  # of an open load; each trial has its own
        budget="1m",
        pids=(),
        fail_if=(),
        baseline=None,
        allow_writes=False,
        reset=None,
        scratch=False,
        least=1,
        problems=problems,
        **others,
    )
    load = {
        "kind": "capacity",
        "objective": objective.strip(),
        "connections": connections,
        "repeats": repeats,
        "search_seconds": search_s,
        "trial_seconds": trial_s,
    }
    return CapacityRequest(replace(request, terms=replace(request.terms, capacity=load)), blocks)
