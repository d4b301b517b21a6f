"""Find the pointers of domain.toml that lead nowhere in the reference's answers.

A mask that leads nowhere masks nothing, and a remembered value would be null: contenders would be
accepted without the check that the domain intends, or refused for their answer to a wrong call.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from wirelab.domain import pointer
from wirelab.domain.dataset import Dataset
from wirelab.domain.model import Operation
from wirelab.domain.reference import Reference
from wirelab.domain.refusal import Refused
from wirelab.domain.rows import DatasetError
from wirelab.inputs.close_match import close_match, one_of
from wirelab.inputs.problems import Problem, shown
from wirelab.protocol.template import fill
from wirelab.verify.tasks import SETS


def unknown_parts(dataset: Dataset, reference: Reference, seed: int) -> Iterator[Problem]:
    """Yield the parts that are masked or remembered, and that no answer of the reference has.

    The calls change the reference.
    """
    calls = _Calls(dataset, reference, seed)
    remembered = [*calls.sequences(), *calls.outages()]
    for operation in dataset.domain.operations.values():
        yield from calls.masks(operation)
    yield from remembered


def parts_nearby(answers: Iterable[object], path: str) -> list[str]:
    """Return the pointers to what is there instead if a pointer leads nowhere in all answers.

    Return [] if it leads somewhere in one of them, or may do so: the parts of null, or of something
    empty that is on its way, are unknown.
    """
    nearby: list[str] = []
    for answer in answers:
        if any(True for _ in pointer.matches(answer, path)):
            return []
        nearby = nearby or pointer.nearby(answer, path)
    return nearby


@dataclass(slots=True)
class _Calls:
    """Calls of the reference, with the answers to operations that mask parts."""

    dataset: Dataset
    reference: Reference
    seed: int
    answers: dict[str, list[object]] = field(default_factory=dict)

    def sequences(self) -> Iterator[Problem]:
        """Call the steps of all sequences; yield what they cannot remember."""
        for name, sequence in self.dataset.domain.sequences.items():
            values: dict[str, object] = {}
            steps = sequence.steps
            for number, step in enumerate(steps):
                fixed = {key: fill(value, values) for key, value in step.parameters.items()}
                sets = self._draw(step.operation, len(steps), fixed)
                answered = self._call(step.operation, sets[number]) if sets else []
                key = f"sequence.{name}.steps.{number}.remember"
                problems = list(self._not_remembered(key, step.operation, step.remember, answered))
                yield from problems
                if problems or not sets or (step.remember and not answered):
                    break  # The following steps lack values.
                for each, path in step.remember.items():
                    values[each] = pointer.find(answered[0], path)

    def outages(self) -> Iterator[Problem]:
        """Call the operations of all outages; yield what they cannot remember."""
        for name, outage in self.dataset.domain.outages.items():
            for parameters in self._draw(outage.operation, 1, outage.parameters):
                answered = self._call(outage.operation, parameters)
                key = f"outage.{name}.remember"
                yield from self._not_remembered(key, outage.operation, outage.remember, answered)

    def masks(self, operation: Operation) -> Iterator[Problem]:
        """Yield the masked parts that no answer has, not even those to some more calls."""
        answers = self.answers.setdefault(operation.name, [])
        paths = [f"/{path}" for path in operation.masked]
        if paths and (not answers or any(parts_nearby(answers, path) for path in paths)):
            for parameters in self._draw(operation.name, SETS, {}):
                self._call(operation.name, parameters)
        for number, path in enumerate(operation.masked):
            known = [each.removeprefix("/") for each in parts_nearby(answers, f"/{path}")]
            if known:
                expected = f"a part of the answer: {_one_of(known)}"
                key = f"operation.{operation.name}.masked.{number}"
                yield self._problem(key, path, expected, known)

    def _not_remembered(
        self, key: str, operation: str, remember: Mapping[str, str], answered: list[object]
    ) -> Iterator[Problem]:
        for name, path in remember.items():
            if known := parts_nearby(answered, path):
                expected = f"a pointer to a part of the answer of {operation}: {_one_of(known)}"
                yield self._problem(f"{key}.{name}", path, expected, known)

    def _problem(self, key: str, path: str, expected: str, known: list[str]) -> Problem:
        where = shown(self.dataset.domain.folder / "domain.toml")
        hint = close_match(path, known) if len(known) > 1 else ""
        return Problem(where, key, path, expected, hint)

    def _draw(
        self, operation: str, sets: int, fixed: Mapping[str, object]
    ) -> list[dict[str, object]]:
        """Draw parameters as verification does; none if there are too few rows."""
        with suppress(DatasetError):
            called = self.dataset.domain.operations[operation]
            return self.dataset.draw(called, sets, self.seed, fixed)
        return []

    def _call(self, operation: str, parameters: dict[str, object]) -> list[object]:
        """Return the answer to a call; none if it is refused."""
        try:
            answer = self.reference.call(operation, parameters)
        except Refused:
            return []
        if self.dataset.domain.operations[operation].masked:
            self.answers.setdefault(operation, []).append(answer)
        return [answer]


def _one_of(known: list[str]) -> str:
    return "nothing, since the answer has no parts" if known == [""] else one_of(known)
