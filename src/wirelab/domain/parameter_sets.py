"""Parameters for the operations of a domain whose servers keep data of their own: from a file."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from random import Random

from wirelab.domain.model import Domain, Operation
from wirelab.domain.parameters import Constant, Cycle, parse
from wirelab.domain.read import shown
from wirelab.problems import Problem, ProblemsError


def parameter_sets(
    domain: Domain,
    operation: Operation,
    count: int,
    fixed: Mapping[str, object] | None = None,
    *,
    seed: int = 1,
) -> list[dict[str, object]]:
    """Return up to so many different sets of parameters for an operation, the same for a seed.

    They are the lines that the domain's file has for it, and for an operation that the file does
    not name the constants of domain.toml. `fixed` values take the place of either. Raises
    `ProblemsError` where a parameter has no value.
    """
    own = {
        name: source.value
        for name, written in operation.parameters.items()
        if isinstance(source := parse(written), Constant) and source.value is not None
    }
    rows = list(_lines(domain.parameter_file).get(operation.name, ({},)))
    Random(f"{seed} {operation.name}").shuffle(rows)
    sets: dict[str, dict[str, object]] = {}
    for number, row in enumerate(rows * (count if fixed else 1)):
        values = {**own, **row}
        for name, value in (fixed or {}).items():
            values[name] = (
                value.values[number % len(value.values)] if isinstance(value, Cycle) else value
            )
        if missing := operation.parameters.keys() - values.keys():
            where = shown(domain.parameter_file or domain.folder / "domain.toml")
            key = f"{operation.name}.{min(missing)}"
            raise ProblemsError([Problem(where, key, None, "a value in each set of parameters")])
        chosen = {name: value for name, value in values.items() if name in operation.parameters}
        sets.setdefault(json.dumps(chosen, sort_keys=True, default=str), chosen)
        if len(sets) == count:
            break
    return list(sets.values())


@cache
def _lines(path: Path | None) -> dict[str, list[dict[str, object]]]:
    """Read the file of parameters, by operation."""
    found: dict[str, list[dict[str, object]]] = {}
    problems = []
    # Not by `splitlines`: values may contain what else Unicode takes for the end of a line.
    lines = path.read_text(encoding="utf-8").split("\n") if path else []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            found.setdefault(row["operation"], []).append(dict(row["parameters"]))
        except (ValueError, KeyError, TypeError):
            expected = 'a JSON object with "operation" and "parameters"'
            problems.append(Problem(shown(path or Path()), f"line {number}", line, expected))
    if problems:
        raise ProblemsError(problems)
    return found
