"""Bundles of a design that asks what contenders sustain, fabricated."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wirelab.bundle import Bundle
from wirelab.bundle.run_reasons import Failed
from wirelab.errors import Failure

from .models import models_of
from .synthetic import edit_runs, write_bundle

RATES = {"rest-flask": 500.0, "graphql-graphene": 250.0, "grpc-grpcio": 800.0}
GOALS = [(0.5, 990.0, 1010.0), (0.05, 900.0, 920.0)]
UNFINISHED: dict[str, tuple[float | None, float | None]] = {
    "graphql-graphene": (240.0, 280.0),
    "grpc-grpcio": (None, None),
}
"""The contenders whose search ran out of time, and the bounds for the second goal until then."""

WARNING = "the engine was busy"
KILLED = Failed(error="ContenderError", failure=Failure("it was killed")).model_dump(mode="json")


def trial(rate: int, *, good: int, errors: dict[str, int]) -> dict[str, Any]:
    """Make a trial of a second."""
    judged = {"due": rate, "good": good, "loss_ratio": 1 - good / rate, "is_kept": not errors}
    return {
        "rate_per_s": rate,
        "seconds": 1.0,
        "judged": judged,
        "p99_us": 1000.0,
        "failed": sum(errors.values()),
        "never_sent": rate // 5,
        "errors": errors,
    }


def with_capacity(content: dict[str, Any]) -> None:
    """Write into a run what a contender sustains: a little more in each block."""
    cell, block = content["run"]["cell"], content["run"]["block"]
    rate = RATES[cell["contender"]] * (1 + block / 500)
    tried = trial(round(2 * rate), good=round(0.6 * rate), errors={"timeout": 150, "status": 250})
    content["capacity"] = {
        "objective": "p99<50ms",
        "rate_per_s": rate,
        "trials": [trial(round(rate), good=round(rate), errors={})],
        "overload": [{"times": 2.0, "trial": tried, "recovery_s": 0.4 if block > 3 else None}],
        "ended": KILLED if cell["contender"] == "grpc-grpcio" and block == 6 else None,
        "search": None if block > 1 or cell["twin"] else _search(UNFINISHED.get(cell["contender"])),
    }


def search(goals: Sequence[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    """Make the result of a search that had enough time, unless `changes` say something else."""
    return {
        "format": "wirelab-capacity/1",
        "interrupted": False,
        "out_of_time": False,
        "url": "",
        "load": "",
        "objective": "p99<50ms",
        "allowed_loss_ratio": 0.01,
        "trial_s": 1.0,
        "duration_sum_s": 21.0,
        "seed": 1,
        "seconds": 30.0,
        "ladder": [],
        "goals": [*goals],
        "trials": [],
        "change": 1.0,
        "warnings": [],
        **changes,
    }


def _search(unfinished: tuple[float | None, float | None] | None) -> dict[str, Any]:
    """Make a search; of an unfinished one, these are the bounds for the second goal so far."""
    goals: list[dict[str, Any]] = [
        {
            "exceed_ratio": ratio,
            "lower_per_s": low,
            "upper_per_s": high,
            "throughput_per_s": low,
            "outcome": "found",
        }
        for ratio, low, high in GOALS
    ]
    if unfinished is not None:
        low_so_far, high_so_far = unfinished
        goals[1] |= {
            "lower_per_s": low_so_far,
            "upper_per_s": high_so_far,
            "throughput_per_s": None,
            "outcome": "unfinished",
        }
    return search(goals, out_of_time=unfinished is not None, warnings=[WARNING])


def write_capacities(folder: Path, *contenders: str) -> Bundle:
    """Fabricate six blocks of the design that asks for capacities, by default of all contenders."""
    bundle = write_bundle(
        folder,
        requests=300,
        design="capacity",
        workloads=("fetch_one",),
        loads=("sustained",),
        models=models_of(*(contenders or RATES)),
    )
    edit_runs(bundle, with_capacity)
    return bundle
