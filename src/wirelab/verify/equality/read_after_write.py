"""Whether contenders share one backend: what is written through one is read through all.

The sequences of the domain say what is written, and how it is read again. Each runs with its
writes through one contender and its reads through all of them, then with its writes through the
next contender. All contenders must read the same, in the common shape of their answers.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

from wirelab.domain.checks import Sequence as Calls
from wirelab.domain.checks import Step
from wirelab.domain.model import Operation
from wirelab.domain.parameter_sets import parameter_sets
from wirelab.domain.pointer import find
from wirelab.protocol.message import Refusal
from wirelab.protocol.template import fill
from wirelab.verify.equality.common_shape import ShapeDifference, leaf_count, shape_differences
from wirelab.verify.equality.equality import SETS, Equality
from wirelab.verify.equality.proof import ReadAfterWrite
from wirelab.verify.equality.queries import Connection, NoAnswerError, Queries
from wirelab.verify.findings.equality_reasons import (
    NothingToRemember,
    NotReadAgain,
    NoValueRead,
    ReadsOtherwise,
    RefusedInSequence,
    RefusesOtherwise,
)
from wirelab.verify.findings.finding import Finding

ROUNDS = 3
"""Number of times that each contender writes, with different parameters if there are enough."""


class _Unlike(NamedTuple):
    """One contender refuses; the other answers, or refuses for another reason."""

    refusing: str
    refusal: str
    other: str
    other_refusal: str


@dataclass(slots=True)
class _Reads:
    """How two contenders answered the same reads after a write."""

    compared: int = 0
    differing: list[ShapeDifference] = field(default_factory=list)
    refused: list[_Unlike] = field(default_factory=list)


@dataclass
class _Trial:
    """A sequence with its writes through one contender, and its reads through all of them."""

    name: str
    calls: Calls
    writer: Connection
    readers: Sequence[Connection]
    values: int = 0
    """Number of values read after a write."""
    reads: dict[tuple[str, str, str, str], _Reads] = field(default_factory=dict)
    """By the read operation, the write before it, and both contenders."""


class OneBackend:
    """Runs the sequences of a domain whose contenders work on the same data."""

    def __init__(self, equality: Equality, connections: Sequence[Connection]) -> None:
        self._domain = equality.domain
        self._seed = equality.seed
        self._proofs = equality.proofs
        self._connections = connections
        varying: dict[str, set[str]] = {}
        for proof in equality.proofs.values():
            varying.setdefault(proof.operation.name, set()).update(proof.quarantined)
        self._queries = Queries(varying)

    def verify(self, writes: Collection[str]) -> list[Finding]:
        """Return findings that contradict a single backend; `writes` are the operations allowed.

        Raises `ProblemsError` if a parameter has no value.
        """
        read_again: set[str] = set()
        for name, calls in self._domain.sequences.items():
            operations = [self._domain.operations[step.operation] for step in calls.steps]
            written = {each.name: each for each in operations if each.effect == "write"}
            reads = [each for each in operations if each.effect != "write"]
            readers = [each for each in self._connections if each.speaks(reads)]
            writers = [each for each in self._connections if each.speaks(written.values())]
            if written and reads and written.keys() <= set(writes) and len(readers) > 1:
                for number, writer in enumerate(writers):
                    trial = _Trial(name, calls, writer, readers)
                    self._run_rounds(trial, range(ROUNDS * number, ROUNDS * (number + 1)))
                    read_again |= written.keys()
        for operation in (self._domain.operations[each] for each in writes):
            for connection in self._connections if operation.name not in read_again else ():
                if connection.speaks([operation]):
                    self._queries.find("warning", connection, operation, NotReadAgain())
        return self._queries.findings

    def _run_rounds(self, trial: _Trial, rounds: range) -> None:
        """Run a sequence several times, each time with other parameters."""
        try:
            for number in rounds:
                self._once(trial, number * len(trial.calls.steps))
            if not trial.values:
                called = [self._domain.operations[step.operation] for step in trial.calls.steps]
                write = next(each for each in called if each.effect == "write")
                reason = NoValueRead(sequence=trial.name)
                self._queries.find("error", trial.writer, write, reason)
        except NoAnswerError:
            pass  # The findings contain it; what was compared before remains valid.
        self._judge(trial)
        self._record(trial)

    def _judge(self, trial: _Trial) -> None:
        """Record where contenders read different values."""
        readers = {each.contender: each for each in trial.readers}
        for (operation, written, one, other), reads in trial.reads.items():
            place = readers[other], self._domain.operations[operation]
            after = {
                "reads": reads.compared,
                "write": written,
                "through": trial.writer.contender,
            }
            if reads.differing:
                _, path, expected, got = reads.differing[0]
                differs = ReadsOtherwise(other=one, times=len(reads.differing), **after)
                self._queries.find("error", *place, differs, path=path, values=(expected, got))
            for unlike, times in Counter(reads.refused).items():
                refuses = RefusesOtherwise(**unlike._asdict(), times=times, **after)
                self._queries.find("error", *place, refuses)

    def _record(self, trial: _Trial) -> None:
        """Keep what was read with the proofs of the operation that wrote."""
        compared: dict[tuple[str, str], list[_Reads]] = {}
        for (operation, written, _, _), reads in trial.reads.items():
            compared.setdefault((operation, written), []).append(reads)
        for (operation, written), pairs in compared.items():
            reason = ReadAfterWrite(
                sequence=trial.name,
                written_through=trial.writer.contender,
                read=operation,
                contenders=tuple(each.contender for each in trial.readers),
                writes=pairs[0].compared,
                differing=sum(len(reads.differing) for reads in pairs),
                refused=sum(len(reads.refused) for reads in pairs),
            )
            for proof in self._proofs.values():
                if proof.operation.name == written:
                    proof.read_after.append(reason)

    def _once(self, trial: _Trial, begin: int) -> None:
        """Run a sequence once, until a write is refused. Raises `NoAnswerError`."""
        remembered: dict[str, object] = {}
        written = ""
        for number, step in enumerate(trial.calls.steps, start=begin):
            operation = self._domain.operations[step.operation]
            parameters = self._parameters(operation, step, remembered, number)
            if operation.effect == "write":
                connection, written = trial.writer, operation.name
                answer = self._queries.query(connection, operation, parameters)
                if isinstance(answer, Refusal):
                    facts = {"refusal": answer.kind, "detail": answer.detail}
                    refused = RefusedInSequence(sequence=trial.name, **facts)
                    self._queries.find("warning", connection, operation, refused)
                    return
            else:
                connection = trial.readers[0]
                answers = self._queries.query_all(trial.readers, operation, parameters)
                answer = answers[connection.contender]
                if written:
                    self._compare(trial, operation, written, answers)
            for name, place in step.remember.items():
                remembered[name] = None if isinstance(answer, Refusal) else find(answer, place)
                if remembered[name] is None:
                    lacking = NothingToRemember(sequence=trial.name, name=name)
                    self._queries.find("error", connection, operation, lacking, path=place)
                    raise NoAnswerError

    def _parameters(
        self, operation: Operation, step: Step, remembered: Mapping[str, object], number: int
    ) -> dict[str, object]:
        """Return the parameters of a step; each step has its own set, if there are several."""
        fixed = {name: fill(value, remembered) for name, value in step.parameters.items()}
        sets = parameter_sets(self._domain, operation, SETS, fixed, seed=self._seed)
        return sets[number % len(sets)]

    def _compare(
        self, trial: _Trial, operation: Operation, written: str, answers: Mapping[str, object]
    ) -> None:
        """Compare what the contenders read, each with all others."""
        common, varying = operation.common, self._queries.varying[operation.name]
        known = [each for each in answers.values() if not isinstance(each, Refusal)]
        trial.values += sum(map(leaf_count, known))
        for one, other in combinations(answers, 2):
            reads = trial.reads.setdefault((operation.name, written, one, other), _Reads())
            reads.compared += 1
            first, second = answers[one], answers[other]
            if isinstance(first, Refusal):
                reads.refused += _unlike(one, first, other, second)
            elif isinstance(second, Refusal):
                reads.refused += _unlike(other, second, one, first)
            else:
                reads.differing += list(shape_differences(common, first, second, varying))[:1]


def _unlike(refusing: str, refusal: Refusal, other: str, answer: object) -> Iterator[_Unlike]:
    """Yield the result of another contender if one refuses, unless both refuse alike."""
    if not isinstance(answer, Refusal):
        yield _Unlike(refusing, refusal.kind, other, "")
    elif answer.kind != refusal.kind:
        yield _Unlike(refusing, refusal.kind, other, answer.kind)
