"""A stage of a study: how far it has come, and what it still takes."""

from dataclasses import dataclass, field

CACHED = 0.1
"""A step that takes a smaller share of the longest one's time found its work done already."""
TELLING_S = 2.0
"""Steps that had work to do must have taken so long before anything is estimated from them."""


@dataclass
class Stage:
    """So many steps, of which some are done and one is being done. Times in seconds."""

    title: str
    steps: int
    began: float
    done: int = 0
    step: str = ""
    ended: float | None = None
    finished: set[str] = field(default_factory=set)
    """The ids of the blocks that are done."""
    expected_s: float | None = None
    step_began: float = 0.0
    took: list[float] = field(default_factory=list)
    """The seconds of each step that is done; blocks are counted only."""

    def next(self, step: str, now: float) -> None:
        """Go on to a step; the one before, if there was one, is done."""
        if self.step:
            self.done += 1
            self.took.append(now - self.step_began)
        self.step, self.step_began = step, now

    def begin_block(self, block: str, step: str, expected_s: float | None) -> None:
        """Go on to a block; one that is measured once more is not done after all.

        `expected_s`: what all blocks are expected to take, for as long as none is done.
        """
        self.expected_s = expected_s
        self.done -= 1 if block in self.finished else 0
        self.finished.discard(block)
        self.step = step

    def finish_block(self, block: str) -> None:
        """Count a block."""
        self.done += 1
        self.finished.add(block)

    def seconds(self, now: float) -> float:
        """Return how long it has taken so far."""
        return (self.ended or now) - self.began

    def seconds_left(self, now: float) -> float | None:
        """Estimate what it still takes from what was done, and before that as planned.

        None as long as nothing says how long it takes.
        """
        if self.ended is not None or not self.steps:
            return None
        if self.took:
            return self._steps_left(now - self.step_began)
        if self.done:
            return max(0.0, self.seconds(now) / self.done * (self.steps - self.done))
        left_s = (self.expected_s or 0.0) - self.seconds(now)
        return left_s if left_s > 0 else None

    def _steps_left(self, current_s: float) -> float | None:
        """Take the present step and those to come for as long as those that had work to do."""
        longest = max(*self.took, current_s)
        worked = [each for each in self.took if each >= CACHED * longest]
        if sum(worked) < TELLING_S:
            return None
        later = self.steps - self.done - 1
        typical = sum(worked) / len(worked)
        if current_s <= typical:
            return typical - current_s + typical * max(0, later)
        if later <= 0:
            return None  # the last step takes longer than those before
        return (sum(worked) + current_s) / (len(worked) + 1) * later
