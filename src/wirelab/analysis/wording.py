"""The words for findings, in terms of times or of sustained rates."""

from dataclasses import dataclass
from typing import Literal

from wirelab.analysis.model import CellSummary
from wirelab.statistics import COST, RATE, Comparison, Direction, Nuance, Outcome, Verdict
from wirelab.study import Metric
from wirelab.terminal import words

NOT_JUDGED = "not judged"
"""What a comparison is called that no question makes."""

BELOW, ABOVE, SAME, UNKNOWN = ("▽", "▼"), ("△", "▲"), "=", "?"
"""Symbols of verdicts; the second of two if the whole interval lies beyond the margin."""


@dataclass(frozen=True, slots=True)
class Wording:
    """The words for one kind of metric. Of two forms, the second is for several contenders."""

    reported_as: Literal["time", "rate"]
    direction: Direction
    is_: tuple[str, str]
    """Precedes the word of a verdict."""
    same: str
    """The predicate of contenders that are practically the same."""
    takes: str
    """Precedes a ratio."""
    quantity: str
    """Follows a ratio."""
    best: str
    worst: str
    leads: str
    """The predicate of the contender that is best so far."""
    tally: str
    """Precedes the words `better` and `worse` in a count of comparisons."""
    better: str
    worse: str

    def legend(self) -> tuple[tuple[str, str], ...]:
        """Return the symbols of verdicts with their meaning, in the order of ratios."""
        low, high = self.direction.below_words, self.direction.above_words
        return (
            *((BELOW[1], f"clearly {low}"), (BELOW[0], low), (SAME, "practically the same")),
            *((ABOVE[0], high), (ABOVE[1], f"clearly {high}"), (UNKNOWN, "cannot tell")),
        )

    def outcomes(self) -> dict[str, Outcome]:
        """Return the meaning of each symbol."""
        return {
            **dict.fromkeys(BELOW, self.direction.below),
            **dict.fromkeys(ABOVE, self.direction.above),
            SAME: Outcome.SAME,
            UNKNOWN: Outcome.CANNOT_TELL,
        }

    def shown(self, summary: CellSummary) -> str:
        """Render the figure that a contender is judged by."""
        if self.reported_as == "time":
            return words.duration(summary.latency_us.value)
        return f"{words.significant(self._figure(summary))}/s"

    def span(self, summaries: list[CellSummary]) -> str:
        """Render the smallest and the largest of these figures."""
        ordered = sorted(summaries, key=self._figure)
        return f"{self.shown(ordered[0])} to {self.shown(ordered[-1])}"

    def cost(self, summary: CellSummary) -> float:
        """Return the sort key of contenders, the best first."""
        figure = self._figure(summary)
        return figure if self.reported_as == "time" else -figure

    def _figure(self, summary: CellSummary) -> float:
        if self.reported_as == "rate" and summary.sustained is not None:
            return summary.sustained.rate_per_s.value
        return summary.latency_us.value


TIME = Wording(
    reported_as="time",
    direction=COST,
    is_=("is", "are"),
    same="are practically the same",
    takes="takes",
    quantity="the time",
    best="fastest",
    worst="slowest",
    leads="has the lowest time so far",
    tally="responses are",
    better="faster",
    worse="slower",
)
RATE_SUSTAINED = Wording(
    reported_as="rate",
    direction=RATE,
    is_=("sustains", "sustain"),
    same="sustain practically the same",
    takes="sustains",
    quantity="the rate",
    best="most",
    worst="least",
    leads="sustains the highest rate so far",
    tally="the rate sustained is",
    better="higher",
    worse="lower",
)


WORDINGS = {wording.reported_as: wording for wording in (TIME, RATE_SUSTAINED)}


def wording_of(metric: Metric) -> Wording:
    """Return the words for a study's primary metric."""
    return WORDINGS[metric.reported_as]


def sign(verdict: Verdict | None) -> str:
    """Return the symbol of a verdict, which points in the ratio's direction; "" without one."""
    if verdict is None:
        return ""
    is_clear = verdict.nuance is Nuance.CLEARLY
    match verdict.outcome:
        case Outcome.SAME:
            return SAME
        case Outcome.CANNOT_TELL:
            return UNKNOWN
    is_above = (verdict.outcome is Outcome.SLOWER) is not verdict.of_rates
    return (ABOVE if is_above else BELOW)[is_clear]


@dataclass(frozen=True, slots=True)
class Said:
    """What every page, file and terminal says of one comparison."""

    ratio: str
    interval: str
    """The 95 % interval; "" without one."""
    sign: str
    words: str
    outcome: Outcome | None
    """None without a verdict."""

    @property
    def estimate(self) -> str:
        """The ratio with its interval."""
        return f"{self.ratio} {self.interval}".rstrip()


def say(comparison: Comparison, verdict: Verdict | None) -> Said:
    """Say what was found of a comparison; without a verdict it is outside of all questions."""
    if verdict is None:
        words_of_verdict = NOT_JUDGED
    elif comparison.has_enough_blocks:
        words_of_verdict = verdict.words
    else:
        words_of_verdict = needs_blocks(comparison)
    interval = comparison.interval95
    return Said(
        ratio=words.times(comparison.ratio, interval),
        interval=words.between(interval),
        sign=sign(verdict),
        words=words_of_verdict,
        outcome=None if verdict is None else verdict.outcome,
    )


def needs_blocks(comparison: Comparison) -> str:
    """Stand where a figure has too few blocks; the line of a comparison states its number."""
    return f"needs {comparison.method.least_blocks} blocks"
