"""Compare answers sampled under load with the verified answers, after the measurement.

The engine checks every answer by its bytes. If correct answers differ in their bytes, only a sample
can be checked, because that requires decoding, for which the engine has no time.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from wirelab.bundle.run_reasons import WrongSamples
from wirelab.engine.answers import ANSWERS, read_answers
from wirelab.engine.result import EngineResult, TargetResult
from wirelab.verify import Plan, PlannedRequest


@dataclass
class Sample:
    """The result of checking the sampled answers of one run."""

    result: TargetResult
    compared: int = 0
    not_compared: int = 0
    """Number of answers that were too long to be kept."""
    wrong: int = 0
    first: tuple[str, int, str] = ("", 0, "")
    """Operation, number and fault of the first wrong answer."""
    right: set[tuple[int, int, bytes]] = field(default_factory=set)
    """Correct answers, by request, status and digest; equal ones need not be checked again."""

    def why_invalid(self) -> tuple[WrongSamples, ...]:
        """Return why the run is invalid; empty if every answer is correct."""
        if not self.wrong or self.result.answers is None:
            return ()
        operation, number, why = self.first
        return (
            WrongSamples(
                wrong=self.wrong,
                compared=self.compared,
                seen=self.result.answers.seen,
                operation=operation,
                number=number,
                why=why,
            ),
        )

    def context(self) -> dict[str, int]:
        """Return the entries for the run's record; empty if all bytes were checked."""
        if not self.compared + self.not_compared:
            return {}
        return {"answers_compared": self.compared, "answers_not_compared": self.not_compared}


def judge_answers(
    folder: Path, plans: Sequence[Sequence[Plan]], result: EngineResult
) -> list[Sample]:
    """Compare the engine's sampled answers in a folder with the plans of its targets.

    Raises `EngineError` if the file cannot be read.
    """
    planned = [_requests(of_target) for of_target in plans]
    samples = [Sample(each) for each in result.targets]
    for answer in read_answers(folder):
        operation, request = planned[answer.target][answer.request]
        known, sample, body = request.known, samples[answer.target], answer.content
        assert known is not None, "the engine samples only requests with a known answer"
        if body is None and not known.is_too_long(answer.length):
            sample.not_compared += 1
            continue
        sample.compared += 1
        if body is None:
            why = f"{answer.length} bytes, far longer than the correct answer"
        elif (seen := (answer.request, answer.status, sha256(body).digest())) in sample.right:
            continue
        else:
            # Protocols without a status expect none.
            status = None if known.exchange.reply.status is None else answer.status
            why = known.why_wrong(status, body)
            if not why:
                sample.right.add(seen)
                continue
        if not sample.wrong:
            sample.first = operation, answer.number, why
        sample.wrong += 1
    return samples


def forget_answers(folder: Path) -> None:
    """Remove the file of sampled answers, which can be large and contain private data."""
    (folder / ANSWERS).unlink(missing_ok=True)


def _requests(plans: Sequence[Plan]) -> list[tuple[str, PlannedRequest]]:
    """Return the requests of a target in the order of its job, each with its operation."""
    return [
        (plan.operation, request)
        for plan in plans
        for together in plan.rounds
        for request in together
    ]
