"""The sizes of correct answers, for the bundle."""

from collections.abc import Iterable, Iterator

from wirelab.bundle import AnswerRecord
from wirelab.verify import Plan


def answer_records(planned: Iterable[Iterable[Plan]]) -> Iterator[AnswerRecord]:
    """Return the sizes of the correct answers, once each: they are the same for all contenders."""
    plans = {(plan.workload, plan.parameter_set): plan for each in planned for plan in each}
    for plan in plans.values():
        yield AnswerRecord(
            workload=plan.workload,
            operation=plan.operation,
            parameter_set=plan.parameter_set,
            leaves=plan.leaves,
        )
