"""Contenders without a valid run in a setting: how many of their runs do not count."""

from collections import Counter
from collections.abc import Iterable

from wirelab import words
from wirelab.analysis.model import Faulty
from wirelab.analysis.settings import setting_key


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
