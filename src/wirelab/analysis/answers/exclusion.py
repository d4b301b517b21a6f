"""Contenders without a valid run in a setting: how many of their runs do not count."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from wirelab.analysis.model import Faulty
from wirelab.analysis.settings import setting_key
from wirelab.terminal import words


def excluded_runs(faulty: Iterable[Faulty]) -> Counter[tuple[str, str]]:
    """Count the invalid runs by setting and contender, twins left out."""
    return Counter(
        (setting_key(each.run.cell), each.run.cell.contender)
        for each in faulty
        if each.status == "invalid" and not each.run.cell.twin
    )


def none_counts(excluded: int) -> str:
    """Say that none of some runs counts."""
    return f"0 of {words.plural(excluded, 'run')} count"


def without_runs(absent: Mapping[str, int]) -> Iterator[str]:
    """Name each contender without a valid run, with the number of its runs that do not count."""
    for label, count in absent.items():
        why = f" ({none_counts(count)})" if count else ""
        yield f"{label} has no valid run{why}"
