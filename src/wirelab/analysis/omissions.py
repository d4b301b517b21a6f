"""What was to be measured and was not, since there was no time for it."""

from collections.abc import Iterator

from wirelab import words
from wirelab.analysis.model import Caution
from wirelab.schedule import Schedule
from wirelab.study import Study

NOT_MEASURED = "Not measured"


def omitted(study: Study, schedule: Schedule) -> dict[str, tuple[str, ...]]:
    """Return the titles of the workloads that were wanted and left out, by reason."""
    return {
        reason: tuple(study.workloads[level].title for level in levels)
        for (factor, reason, wanted), levels in schedule.left_out.items()
        if wanted and factor == "workload"
    }


def omission_cautions(study: Study, schedule: Schedule) -> Iterator[Caution]:
    """Name what was left out, and the reason."""
    for reason, titles in omitted(study, schedule).items():
        yield Caution("serious", NOT_MEASURED, f"{words.listed(titles)} ({reason})")
