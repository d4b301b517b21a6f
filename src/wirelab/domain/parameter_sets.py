"""Parameters from a file, for a domain whose servers keep their own data."""

import json
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from random import Random

from wirelab.domain.model import Domain, Operation
from wirelab.domain.parameters import ConstantValue, ValueCycle, parse
from wirelab.inputs.close_match import close_match
from wirelab.inputs.problems import (
    Problem,
    ProblemsError,
    add_problem,
    collected_problems,
    shown,
)


def parameter_sets(
    domain: Domain,
    operation: Operation,
    count: int,
    fixed: Mapping[str, object] | None = None,
    *,
    seed: int = 1,
) -> list[dict[str, object]]:
    """Return up to `count` different parameter sets for an operation, the same for the same seed.

    They are the operation's lines in the domain's file of parameters, or the constants of
    domain.toml if the file has none for it. `fixed` values replace both. Raises `ProblemsError` if
    a parameter has no value.
    """
    require_values(domain, operation, fixed or {})
    own = _constants(operation)
    rows = list(_lines(domain.parameter_file).get(operation.name, ({},)))
    Random(f"{seed} {operation.name}").shuffle(rows)
    sets: dict[str, dict[str, object]] = {}
    cycles = [len(each.values) for each in (fixed or {}).values() if isinstance(each, ValueCycle)]
    for number, row in enumerate(rows * max(cycles, default=1)):
        values = {**own, **row}
        for name, value in (fixed or {}).items():
            values[name] = (
                value.values[number % len(value.values)] if isinstance(value, ValueCycle) else value
            )
        chosen = {name: value for name, value in values.items() if name in operation.parameters}
        sets.setdefault(json.dumps(chosen, sort_keys=True, default=str), chosen)
        if len(sets) == count:
            break
    return list(sets.values())


def require_values(domain: Domain, operation: Operation, fixed: Collection[str]) -> None:
    """Check that each set of an operation's parameters has all values.

    `fixed` are the parameters that get their values elsewhere. Raises `ProblemsError` with every
    parameter that some line of the file of parameters lacks, and with every line that is no set.
    """
    rows = _lines(domain.parameter_file).get(operation.name, [{}])
    needed = operation.parameters.keys() - _constants(operation).keys() - set(fixed)
    where = shown(domain.parameter_file or domain.folder / "domain.toml")
    with collected_problems():
        for name in sorted(needed):
            row = next((row for row in rows if name not in row), None)
            if row is not None:
                example = json.dumps(
                    {"operation": operation.name, "parameters": dict.fromkeys(sorted(needed), "…")},
                    ensure_ascii=False,
                )
                hint = close_match(name, row.keys() - operation.parameters.keys())
                hint = hint or f"such as {example}, with values that servers know"
                expected = "a value in each set of parameters"
                add_problem(where, f"{operation.name}.{name}", None, expected, hint)


def _constants(operation: Operation) -> dict[str, object]:
    """Return the values of domain.toml by parameter."""
    return {
        name: source.value
        for name, written in operation.parameters.items()
        if isinstance(source := parse(written), ConstantValue) and source.value is not None
    }


@cache
def _lines(path: Path | None) -> dict[str, list[dict[str, object]]]:
    """Read the file of parameters, by operation."""
    sets: dict[str, list[dict[str, object]]] = {}
    problems = []
    # Not `splitlines`: values may contain other characters that Unicode counts as line ends.
    lines = path.read_text(encoding="utf-8").split("\n") if path else []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            sets.setdefault(row["operation"], []).append(dict(row["parameters"]))
        except (ValueError, KeyError, TypeError, RecursionError):
            expected = 'a JSON object with "operation" and "parameters"'
            problems.append(Problem(shown(path or Path()), f"line {number}", line, expected))
    if problems:
        raise ProblemsError(problems)
    return sets
