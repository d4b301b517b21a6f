"""Cautions about searches for capacity, and contenders that an overload stopped."""

from collections.abc import Iterator
from dataclasses import dataclass

from wirelab.analysis.cautions.caution import At, Caution
from wirelab.analysis.cautions.evidence import Evidence
from wirelab.analysis.figures.sustained import setting_of, shown_warning
from wirelab.bundle.run_reasons import RunReason
from wirelab.terminal import words


@dataclass(frozen=True)
class SearchWarned(Caution):
    """A search for capacity gave a warning."""

    TITLE = "A capacity search gave a warning"
    place: At
    warning: str

    def _detail(self) -> str:
        return f"{self.place}: {self.warning}"


@dataclass(frozen=True)
class SearchUnfinished(Caution):
    """Searches ran out of time; `option` gives them more."""

    TITLE = "A capacity search ran out of time"
    places: tuple[At, ...]
    option: str

    def _detail(self) -> str:
        return (
            f"{words.first_few(list(map(str, self.places)))}: the bounds for 5 % missed trials are"
            f" those found so far, from a few trials at each rate; a longer {self.option} finds"
            " them. Sustained rates come from the trials of all blocks instead"
        )


@dataclass(frozen=True)
class StoppedUnderOverload(Caution):
    """A contender ended under more load than it sustains."""

    SEVERITY = "serious"
    TITLE = "A contender stopped under overload"
    place: At
    reason: RunReason

    def _detail(self) -> str:
        return f"{self.place}: {self.reason}"


def capacities(evidence: Evidence) -> Iterator[Caution]:
    """Find warnings of searches, unfinished ones, and contenders that an overload stopped."""
    unfinished: list[At] = []
    for cell, summary in evidence.summaries.items():
        if summary.sustained is None:
            continue
        place = At(summary.label, evidence.titles[cell])
        for warning in summary.sustained.warnings:
            yield SearchWarned(place, shown_warning(evidence.study, warning))
        if summary.sustained.strict_outcome == "unfinished":
            unfinished.append(place)
        for reason in summary.sustained.ended:
            yield StoppedUnderOverload(place, reason)
    if unfinished:
        yield SearchUnfinished(tuple(unfinished), setting_of(evidence.study, "search_seconds"))
