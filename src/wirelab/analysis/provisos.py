"""What limits a ranking: comparisons that the other time reverses."""

from collections.abc import Iterator, Sequence

from wirelab import words
from wirelab.analysis.model import Judged, Row
from wirelab.analysis.turn_cautions import reverses
from wirelab.statistics import Outcome

TOLD_APART = (Outcome.FASTER, Outcome.SLOWER)


def reversals(pairs: Sequence[Judged], ranked: Sequence[Row], other_time: str) -> Iterator[str]:
    """Say which decided comparisons of some contenders the other time reverses.

    `other_time` is the name of the other time.
    """
    names = {row.summary.cell.contender for row in ranked}
    found = []
    for pair in pairs:
        decided = pair.verdict is not None and pair.verdict.outcome in TOLD_APART
        if not decided or pair.other is None or not reverses(pair):
            continue
        if not names & {pair.a.contender, pair.b.contender}:
            continue
        ratio, under, over = pair.other.ratio, pair.a_label, pair.b_label
        if ratio > 1:
            ratio, under, over = 1 / ratio, over, under
        found.append(f"{under} takes {words.times(ratio)} the time of {over}")
    if found:
        yield f"but by the {other_time}, {words.listed(found)}"
