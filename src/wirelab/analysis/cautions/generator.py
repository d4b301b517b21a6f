"""Cautions about the load generator: busy, late, near its ceiling, or losing requests."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from wirelab.analysis.cautions.caution import At, Caution, Severity
from wirelab.analysis.cautions.evidence import Evidence
from wirelab.statistics import LIMITS
from wirelab.study import Cell
from wirelab.terminal import words

NEAR_CEILING, BUSY = 0.5, 0.6
SERIOUS_SHARE = 0.1
"""If more than this share of runs is above a limit, it is serious."""


@dataclass(frozen=True)
class GeneratorBusy(Caution):
    """The load generator used more of its CPU than a valid run may."""

    TITLE = "The load generator was busy"
    runs: int
    of: int
    highest_share: float

    @property
    def severity(self) -> Severity:
        """Serious: every run that is above the limit is."""
        limit = LIMITS.generator_busy_share
        is_serious = self.runs > SERIOUS_SHARE * self.of or self.highest_share > limit
        return "serious" if is_serious else "minor"

    def _detail(self) -> str:
        return (
            f"{words.plural(self.runs, 'run')} of {self.of} above"
            f" {words.percent(LIMITS.generator_busy_share)} of its CPU; the highest"
            f" {words.percent(self.highest_share)}"
        )


@dataclass(frozen=True)
class GeneratorLagged(Caution):
    """Requests of an open load were sent late."""

    TITLE = "The load generator lagged behind its schedule"
    runs: int
    lag_p99_us: float

    def _detail(self) -> str:
        return (
            f"{words.plural(self.runs, 'run')}; the 99th percentile of the lag reached"
            f" {words.duration(self.lag_p99_us)}"
        )


@dataclass(frozen=True)
class LittleNotClosed(Caution):
    """Clients, throughput and response time disagree."""

    SEVERITY = "serious"
    TITLE = "Little's law does not close"
    runs: int

    def _detail(self) -> str:
        return (
            f"in {words.plural(self.runs, 'run')} clients, throughput and response time disagree"
            f" by more than {words.percent(LIMITS.little_gap_share)}: requests were lost, or the"
            " client was saturated"
        )


@dataclass(frozen=True)
class SomeFailed(Caution):
    """Transactions failed in valid runs."""

    TITLE = "Transactions failed in runs that count"
    transactions: int
    runs: int

    def _detail(self) -> str:
        return f"{self.transactions} in {words.plural(self.runs, 'run')}"


@dataclass(frozen=True)
class SessionsReopened(Caution):
    """Servers ended sessions during valid runs."""

    TITLE = "Sessions ended under load and were opened again"
    sessions: int
    runs: int

    def _detail(self) -> str:
        return (
            f"{self.sessions} in {words.plural(self.runs, 'run')}; the times of their transactions"
            " include it. What to do: let sessions live longer than the measurement, or give each"
            " call its own (new_session = true)"
        )


@dataclass(frozen=True)
class NearCeiling(Caution):
    """The load generator was near its maximum throughput, or busy."""

    TITLE = "The load generator was near its ceiling"
    places: tuple[At, ...]

    def _detail(self) -> str:
        return (
            f"{words.first_few(list(map(str, self.places)))}: part of these times may be the load"
            " generator's, and differences between servers look smaller. What to do: send from"
            " fewer clients or at a lower rate"
        )


@dataclass(frozen=True)
class CeilingUnknown(Caution):
    """The load generator was busy, and its maximum throughput is unknown."""

    TITLE = "The load generator was busy, and its ceiling is unknown"
    places: tuple[At, ...]

    def _detail(self) -> str:
        return (
            f"{words.first_few(list(map(str, self.places)))}: part of these times may be the load"
            " generator's. What to do: measure its ceiling with `wirelab qualify` before the study"
        )


def generator(evidence: Evidence) -> Iterator[Caution]:
    """Find valid runs in which the load generator was short of resources."""
    frames = list(evidence.values.runs.values())
    everything = pd.concat(frames) if frames else pd.DataFrame()
    if everything.empty:
        return
    busy = everything["engine_busy_share"]
    above = busy[busy > LIMITS.generator_busy_share]
    if not above.empty:
        yield GeneratorBusy(len(above), len(everything), float(above.max()))
    lag_limit = np.maximum(LIMITS.lag_us, LIMITS.lag_share_of_p50 * everything["latency_p50_us"])
    # Closed load has no schedule: Little's closure covers delays between an answer and the next
    # request.
    open_load = everything["offered_rate_per_s"].notna()
    late = everything[open_load & (everything["lag_p99_us"] > lag_limit)]
    if not late.empty:
        yield GeneratorLagged(len(late), float(late["lag_p99_us"].max()))
    lost = everything[(everything["little_closure"] - 1.0).abs() > LIMITS.little_gap_share]
    if not lost.empty:
        yield LittleNotClosed(len(lost))
    failed = everything[everything["failed"] > 0]
    if not failed.empty:
        yield SomeFailed(int(failed["failed"].sum()), len(failed))
    reopened = everything[everything["reopened_sessions"] > 0]
    if not reopened.empty:
        yield SessionsReopened(int(reopened["reopened_sessions"].sum()), len(reopened))


def ceilings(evidence: Evidence) -> Iterator[Caution]:
    """Find cells near the load generator's ceiling, and busy ones where that is unknown."""
    own = {cell: frame for cell, frame in evidence.values.runs.items() if not cell.twin}
    yield from find_ceilings(own, evidence.at)


def find_ceilings(
    runs: Mapping[Cell, pd.DataFrame], at: Callable[[Cell, str], At]
) -> Iterator[Caution]:
    """See `ceilings`; `at` names a cell with figures."""
    near: list[At] = []
    unknown: list[At] = []
    for cell, frame in runs.items():
        busy = float(frame["engine_busy_share"].max())
        reached = frame.get("context_ceiling_share", pd.Series(dtype=float)).astype(float).max()
        if reached >= NEAR_CEILING:
            near.append(at(cell, f"{words.percent(reached)} of its ceiling"))
        elif busy >= BUSY:
            listed = unknown if pd.isna(reached) else near
            listed.append(at(cell, f"busy for {words.percent(busy)} of the time"))
    if near:
        yield NearCeiling(tuple(near))
    if unknown:
        yield CeilingUnknown(tuple(unknown))
