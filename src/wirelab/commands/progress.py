"""The live view of a study: one line for what is going on, one for how far it has come."""

import re
from collections import Counter
from typing import Self

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from wirelab import words
from wirelab.bundle import BlockRecord
from wirelab.console import note, talk
from wirelab.experiment import Observer
from wirelab.schedule import Block

LONGEST_REASON = 600


class LiveView(Observer):
    """Shows progress on standard error; on a pipe a line for each stage and kind of fault."""

    def __init__(self) -> None:
        self._progress = Progress(
            TextColumn("{task.fields[stage]:<14}"),
            BarColumn(bar_width=28),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            TextColumn("{task.description}"),
            console=talk,
            disable=not talk.is_terminal,
        )
        self._task: TaskID | None = None
        self._faults: Counter[str] = Counter()

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()
        again = sum(self._faults.values()) - len(self._faults)
        if again > 0:
            note(
                f"{words.plural(again, 'more run')} did not count for the same reasons;"
                " the report has all of them"
            )

    def phase(self, text: str, steps: int, what: str) -> None:
        """Begin a new line, and leave the finished one standing."""
        self._finish()
        if talk.is_terminal:
            self._task = self._progress.add_task("", total=steps, stage=text)
        else:
            talk.print(f"{text} {what}")

    def step(self, text: str) -> None:
        """Go on to the next step."""
        if self._task is not None:
            task = self._progress.tasks[self._task]
            done = task.completed + (1 if task.description else 0)
            self._progress.update(self._task, description=text, completed=done)

    def block_started(self, block: Block, attempt: int) -> None:
        """Say which block is being measured."""
        again = ", once more" if attempt > 1 else ""
        if self._task is not None:
            self._progress.update(
                self._task, description=f"block {block.number} · {block.group}{again}"
            )

    def block_finished(self, record: BlockRecord) -> None:
        """Count the block; a run that does not count for a fault is worth a line of its own."""
        for run in record.runs:
            if run.status == "invalid":
                self._count_fault(run.run.id, "; ".join(run.reasons))
        if self._task is not None and record.attempt == 1:
            self._progress.advance(self._task)

    def note(self, text: str) -> None:
        """Print above the progress lines."""
        note(text)

    def _count_fault(self, run: str, reason: str) -> None:
        """Tell of a fault when it is the first of its kind: reasons that differ in figures only."""
        kind = re.sub(r"[\d.,]+", "#", reason)
        self._faults[kind] += 1
        if self._faults[kind] == 1:
            self.note(f"run {run} does not count: {reason[:LONGEST_REASON]}")

    def _finish(self) -> None:
        if self._task is not None:
            total = self._progress.tasks[self._task].total
            self._progress.update(self._task, completed=total, description="")
            self._task = None
