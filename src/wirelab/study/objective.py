"""Objectives as written in files and options; only their form is checked here."""

import re
from typing import Annotated

from pydantic import AfterValidator

_CONDITION = re.compile(
    r"\s*(?:p(?:50|90|95|99|999)\s*<=?\s*\d+(?:\.\d+)?\s*(?:us|µs|ms|s)"
    r"|failed\s*<=?\s*\d+(?:\.\d+)?\s*%?)\s*"
)


def check_objective(objective: str) -> str:
    """Return an objective of valid form; `ValueError` states the form."""
    if not all(_CONDITION.fullmatch(each) for each in objective.split(",")):
        raise ValueError(
            "conditions such as p99<50ms or p99<50ms,failed<0.1%: p50, p90, p95, p99 and p999 with"
            " a time, failed with a share"
        )
    return objective


Objective = Annotated[str, AfterValidator(check_objective)]
