"""Under which conditions the runs that count were made: facts, whether or not they trouble."""

import math
from collections.abc import Iterator, Mapping

import pandas as pd

from wirelab.analysis import words
from wirelab.study import Cell

SHORTEST_S = 0.5
"""In a shorter window the kernel's ticks, of 10 ms, tell nothing about a share of 5 %."""


def told_by_ticks(runs: pd.DataFrame) -> pd.DataFrame:
    """Keep the runs that lasted long enough for the kernel's count of busy ticks to be a share."""
    return runs[runs["duration_s"] >= SHORTEST_S]


def conditions(runs: Mapping[Cell, pd.DataFrame]) -> dict[str, str]:
    """Summarise what was recorded beside the measurements, in words with figures."""
    if not runs:
        return {}
    everything = pd.concat(runs.values())
    found = {
        "load generator": (
            f"busy {_span(everything['engine_busy_share'])} of its CPU; {_ceiling(everything)}"
        ),
        "steal": f"at most {words.percent(float(everything['steal_share'].max()))}",
        "window": f"{_counts(everything['transactions'])} transactions a run",
        "start of a contender": "; ".join(_starts(everything)),
    }
    if "context_other_share" in everything and not (long := told_by_ticks(everything)).empty:
        share = float(long["context_other_share"].max())
        found["other programs"] = f"at most {words.percent(share)} of the CPUs"
    if "context_restore_s" in everything:
        found["restoring the store"] = f"{_numbers(everything['context_restore_s'])} s"
    if "context_store" in everything:
        found["store that answered"] = words.listed(
            dict.fromkeys(str(name) for name in everything["context_store"].dropna())
        )
    return found


def _starts(runs: pd.DataFrame) -> Iterator[str]:
    """Say what starting took in each environment, and how much of that was the environment."""
    for environment, those in runs.groupby("environment"):
        said = f"{environment} {_numbers(those['start_s'])} s"
        launch_s = those["launch_s"].max() if "launch_s" in those else math.nan
        if math.isfinite(launch_s):
            said += f", of it at most {words.significant(launch_s, 2)} s until its program ran"
        yield said


def _ceiling(runs: pd.DataFrame) -> str:
    """Say how near the load generator came to what it can do at most."""
    if "context_ceiling_share" not in runs or runs["context_ceiling_share"].isna().all():
        return "its ceiling on this machine was not known"
    return f"at most {words.percent(float(runs['context_ceiling_share'].max()))} of its ceiling"


def _span(shares: pd.Series) -> str:
    low, high = words.percent(float(shares.min())), words.percent(float(shares.max()))
    return low if low == high else f"{low} to {high}"


def _counts(values: pd.Series) -> str:
    low, high = (
        f"{int(end):,}".replace(",", words.NO_BREAK) for end in (values.min(), values.max())
    )
    return low if low == high else f"{low} to {high}"


def _numbers(values: pd.Series) -> str:
    known = values.dropna()
    if known.empty:
        return words.MISSING
    low, high = (words.significant(float(end)) for end in (known.min(), known.max()))
    return low if low == high else f"{low} to {high}"
