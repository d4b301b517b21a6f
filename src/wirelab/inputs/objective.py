"""Objectives as written in files and options: their form and their ranges."""

import re
from contextlib import suppress

from wirelab.inputs.times import read_seconds

_LATE = re.compile(r"\s*((?:(?:first|gap)\s*:\s*)?p(?:50|90|95|99|999|99\.9)|first)\s*<=?(.*)")
_FAILED = re.compile(r"\s*(failed)\s*<=?\s*(\d+(?:\.\d+)?)\s*(%?)\s*")
_LONGEST_S = 3600.0


def check_objective(objective: str) -> str:
    """Return a valid objective; `ValueError` states what is expected."""
    names = [_criterion(each) for each in objective.split(",")]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise ValueError(f"each criterion once, but {name} is given again")
    return objective


def _criterion(condition: str) -> str:
    """Return the name of a valid condition's criterion."""
    if failed := _FAILED.fullmatch(condition):
        name, value, unit = failed.groups()
        if not 0 < float(value) < (100 if unit else 1):
            raise ValueError("a share of requests above 0 and below 100%, such as failed<0.1%")
    elif late := _LATE.fullmatch(condition):
        name, limit = late.groups()
        limit_s = 0.0
        with suppress(ValueError):
            limit_s = read_seconds(limit, needs_unit=True)
        if not 0 < limit_s <= _LONGEST_S:
            raise ValueError("a time above 0 and up to an hour, such as p99<50ms")
    else:
        raise ValueError(
            "conditions such as p99<50ms or p99<50ms,failed<0.1%: p50, p90, p95, p99 and p999 with"
            " a time, failed with a share; of streams, first<200ms or first:p50<200ms, and"
            " gap:p99<50ms"
        )
    return name
