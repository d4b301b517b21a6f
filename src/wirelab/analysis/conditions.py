"""The conditions of the valid runs: facts, whether or not they are a problem."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from wirelab.analysis.answers.effort import Effort
from wirelab.analysis.cautions.fairness import Fairness
from wirelab.analysis.disturbance import Disturbance
from wirelab.analysis.model import ComparedPair
from wirelab.bundle import ContenderRecord
from wirelab.statistics import IDLE_CPU_LIMIT
from wirelab.study import Cell
from wirelab.terminal import words


def conditions(
    runs: Mapping[Cell, pd.DataFrame],
    disturbance: Disturbance,
    fairness: Sequence[Fairness],
    pairs: Sequence[ComparedPair],
    efforts: Sequence[Effort],
    *,
    contenders: Mapping[str, ContenderRecord],
    has_budget: bool,
) -> dict[str, str]:
    """Summarise what was recorded besides the measurements, in words with figures.

    Starts and databases are only those of contenders that wirelab starts, and whose data it
    restores. `has_budget`: `--budget` determines the number of permutations, so no other one is
    recommended.
    """
    if not runs:
        return {}
    everything = pd.concat(runs.values())
    found = {
        "load generator": (
            f"busy {_span(everything['engine_busy_share'])} of its CPU; {_ceiling(everything)}"
        ),
        "stolen by the host": _stolen(disturbance),
        **dict(_effect_of_stolen_time(pairs)),
        "measured": _measured(everything),
    }
    started = _controlled(runs, contenders, "fresh_start")
    if started is not None:
        found["start of a contender"] = "; ".join(_starts(started))
    if disturbance.other_share is not None:
        found["other programs"] = f"at most {words.percent(disturbance.other_share)} of the CPUs"
    found |= dict(_turns(fairness))
    found |= dict(_spent(efforts, starts=started is not None))
    if not has_budget:
        found |= dict(recommended(efforts))
    restored = _controlled(runs, contenders, "restored_store")
    if restored is not None:
        found["creating a database"] = f"{_numbers(restored['restore_s'])} s"
    if "context_store" in everything:
        found["store that answered"] = words.listed(
            dict.fromkeys(str(name) for name in everything["context_store"].dropna())
        )
    return found


def _controlled(
    runs: Mapping[Cell, pd.DataFrame], contenders: Mapping[str, ContenderRecord], what: str
) -> pd.DataFrame | None:
    """Return the runs of contenders of which wirelab controls something; None without one."""
    those = [
        of_cell
        for cell, of_cell in runs.items()
        if what not in contenders[cell.contender].not_controlled
    ]
    return pd.concat(those) if those else None


def _stolen(disturbance: Disturbance) -> str:
    low, high = (words.percent(share) for share in disturbance.stolen_span)
    text = f"{low if low == high else f'{low} to {high}'} of the CPU time of a session"
    if disturbance.worst_stolen_share > disturbance.stolen_span[1]:
        text += f", at most {disturbance.worst_stolen}"
    return text


def _effect_of_stolen_time(pairs: Sequence[ComparedPair]) -> Iterator[tuple[str, str]]:
    """Describe how much ratios change if only the least-stolen permutations count."""
    moved = [
        pair.stolen.least_stolen.ratio / pair.stolen.everything.ratio
        for pair in pairs
        if pair.stolen is not None and pair.stolen.least_stolen.blocks
    ]
    if moved:
        most = max(max(factor, 1 / factor) for factor in moved) - 1
        odd = sum(pair.stolen is not None and pair.stolen.differ for pair in pairs)
        beyond = (
            f"{words.plural(odd, 'comparison')} by more than half of the 95\u00a0% interval"
            if odd
            else "none by more than half of its 95\u00a0% interval"
        )
        yield (
            "effect of stolen time",
            "with only the least-stolen half of the permutations, ratios change by at most"
            f" {words.percent(most)}; {beyond}",
        )


def _turns(fairness: Sequence[Fairness]) -> Iterator[tuple[str, str]]:
    """Describe the results of the checks of turns, even if they found nothing."""
    tested = [each for each in fairness if each.carry_over is not None]
    if tested:
        carried = sum(each.carries_over for each in tested)
        yield (
            "carry-over",
            f"found in {carried} of {words.plural(len(tested), 'group')} of contenders"
            if carried
            else f"none found in {words.plural(len(tested), 'group')} of contenders",
        )
    idle = [each.idle_share for each in fairness if each.idle_share is not None]
    if idle:
        yield (
            "work outside of turns",
            f"at most {words.percent(max(idle))} of a CPU (limit {words.percent(IDLE_CPU_LIMIT)})",
        )


def _spent(efforts: Sequence[Effort], *, starts: bool) -> Iterator[tuple[str, str]]:
    """Describe the time of blocks."""
    if not efforts:
        return
    block_s, permutation_s, permutations = (
        pd.Series([getattr(each, name) for each in efforts])
        for name in ("block_s", "permutation_s", "permutations")
    )
    rest = "starting servers, warming them up and stopping them" if starts else "warm-up"
    yield (
        "time of a block",
        f"{_numbers(permutation_s)} s for each of its {_counts(permutations, 'permutation')}, and"
        f" {_numbers(block_s)} s for {rest}",
    )


def recommended(efforts: Sequence[Effort]) -> Iterator[tuple[str, str]]:
    """Recommend a number of permutations for the same time, if it differs from the measured one."""
    others = [each for each in efforts if each.optimal_permutations != each.permutations]
    if not others:
        return
    best = pd.Series([each.optimal_permutations for each in others]).dropna()
    text = [f"{_counts(best, 'permutation')} a block"] if not best.empty else []
    if unlimited := len(others) - len(best):
        of_all = f" in {words.plural(unlimited, 'group')} of contenders" if text else ""
        text.append(f"longer blocks instead of more blocks{of_all}")
    yield "narrowest intervals in the same time", "; ".join(text)


def _measured(runs: pd.DataFrame) -> str:
    """Describe how much was measured in a run, and in which slices, or how long a window."""
    parts = []
    in_slices = runs["permutations"] > 0
    if in_slices.any():
        parts.append(_slices(runs[in_slices]))
    if not in_slices.all():
        parts.append(f"in a window of {_numbers(runs[~in_slices]['duration_s'])} s")
    return f"{_counts(runs['transactions'], 'transaction')} a run, {' or '.join(parts)}"


def _slices(in_slices: pd.DataFrame) -> str:
    text = f"in {_counts(in_slices['permutations'], 'slice')}"
    by_time = in_slices["slice_seconds"].dropna()
    if not by_time.empty:
        low, high = (words.duration(1e6 * float(end)) for end in (by_time.min(), by_time.max()))
        text += f" of {low if low == high else f'{low} to {high}'}"
    by_count = in_slices["slice_transactions"].dropna()
    if not by_count.empty:
        text += f"{' or' if not by_time.empty else ' of'} {_counts(by_count, 'transaction')}"
    return text


def _starts(runs: pd.DataFrame) -> Iterator[str]:
    """Describe how long starts took in each environment, and the environment's part of it."""
    for environment, those in runs.groupby("environment"):
        text = f"{environment} {_numbers(those['start_s'])} s"
        launch_s = those["launch_s"].max() if "launch_s" in those else math.nan
        if math.isfinite(launch_s):
            text += f", of it at most {words.significant(launch_s, 2)} s until its program ran"
        yield text


def _ceiling(runs: pd.DataFrame) -> str:
    """Describe how close the load generator came to its maximum throughput."""
    if "context_ceiling_share" not in runs or runs["context_ceiling_share"].isna().all():
        return "its ceiling on this machine was not known"
    return f"at most {words.percent(float(runs['context_ceiling_share'].max()))} of its ceiling"


def _span(shares: pd.Series) -> str:
    low, high = words.percent(float(shares.min())), words.percent(float(shares.max()))
    return low if low == high else f"{low} to {high}"


def _counts(values: pd.Series, noun: str) -> str:
    low, high = int(values.min()), int(values.max())
    most = words.plural(high, noun)
    return most if low == high else f"{words.whole(low)} to {most}"


def _numbers(values: pd.Series) -> str:
    known = values.dropna()
    if known.empty:
        return words.MISSING
    low, high = (words.significant(float(end)) for end in (known.min(), known.max()))
    return low if low == high else f"{low} to {high}"


def verification_time(events: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Describe how long the comparison with the reference took, before and outside the runs."""
    seconds = [float(event["seconds"]) for event in events if event.get("event") == "compared"]
    if not seconds:
        return {}
    longest, whole = words.significant(max(seconds)), words.significant(sum(seconds))
    return {"verification": f"{whole} s before any run, {longest} s of it for one contender"}
