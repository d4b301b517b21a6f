"""A stage of a study: its progress, and the estimated remaining time."""

from dataclasses import dataclass, field

CACHED = 0.1
"""A step that takes a smaller share of the longest step's time had nothing to do."""
TELLING_S = 2.0
"""Steps with work must have taken this long in total before they are used for an estimate."""


@dataclass
class StageProgress:
    """A number of steps or blocks, of which some are done. Times in seconds."""

    title: str
    steps: int
    began: float
    done: int = 0
    step: str = ""
    ended: float | None = None
    finished: set[str] = field(default_factory=set)
    """The ids of the blocks that are done."""
    expected_s: float | None = None
    at_least: bool = False
    """Whether `expected_s` is a lower bound."""
    ends: float | None = None
    """When the first block will end, if that has been estimated."""
    once_s: float = 0.0
    """The time that blocks took for what no later block has."""
    counted_at: float = 0.0
    """When the last block was finished."""
    counted_s: float = 0.0
    """The time of all blocks until then, without what happened once."""
    step_began: float = 0.0
    has_blocks: bool = False
    """Whether steps are blocks, of which an interruption leaves some."""
    are_decided: bool = False
    """Whether steps are comparisons that are decided, not blocks."""
    took: list[float] = field(default_factory=list)
    """The seconds of each finished step; blocks are only counted."""

    def next(self, step: str, now: float, expected_s: float | None = None) -> None:
        """Begin the next step; the previous one, if any, is done.

        `expected_s`: the expected duration of a stage that has only this step, if it is known.
        """
        if self.step:
            self.done += 1
            self.took.append(now - self.step_began)
        self.step, self.step_began, self.expected_s = step, now, expected_s

    def begin_block(
        self, block: str, step: str, expected_s: float | None, *, at_least: bool = False
    ) -> None:
        """Begin a block; a block that is measured again no longer counts as done.

        `expected_s`: the expected duration of all blocks, used until one is estimated or done; if
        `at_least`, a lower bound.
        """
        self.expected_s, self.at_least = expected_s, at_least
        self.has_blocks = True
        self.done -= 1 if block in self.finished else 0
        self.finished.discard(block)
        self.step = step

    def expect(self, seconds: float, now: float, once_s: float) -> None:
        """Take an estimate of the time that the current block will still take.

        `once_s` of its time so far is for what no later block has.
        """
        self.ends = now + seconds
        self.once_s += once_s

    def decide(self, decided: int, questions: int, seconds_left: float | None, now: float) -> None:
        """Count decided comparisons instead of blocks, if `seconds_left` is known."""
        if seconds_left is not None:
            self.are_decided, self.done, self.steps = True, decided, questions
            self.ends = now + seconds_left

    def finish_block(self, block: str, now: float) -> None:
        """Count a finished block."""
        if self.are_decided:
            return
        self.done += 1
        self.finished.add(block)
        self.ends, self.counted_at = None, now
        self.counted_s = now - self.began - self.once_s

    def seconds(self, now: float) -> float:
        """Return the time that the stage has taken so far."""
        return (self.ended or now) - self.began

    def seconds_left(self, now: float) -> float | None:
        """Estimate the remaining time from what is done, or until then, from the plan.

        None as long as there is no basis for an estimate.
        """
        if self.ended is not None or not self.steps:
            return None
        if self.are_decided:
            return max(0.0, (self.ends or now) - now)
        if self.took:
            return self._steps_left(now - self.step_began)
        if self.done or self.ends is not None:
            return self._blocks_left(now)
        if self.at_least:
            return self.expected_s  # the time so far may have been for something else
        left_s = (self.expected_s or 0.0) - self.seconds(now)
        return left_s if left_s > 0 else None

    @property
    def is_lower_bound(self) -> bool:
        """Whether the remaining time is a lower bound."""
        return self.at_least and not self.done and self.ends is None

    def _blocks_left(self, now: float) -> float:
        """Assume that the remaining blocks take as long as the others, of which some may overlap.

        Until one is done, that is the estimated time of the first one.
        """
        if self.done:
            each, ends = self.counted_s / self.done, self.counted_at + self.counted_s / self.done
        else:
            ends = self.ends or now
            each = ends - self.began - self.once_s
        left = self.steps - self.done
        return max(0.0, ends - now) + each * (left - 1) if left else 0.0

    def _steps_left(self, current_s: float) -> float | None:
        """Assume that the current and later steps take as long as previous steps with work."""
        longest = max(*self.took, current_s)
        worked = [each for each in self.took if each >= CACHED * longest]
        if sum(worked) < TELLING_S:
            return None
        later = self.steps - self.done - 1
        typical = sum(worked) / len(worked)
        if current_s <= typical:
            return typical - current_s + typical * max(0, later)
        if later <= 0:
            return None  # the last step takes longer than the previous ones
        return (sum(worked) + current_s) / (len(worked) + 1) * later
