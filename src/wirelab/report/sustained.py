"""Sustained rates and overloads as rows of texts, for page, Markdown and terminal."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from wirelab.analysis import Analysis, Setting
from wirelab.analysis.model import ContenderRow, Overloaded, Sustained
from wirelab.analysis.wording import say
from wirelab.study import CapacityLoad
from wirelab.terminal import words

OVERLOAD = ("contender", "requested", "in time", "failed", "never sent", "recovery")


@dataclass(frozen=True, slots=True)
class SustainedView:
    """The capacities of one setting."""

    title: str
    sentence: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    overload: tuple[tuple[str, ...], ...]
    overload_sentence: ClassVar[str] = (
        "Behaviour at rates above what contenders sustain, medians over the blocks. Recovery is the"
        " time from the end of the overload until a trial at half of the sustained rate met the"
        " objective again"
    )


def sustained_views(analysis: Analysis) -> list[SustainedView]:
    """Return a view for each setting whose load measures capacities."""
    return [
        view
        for setting in analysis.settings
        if (view := _view(setting, compares=analysis.compares)) is not None
    ]


def _view(setting: Setting, *, compares: bool) -> SustainedView | None:
    sustained = [(row, row.summary.sustained) for row in setting.rows]
    known = [(row, each) for row, each in sustained if each is not None]
    if not known:
        return None
    relative = (f"relative to {setting.relative_to or 'another'}", "verdict") if compares else ()
    return SustainedView(
        title=setting.title,
        sentence=(
            f"The rate at which half of the trials meet {known[0][1].objective}; the last column"
            " shows what a search in the first block found if 5 % of the trials may miss it; it is"
            " not known if that block does not count"
        ),
        headings=("contender", "sustains a second", *relative, "if 5 % may miss"),
        rows=tuple(_row(row, each, compares=compares) for row, each in known),
        overload=tuple(
            (row.summary.label, *_overloaded(overload))
            for row, each in known
            for overload in each.overload
        ),
    )


def _row(row: ContenderRow, found: Sustained, *, compares: bool) -> tuple[str, ...]:
    rate, judged, verdict = found.rate_per_s, row.judged, ""
    ratio = "baseline" if row.is_baseline else words.MISSING
    if judged is not None:
        said = say(judged.comparison, judged.verdict)
        ratio, verdict = _unbroken(said.estimate), said.words
    return (
        row.summary.label,
        f"{words.significant(rate.value)} {_between(rate.interval)}".rstrip(),
        *((ratio, verdict) if compares else ()),
        _strict(found),
    )


def _between(interval: tuple[float, float] | None) -> str:
    return "" if interval is None else _unbroken(f"[{', '.join(map(words.significant, interval))}]")


def _unbroken(figures: str) -> str:
    """Keep both ends of an interval on one line."""
    return figures.replace(", ", f",{words.NO_BREAK}")


def _strict(found: Sustained) -> str:
    """Render the bounds for 5 % missed trials, and whether the search was unfinished."""
    lower = found.strict_per_s[0]
    if found.strict_outcome is None:
        return "not known"  # the block with the search does not count
    unfinished = found.strict_outcome == "unfinished"
    if unfinished and lower is not None and lower > found.rate_per_s.value:
        return "not found"  # too few trials: a stricter objective cannot allow a higher rate
    shown = _bounds(*found.strict_per_s)
    if not unfinished:
        return shown
    return "none so far" if found.strict_per_s == (None, None) else f"{shown} so far"


def _bounds(lower: float | None, upper: float | None) -> str:
    """Render a sustained rate and one that was not sustained."""
    if lower is None:
        return words.MISSING if upper is None else f"below {words.significant(upper)}"
    if upper is None:
        return f"{words.significant(lower)} or more"
    return f"{words.significant(lower)} to {words.significant(upper)}"


def _overloaded(each: Overloaded) -> Iterator[str]:
    failed = words.percent(each.failed_share)
    yield f"{each.times:g} times as much"
    yield f"{words.percent(each.good_share)} of its capacity"
    yield f"{failed} ({', '.join(each.failed)})" if each.failed else failed
    yield words.percent(each.never_sent_share)
    recovery_s = each.recovery_s
    longest_s = CapacityLoad.LONGEST_RECOVERY_S
    yield f"not in {longest_s:g} s" if recovery_s is None else words.duration(1e6 * recovery_s)
