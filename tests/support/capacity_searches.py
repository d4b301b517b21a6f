"""The outcome of a search for a capacity, as the engine reports it."""

from typing import Any

from wirelab.engine.events import CapacityFound


def search(lower: float | None, upper: float | None, *tried: tuple[float, bool]) -> CapacityFound:
    """Make a search with bounds, whose ladder came to 90/s, and with trials at some rates."""
    goal = {"exceed_ratio": 0.5, "lower_per_s": lower, "upper_per_s": upper}
    trials: list[dict[str, Any]] = [
        {
            "at_s": 0.0,
            "rate_per_s": rate,
            "seconds": 1.0,
            "due": 1,
            "good": 1,
            "loss_ratio": 0.0,
            "is_kept": is_kept,
            "failed": 0,
            "never_sent": 0,
            "errors": {},
            "median_us": None,
            "p99_us": None,
            "engine_busy_share": 0.0,
        }
        for rate, is_kept in tried
    ]
    return CapacityFound.model_validate(
        {
            "format": "wirelab-capacity/1",
            "interrupted": False,
            "out_of_time": True,
            "url": "",
            "load": "",
            "objective": "",
            "allowed_loss_ratio": 0.01,
            "seed": 1,
            "trial_s": 1.0,
            "duration_sum_s": 21.0,
            "seconds": 9.0,
            "change": None,
            "ladder": [{"clients": 1, "rate_per_s": 90.0, "is_kept": True}],
            "goals": [{**goal, "throughput_per_s": None, "outcome": "unfinished"}],
            "trials": trials,
            "warnings": [],
        }
    )
