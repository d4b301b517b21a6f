"""Why runs are invalid: each kind of reason once, with its frequency and contenders."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from wirelab.analysis.model import Faulty, Validity
from wirelab.analysis.names import label_of
from wirelab.bundle import BlockRecord
from wirelab.bundle.run_reasons import ApartReason, RunReason, StoppedAnswering, Wrong
from wirelab.planning.schedule import Schedule
from wirelab.terminal import words


@dataclass(frozen=True, slots=True)
class InvalidRuns:
    """Runs that are invalid for the same reasons: `reasons` are those of the first run."""

    reasons: tuple[RunReason, ...]
    runs: int
    contenders: tuple[str, ...]
    blocks: int

    @property
    def sentence(self) -> str:
        """Describe the reasons in one line."""
        named = words.listed(self.contenders)
        example = "; and ".join(each.brief for each in self.reasons) or NO_REASON
        if self.runs == 1:
            return f"{named}: {example}"
        blocks = words.plural(self.blocks, "block")
        return f"{named}, {self.runs} runs in {blocks}: for example, {example}"


NO_REASON = "no reason was recorded"


def stopped_answering(faulty: Iterable[Faulty]) -> list[str]:
    """Return the contenders that no longer answered when a block was to begin."""
    return _contenders(faulty, StoppedAnswering)


def answered_wrongly(faulty: Iterable[Faulty]) -> list[str]:
    """Return the contenders whose answers under load differed from the verified ones."""
    return _contenders(faulty, Wrong)


def _contenders(faulty: Iterable[Faulty], kind: type[RunReason]) -> list[str]:
    """Return the contenders with a reason of a kind, each once."""
    return list(
        dict.fromkeys(
            each.run.cell.contender
            for each in faulty
            if any(isinstance(reason, kind) for reason in each.reasons)
        )
    )


def are_wrong(reasons: Iterable[RunReason]) -> bool:
    """Return whether one of a run's reasons is that answers were wrong."""
    return any(isinstance(each, Wrong) for each in reasons)


def names_obstacle(reasons: Iterable[RunReason]) -> bool:
    """Return whether one of a run's reasons is an obstacle, which has its own remedy."""
    return any(getattr(each, "obstacle", None) is not None for each in reasons)


def failing(faulty: Sequence[Faulty]) -> frozenset[str]:
    """Return the contenders that must be repaired first: measuring more gains no valid runs."""
    return frozenset([*stopped_answering(faulty), *answered_wrongly(faulty)])


def group_reasons(faulty: Sequence[Faulty], labels: Mapping[str, str]) -> tuple[InvalidRuns, ...]:
    """Group runs whose reasons differ only in figures and examples, the most frequent first.

    Several reasons of the same runs are one.
    """
    kinds: dict[Hashable, list[tuple[RunReason | None, Faulty]]] = {}
    for fault in faulty:
        for reason in fault.reasons or (None,):
            kinds.setdefault(reason and reason.alike, []).append((reason, fault))
    by_runs: dict[frozenset[str], list[list[tuple[RunReason | None, Faulty]]]] = {}
    for members in kinds.values():
        same_runs = frozenset(fault.run.id for _, fault in members)
        by_runs.setdefault(same_runs, []).append(members)
    groups = []
    for same in by_runs.values():
        runs = list({fault.run.id: fault.run for _, fault in same[0]}.values())
        named = Counter(label_of(run.cell, labels) for run in runs)
        groups.append(
            InvalidRuns(
                reasons=tuple(members[0][0] for members in same if members[0][0]),
                runs=len(runs),
                contenders=tuple(
                    f"{label} {count}×" if len(named) > 1 else label
                    for label, count in named.most_common()
                ),
                blocks=len({(run.block, run.cell.workload) for run in runs}),
            )
        )
    return tuple(sorted(groups, key=lambda group: -group.runs))


def each_kind(reasons: Iterable[RunReason | ApartReason]) -> Iterator[str]:
    """Yield one reason of each kind in words, with the number of those that are alike."""
    kinds: dict[Hashable, list[RunReason | ApartReason]] = {}
    for reason in reasons:
        kinds.setdefault(reason.alike, []).append(reason)
    for first, *others in kinds.values():
        yield f"{first.brief} and {len(others)} more like it" if others else first.brief


def count_valid(records: Sequence[BlockRecord], schedule: Schedule) -> Validity:
    """Return how many of the planned runs are valid, after these attempts that count."""
    runs = [run for record in records for run in record.runs]
    missing = schedule.remaining({record.block.id for record in records})
    return Validity(
        planned=len(schedule.runs),
        valid=len({run.run.id for run in runs if run.status == "valid"}),
        faulty=tuple(
            Faulty(run.run, run.status, run.reasons) for run in runs if run.status != "valid"
        ),
        missing=sum(len(block.runs) for block in missing),
    )
