"""Why runs are invalid: each kind of reason once, with its frequency and contenders."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from wirelab.analysis.model import Faulty
from wirelab.analysis.names import label_of
from wirelab.errors import NO_ANSWER, NOT_VERIFIED, OBSTACLE, WRONG_ANSWERS
from wirelab.terminal import words

_FIGURES = re.compile(r"\d+([.,]\d+)*")
_EXAMPLE = re.compile(r"; the first: .*", re.DOTALL)
"""The part of a reason that is an example, which differs between runs."""


@dataclass(frozen=True, slots=True)
class Reason:
    """What invalidates some runs: `example` is the first one's text, `runs` their number."""

    example: str
    runs: int
    contenders: tuple[str, ...]
    blocks: int

    @property
    def sentence(self) -> str:
        """Describe the reason in one line."""
        named = words.listed(self.contenders)
        if self.runs == 1:
            return f"{named}: {self.example}"
        blocks = words.plural(self.blocks, "block")
        return f"{named}, {self.runs} runs in {blocks}: for example, {self.example}"


def stopped_answering(faulty: Iterable[Faulty]) -> list[str]:
    """Return the contenders that no longer answered when a block was to begin."""
    found = ((each.run.cell.contender, each.reasons) for each in faulty)
    return list(
        dict.fromkeys(
            name
            for name, reasons in found
            if any(reason.startswith(f"{name} {NO_ANSWER}") for reason in reasons)
        )
    )


def answered_wrongly(faulty: Iterable[Faulty]) -> list[str]:
    """Return the contenders whose answers under load differed from the verified ones."""
    return list(
        dict.fromkeys(each.run.cell.contender for each in faulty if are_wrong(each.reasons))
    )


def are_wrong(reasons: Iterable[str]) -> bool:
    """Return whether one of a run's reasons is that answers were wrong."""
    return any(WRONG_ANSWERS in reason for reason in reasons)


def names_obstacle(reasons: Iterable[str]) -> bool:
    """Return whether one of a run's reasons is an obstacle, which has its own remedy."""
    return any(reason.startswith(OBSTACLE) for reason in reasons)


def failing(faulty: Sequence[Faulty]) -> frozenset[str]:
    """Return the contenders that must be repaired first: measuring more gains no valid runs."""
    return frozenset([*stopped_answering(faulty), *answered_wrongly(faulty)])


def group_reasons(faulty: Sequence[Faulty], labels: Mapping[str, str]) -> tuple[Reason, ...]:
    """Group reasons that differ only in figures and examples, the most frequent first.

    Several reasons of the same runs are one.
    """
    kinds: dict[str, list[tuple[str, Faulty]]] = {}
    for fault in faulty:
        for reason in map(_brief, fault.reasons or ("no reason was recorded",)):
            kinds.setdefault(_kind(reason), []).append((reason, fault))
    by_runs: dict[frozenset[str], list[list[tuple[str, Faulty]]]] = {}
    for members in kinds.values():
        same_runs = frozenset(fault.run.id for _, fault in members)
        by_runs.setdefault(same_runs, []).append(members)
    found = []
    for same in by_runs.values():
        runs = list({fault.run.id: fault.run for _, fault in same[0]}.values())
        named = Counter(label_of(run.cell, labels) for run in runs)
        found.append(
            Reason(
                example="; and ".join(members[0][0] for members in same),
                runs=len(runs),
                contenders=tuple(
                    f"{label} {count}×" if len(named) > 1 else label
                    for label, count in named.most_common()
                ),
                blocks=len({(run.block, run.cell.workload) for run in runs}),
            )
        )
    return tuple(sorted(found, key=lambda reason: -reason.runs))


def _brief(reason: str) -> str:
    """Cut a reason to a line; findings of verification are stated elsewhere."""
    return NOT_VERIFIED if reason.startswith(f"{NOT_VERIFIED}: ") else words.brief(reason)


def each_kind(texts: Iterable[str]) -> Iterator[str]:
    """Yield one text of each kind, with the number of others that differ only in figures."""
    kinds: dict[str, list[str]] = {}
    for text in map(words.brief, texts):
        kinds.setdefault(_kind(text), []).append(text)
    for first, *others in kinds.values():
        yield f"{first} and {len(others)} more like it" if others else first


def _kind(text: str) -> str:
    return _FIGURES.sub("#", _EXAMPLE.sub("", text))
