"""Why a contender is faster: CPU time, waiting and bytes, as far as they were measured.

Nothing is inferred: what was not measured, or what noise hides, is not mentioned.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wirelab.analysis.comparing import same_setting
from wirelab.analysis.model import CellSummary, ComparedPair
from wirelab.analysis.result import Analysis
from wirelab.statistics import SIGNIFICANCE, Outcome, decide
from wirelab.study import Cell
from wirelab.terminal import words

SAME_BYTES = 0.01
"""Bytes are counted and have no noise; a smaller difference counts as none."""


def why(analysis: Analysis) -> str:
    """Say what goes along with the differences in time; "" if nothing is known of it."""
    pairs = analysis.pairs
    if len(pairs) == 1 and pairs[0].is_decided and same_setting(pairs[0].a, pairs[0].b):
        rows = (row for setting in analysis.settings for row in setting.rows)
        return _of_one(pairs[0], {row.summary.cell: row.summary for row in rows})
    return _of_several([_Costs.of(pair) for pair in pairs if pair.verdict and pair.verdict.orders])


@dataclass(frozen=True, slots=True)
class _Costs:
    """What the slower side of a pair costs: 1 for more than the faster one, 0 the same, -1 less.

    None for what is not known. `elsewhere` is the time in which its server does not compute.
    """

    cpu: int | None
    elsewhere: int | None
    bytes: int | None

    @classmethod
    def of(cls, pair: ComparedPair) -> "_Costs":
        """Compare both sides by the margin by which their times are compared."""
        sign = -1 if _is_turned(pair) else 1
        costs = (_cpu(pair), _elsewhere(pair), _bytes(pair))
        return cls(*(None if cost is None else sign * cost for cost in costs))


def _is_turned(pair: ComparedPair) -> bool:
    """Return whether A is the faster side."""
    return pair.verdict is not None and pair.verdict.outcome is Outcome.FASTER


def _cpu(pair: ComparedPair) -> int | None:
    if pair.cpu is None:
        return None
    known = {Outcome.SLOWER: 1, Outcome.SAME: 0, Outcome.FASTER: -1}
    return known.get(decide(pair.cpu).outcome)


def _elsewhere(pair: ComparedPair) -> int | None:
    more, margin = pair.elsewhere, pair.comparison.margin_ratio
    if more is None:
        return None
    if more.p_inside(-margin, margin) < SIGNIFICANCE:
        return 0
    return None if more.p_value() >= SIGNIFICANCE else 1 if more.value > 0 else -1


def _bytes(pair: ComparedPair) -> int | None:
    ratio = pair.bytes_ratio
    if ratio is None:
        return None
    return 0 if abs(ratio - 1) <= SAME_BYTES else 1 if ratio > 1 else -1


def _of_one(pair: ComparedPair, summaries: Mapping[Cell, CellSummary]) -> str:
    clauses = list(_clauses(pair, summaries))
    return f"Per request, {'; '.join(clauses)}." if clauses else ""


def _clauses(pair: ComparedPair, summaries: Mapping[Cell, CellSummary]) -> Iterator[str]:
    """Yield what is known of the slower side, relative to the faster one."""
    costs, is_turned = _Costs.of(pair), _is_turned(pair)
    slower, faster = (pair.b_label, pair.a_label) if is_turned else (pair.a_label, pair.b_label)
    cells = (pair.b, pair.a) if is_turned else (pair.a, pair.b)

    def times(ratio: float | None) -> str:
        return words.times(1 / ratio if is_turned and ratio else ratio or 1.0)

    if costs.cpu == 0:
        yield "both servers use the same CPU time"
    elif costs.cpu is not None:
        more, less = (summaries[cell].cpu_us["contender"].value for cell in cells)
        apart = f"{words.duration(abs(more - less))} {'longer' if costs.cpu > 0 else 'less'}"
        ratio = f"{times(pair.cpu_ratio)} the CPU time of {faster}"
        yield f"the server of {slower} computes {apart} ({ratio})"
    if costs.elsewhere == 0:
        yield "everything else takes equally long"
    elif costs.elsewhere is not None and pair.elsewhere is not None:
        apart = words.duration(abs(pair.elsewhere.value) * summaries[pair.b].mean_us.value)
        longer = "longer" if costs.elsewhere > 0 else "less"
        yield f"everything else, such as waiting for a store, takes {apart} {longer}"
    if costs.bytes == 0:
        yield "both transfer the same bytes"
    elif costs.bytes is not None:
        yield f"{slower} transfers {times(pair.bytes_ratio)} the bytes"


def _of_several(differences: Sequence[_Costs]) -> str:
    """Count how often the faster side of a difference costs less."""
    count = {
        name: Counter(getattr(each, name) for each in differences) for name in _Costs.__slots__
    }
    if not {1, 0, -1} & {*count["cpu"]}:
        return ""
    of = f"of {words.plural(len(differences), 'difference')}"
    sentence = f"The faster server uses less CPU time per request in {count['cpu'][1]} {of}"
    sentence += _and_more(count["cpu"])
    if alone := sum(each.cpu == 1 and each.elsewhere == 0 for each in differences):
        sentence += f", which accounts for the whole difference in {alone}"
    if {1, 0, -1} & {*count["bytes"]}:
        sentence += f"; it transfers fewer bytes in {count['bytes'][1]}{_and_more(count['bytes'])}"
    return f"{sentence}."


def _and_more(counted: Mapping[int | None, int]) -> str:
    return f" and more in {counted[-1]}" if counted[-1] else ""
