"""What answers without a reference prove, for each workload."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import combinations

from wirelab.domain.model import Operation
from wirelab.protocol.key_case import to_snake
from wirelab.verify.equality.common_shape import leaf_count, without
from wirelab.verify.equality.coverage import AnswerSample, undeclared
from wirelab.verify.equality.headers import AnswerHeaders


@dataclass
class ContenderAnswers:
    """One contender's answers to one workload, by the number of the parameter set."""

    contender: str
    protocol: str
    shapes: dict[int, object] = field(default_factory=dict)
    refusals: dict[int, str] = field(default_factory=dict)
    varying: set[str] = field(default_factory=set)
    """Parts that differed between two answers of this contender."""
    sample: AnswerSample = field(default_factory=AnswerSample)
    headers: AnswerHeaders = field(default_factory=AnswerHeaders)

    def distinct(self, beside: Collection[str]) -> int:
        """Return the number of different answers outside the parts in `beside`."""
        compared = (without(value, beside) for value in self.shapes.values())
        return len({json.dumps(each, sort_keys=True, default=str) for each in compared})

    @property
    def leaves(self) -> int:
        """The number of non-empty values in all answers."""
        return sum(map(leaf_count, self.shapes.values()))

    def comparable(self, beside: Collection[str]) -> int:
        """Return the number of these values outside the parts in `beside`."""
        return sum(leaf_count(value, beside) for value in self.shapes.values())


@dataclass(frozen=True, slots=True)
class ReadAfterWrite:
    """What contenders read after a write through one of them, in a sequence.

    `differing` and `refused` count pairs of reads: of two contenders, after the same write.
    """

    sequence: str
    written_through: str
    read: str
    contenders: tuple[str, ...]
    writes: int
    differing: int
    refused: int


@dataclass(frozen=True, slots=True)
class Uncompared:
    """What is not compared of a contender's answers: parts, with the number of their values."""

    contender: str
    total: int
    """The number of values in all parts."""
    only: Mapping[str, int]
    """Parts that no other contender's answers have."""
    shared: Mapping[str, int]
    """Parts that others have, too."""
    declared: int
    """The number of values in parts that the domain declares as `ignored`."""

    @property
    def share(self) -> float:
        """The share of the values that are not compared."""
        return sum([*self.only.values(), *self.shared.values()]) / self.total

    @property
    def undeclared_share(self) -> float:
        """The share of the values that are not compared, without those that are declared."""
        left = self.total - self.declared
        return (self.share * self.total - self.declared) / left if left else 0.0


@dataclass
class Proof:
    """What the answers of a workload prove, over all contenders that were not refused for it."""

    workload: str
    operation: Operation
    sets: int = 0
    answers: list[ContenderAnswers] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    """Contenders that were refused after their answers had been compared with those of others."""
    left_out: list[str] = field(default_factory=list)
    """Contenders whose protocol does not offer the operation."""
    read_after: list[ReadAfterWrite] = field(default_factory=list)
    """For an operation that writes."""

    @property
    def quarantined(self) -> list[str]:
        """Parts of the common shape that are not compared with any contender."""
        return sorted({part for each in self.answers for part in each.varying})

    @property
    def distinct(self) -> int:
        """The minimum number of different answers of a contender."""
        return min((each.distinct(self.beside) for each in self.answers), default=0)

    @property
    def leaves(self) -> int:
        """The minimum number of non-empty values in all answers of a contender."""
        return min((each.leaves for each in self.answers), default=0)

    @property
    def beside(self) -> set[str]:
        """Parts of the common shape that are not compared, as declared or because they vary."""
        return {*self.operation.common.ignored, *self.quarantined}

    @property
    def is_of_status(self) -> bool:
        """Whether only the status of some contender's answers is compared, which is found there."""
        return any(each.comparable(self.beside) == 0 for each in self.answers)

    def uncompared(self) -> Iterator[Uncompared]:
        """Yield what is not compared of each contender's answers, if something is not."""
        common, varying = self.operation.common, self.quarantined
        for mine in self.answers:
            unseen = mine.sample.unseen(common, mine.protocol, varying)
            others = {
                _name(part)
                for each in self.answers
                if each is not mine
                for part in each.sample.parts
            }
            shared = {part: count for part, count in unseen.items() if _name(part) in others}
            only = {part: count for part, count in unseen.items() if part not in shared}
            if unseen:
                declared = sum(unseen.values()) - undeclared(common, unseen)
                yield Uncompared(mine.contender, mine.sample.total, only, shared, declared)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of contenders that were compared."""
        return list(combinations([each.contender for each in self.answers], 2))


def _name(part: str) -> str:
    """Return the name of a part as protocols share it, whatever it is inside of."""
    return to_snake(part.rstrip("/*").rpartition("/")[2])


def records(proofs: Iterable[Proof]) -> Iterator[Mapping[str, object]]:
    """Yield the proof for each workload, as rows for the bundle."""
    for proof in proofs:
        yield {
            "workload": proof.workload,
            "operation": proof.operation.name,
            "contenders": [each.contender for each in proof.answers],
            "pairs": len(proof.pairs),
            "parameter_sets": proof.sets,
            "answered": min((len(each.shapes) for each in proof.answers), default=0),
            "distinct_answers": proof.distinct,
            "leaves": proof.leaves,
            "quarantined": proof.quarantined,
            "ignored": list(proof.operation.common.ignored),
            "uncompared": [asdict(each) for each in proof.uncompared()],
            "left_out": proof.left_out,
            "read_after": [asdict(each) for each in proof.read_after],
        }
