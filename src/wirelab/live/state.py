"""The state of the page: figures computed from the study's events."""

import time
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from wirelab.live.history import History
from wirelab.planning.stage import Stage
from wirelab.terminal.untrusted import visible, visible_in

LATEST = 20
"""The number of a contender's latest turns that its current figures cover."""

MOST_NOTES = 50

PERCENTILES = {"0.5": "p50_us", "0.9": "p90_us", "0.99": "p99_us"}
"""The field of a slice, by the quantile's name in Prometheus."""

ENDED = ("complete", "interrupted", "failed")

Role = tuple[str, str]
"""A contender's registration, and a role of it."""


@dataclass
class Tally:
    """The sums over one contender's turns so far: rehearsals, recorded slices, trials."""

    transactions: int = 0
    failed: int = 0
    slice_s: float = 0.0
    turn_s: float = 0.0
    """Including the guards before the slices, and draining after them."""
    duration_s: float = 0.0
    """The sum of the response times of the transactions that succeeded."""
    errors: Counter[str] = field(default_factory=Counter)
    latest: deque[Mapping[str, Any]] = field(default_factory=lambda: deque(maxlen=LATEST))

    def rate(self) -> float | None:
        """Return the transactions per second of the latest turns."""
        seconds = sum(turn["seconds"] for turn in self.latest)
        return sum(turn["transactions"] for turn in self.latest) / seconds if seconds else None

    def typical(self, name: str) -> float | None:
        """Return the median of a figure over the latest turns."""
        known = [turn[name] for turn in self.latest if turn[name] is not None]
        return median(known) if known else None


class LiveState:
    """The figures of a study so far. `take` processes an event; events arrive in order."""

    def __init__(self) -> None:
        now = time.time()
        self.bundle: Path | None = None
        self.began = now
        self.updated = now
        self.status = "starting"
        self.expected_s: float | None = None
        self.at_least = False
        """Whether the expected duration is a lower bound."""
        self.stages: list[Stage] = []
        self.block: Mapping[str, Any] = {}
        self.doing = ""
        """The activity within the block, such as a trial of a capacity."""
        self.blocks_finished: set[str] = set()
        self.runs_invalid = 0
        self.tallies: dict[str, Tally] = {}
        self.cpu_s: Counter[Role] = Counter()
        self.memory: dict[Role, int] = {}
        self.notes: deque[str] = deque(maxlen=MOST_NOTES)
        self.history = History(now)
        self.report: Path | None = None
        self.order: list[str] = []
        """Contenders in the order of display: the baseline first."""

    @property
    def stage(self) -> Stage | None:
        """The current stage, or the last one."""
        return self.stages[-1] if self.stages else None

    @property
    def now(self) -> float:
        """The current Unix time; after the end of the study, the time of its end."""
        return self.updated if self.status in ENDED else time.time()

    def contenders(self) -> list[str]:
        """Return the contenders that have had a turn, in the order of display."""
        ranks = {name: rank for rank, name in enumerate(self.order)}
        return sorted(
            self.tallies, key=lambda who: (ranks.get(who.partition("~")[0], len(ranks)), who)
        )

    def take(self, event: Mapping[str, Any]) -> None:
        """Process an event."""
        at = float(event["at"])
        if self.status == "starting":  # the study began before this process did
            self.began, self.history.start, self.status = at, at, "running"
        self.updated = at
        match event["event"]:
            case "bundle":
                self.bundle, self.expected_s = Path(event["path"]), event["expected_s"]
                self.at_least = event["at_least"]
            case "phase":
                self._end_stage(at)
                self.stages.append(Stage(visible(event["text"]), event["steps"], at))
            case "step" if self.stage:
                self.stage.next(visible(event["text"]), at)
            case "expecting" if self.stage:
                self.stage.expect(event["seconds"], at, event["once_s"])
            case "block":
                self._begin_block(visible_in(dict(event)))
            case "doing":
                self.doing = visible(event["text"])
            case "turns":
                self._turns(at, event["turns"])
            case "memory":
                self._memory(at, event["use"])
            case "block_finished":
                self._end_block(event, at)
            case "note":
                self.notes.append(visible(event["text"]))
            case "ended":
                self._end_stage(at)
                self.status, self.block = event["status"], {}
                self.report = Path(event["report"]) if event["report"] else None

    def _end_stage(self, at: float) -> None:
        self.doing = ""
        if self.stage and self.stage.ended is None:
            self.stage.ended, self.stage.step = at, ""
            if self.status == "running":
                self.stage.done = self.stage.steps

    def _begin_block(self, event: Mapping[str, Any]) -> None:
        self.block, self.doing = event, ""
        self.memory.clear()
        for tally in self.tallies.values():
            tally.latest.clear()
        if self.stage:
            step = f"block {event['number']} of {event['group']}"
            self.stage.begin_block(event["id"], step, self.expected_s, at_least=self.at_least)

    def _end_block(self, event: Mapping[str, Any], at: float) -> None:
        self.runs_invalid += len(event["invalid"])
        self.notes.extend(
            visible(f"not counted: {run}: {reason}") for run, reason in event["invalid"].items()
        )
        self.blocks_finished.add(event["id"])
        self.doing = ""
        if self.stage:
            self.stage.finish_block(event["id"], at)

    def _memory(self, at: float, use: Iterable[tuple[str, str, int]]) -> None:
        for who, role, found in use:
            self.memory[who, role] = found
            self.history.add(at, f"memory/{who}/{role}", found)

    def _turns(self, at: float, turns: Iterable[Mapping[str, Any]]) -> None:
        for turn in turns:
            self._turn(at, turn)

    def _turn(self, at: float, turn: Mapping[str, Any]) -> None:
        who = turn["who"]
        tally = self.tallies.setdefault(who, Tally())
        tally.latest.append(turn)
        tally.transactions += turn["transactions"]
        tally.failed += turn["failed"]
        tally.slice_s += turn["seconds"]
        tally.turn_s += turn["whole_s"]
        tally.duration_s += (turn["mean_us"] or 0) / 1e6 * (turn["transactions"] - turn["failed"])
        tally.errors.update(turn["errors"])
        self.history.add(at, f"rate/{who}", turn["transactions"], turn["seconds"])
        self.history.add(at, f"failed/{who}", turn["failed"], turn["seconds"])
        for name in ("p50_us", "p99_us"):
            if turn[name] is not None:
                self.history.add(at, f"{name.removesuffix('_us')}/{who}", turn[name])
        for role, used_us in turn["cpu_us"].items():
            if used_us is not None:
                self.cpu_s[who, role] += used_us / 1e6
                self.history.add(at, f"cpu/{who}/{role}", used_us / 1e6, turn["whole_s"])
