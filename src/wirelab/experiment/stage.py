"""A stage of a study: how far it has come, and what it still takes."""

from dataclasses import dataclass, field


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

    def next(self, step: str) -> None:
        """Go on to a step; the one before, if there was one, is done."""
        self.done += 1 if self.step else 0
        self.step = step

    def begin_block(self, block: str, step: str) -> None:
        """Go on to a block; one that is measured once more is not done after all."""
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

    def seconds_left(self, now: float, expected_s: float | None = None) -> float | None:
        """Estimate what it still takes from what was done; before that, from `expected_s`."""
        if self.ended is not None or not self.steps:
            return None
        if self.done:
            return max(0.0, self.seconds(now) / self.done * (self.steps - self.done))
        return None if expected_s is None else max(0.0, expected_s - self.seconds(now))
