"""The progress of a command: a bar on a terminal, otherwise lines for steps and long blocks."""

import sys
import time
from collections import Counter
from collections.abc import Hashable, Mapping
from contextlib import ExitStack, redirect_stdout
from pathlib import Path
from types import MappingProxyType
from typing import Self

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Column
from rich.text import Text

from wirelab.bundle import BlockRecord, RunRecord
from wirelab.bundle.reasons import in_words
from wirelab.experiment import Observer
from wirelab.planning.schedule import Block, Run
from wirelab.planning.stage import Stage
from wirelab.terminal import words
from wirelab.terminal.console import note, talk

LONGEST_REASON = 600
REMINDER_S = 10.0
"""Without a terminal, a long step is printed again after this time."""
REST = Column(ratio=1, no_wrap=True, overflow="ellipsis")
"""The width that remains for text beside the columns of fixed width."""


class LiveView(Observer):
    """Shows the current step, the progress and the remaining time on standard error.

    Meanwhile, what the code of a domain or a study prints is shown there, too: standard output is
    for the result.

    `pause_s`: without a terminal, the minimum time between two lines; for short steps.
    """

    def __init__(self, *, pause_s: float = 0.0) -> None:
        self._progress = Progress(
            TextColumn("{task.fields[stage].title:<14}", markup=False),
            BarColumn(bar_width=16),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            _Left(),
            TextColumn("{task.description}", markup=False, table_column=REST),
            console=talk,
            disable=not talk.is_terminal,
            expand=True,
        )
        self._ends = ExitStack()
        self._task: TaskID | None = None
        self._faults: Counter[Hashable] = Counter()
        self._stage: Stage | None = None
        self._expected_s: float | None = None
        self._at_least = False
        self._block_seconds: list[float] = []
        self._pause_s = pause_s
        self._titles: Mapping[str, str] = {}
        self._last_line = time.monotonic()

    def __enter__(self) -> Self:
        self._ends.enter_context(redirect_stdout(sys.stderr))
        self._progress.start()
        self._ends.callback(self._progress.stop)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._finish()
        self._ends.close()
        again = sum(self._faults.values()) - len(self._faults)
        if again > 0:
            note(
                f"{words.plural(again, 'more run')} did not count for the same reasons;"
                " the report lists all"
            )

    def bundle_opened(
        self,
        path: Path,  # noqa: ARG002
        *,
        expected_s: float,
        at_least: bool = False,
        titles: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Keep the expected duration, which is shown until a block has been measured, and titles.

        Titles take the place of workloads' ids.
        """
        self._expected_s, self._at_least, self._titles = expected_s, at_least, titles

    def phase(self, text: str, steps: int) -> None:
        """Begin a stage, and keep the line of the previous one."""
        self._finish()
        if self._block_seconds:  # additional blocks take as long as the earlier ones
            self._expected_s = steps * sum(self._block_seconds) / len(self._block_seconds)
            self._at_least = False
        self._stage = Stage(text, steps, time.monotonic())
        if talk.is_terminal:
            self._task = self._progress.add_task("", total=steps, stage=self._stage)

    def step(self, text: str, *, expected_s: float | None = None) -> None:
        """Begin the next step. `expected_s`: how long the only step of a stage will take."""
        if self._stage is not None:
            self._stage.next(text, time.monotonic(), expected_s)
            self._show(self._stage, text, pause_s=self._pause_s)

    def remind(self) -> None:
        """Print a long step again; a terminal shows it all the time."""
        if self._stage is not None and not talk.is_terminal:
            self._show(self._stage, self._stage.step, pause_s=REMINDER_S)

    def block_started(self, block: Block, attempt: int) -> None:
        """Show which block is being measured."""
        if self._stage is not None:
            again = ", repeated" if attempt > 1 else ""
            group = self._titles.get(block.group, block.group)
            step = f"block {block.number} · {group}{again}"
            self._stage.begin_block(block.id, step, self._expected_s, at_least=self._at_least)
            self._show(self._stage, step, pause_s=self._pause_s)

    def expecting(self, seconds: float, *, once_s: float) -> None:
        """Show the remaining time according to this estimate from now on."""
        if self._stage is not None:
            self._stage.expect(seconds, time.monotonic(), once_s)

    def doing(self, text: str, *, is_long: bool = False) -> None:
        """Show the current activity after the block; a long one has a line in any case."""
        if self._stage is not None:
            pause_s = self._pause_s if is_long else REMINDER_S
            self._show(self._stage, f"{self._stage.step}: {text}", pause_s=pause_s)

    def block_finished(self, record: BlockRecord) -> None:
        """Count the block; print a line for a run that does not count because of a fault."""
        for run in record.runs:
            # A later run is skipped for a reason that was stated, or that verification stated.
            if run.status == "invalid" or (run.status == "skipped" and self._knows(run)):
                self._count_fault(run)
        self._block_seconds.append(record.seconds)
        if self._stage is not None:
            self._stage.finish_block(record.block.id, time.monotonic())
            if self._task is not None:
                self._progress.update(self._task, completed=self._stage.done)

    def note(self, text: str) -> None:
        """Print above the progress lines."""
        note(text)

    def _knows(self, record: RunRecord) -> bool:
        return _kind(record) in self._faults

    def _count_fault(self, record: RunRecord) -> None:
        """Print the first fault of each kind."""
        kind = _kind(record)
        self._faults[kind] += 1
        if self._faults[kind] == 1:
            reason = in_words(record.reasons)[:LONGEST_REASON]
            self.note(f"{self._named(record.run)} does not count: {reason}")

    def _named(self, run: Run) -> str:
        title = self._titles.get(run.cell.workload)
        if title is None:
            return f"run {run.id}"
        return f"the run of {run.cell.registration} at “{title}” in block {run.block}"

    def _show(self, stage: Stage, what: str, *, pause_s: float) -> None:
        """Show what is done; without a terminal, only if no line was printed for `pause_s`."""
        if self._task is not None:
            self._progress.update(self._task, description=what, completed=stage.done)
            return
        now = time.monotonic()
        if now - self._last_line < pause_s:
            return
        self._last_line = now
        left = _left(stage, now)
        note(f"{stage.title} {stage.done + 1}/{stage.steps}: {what}{f' ({left})' if left else ''}")

    def _finish(self) -> None:
        if self._task is not None:
            total = self._progress.tasks[self._task].total
            self._progress.update(self._task, completed=total, description="")
        if self._stage is not None:
            self._stage.ended = time.monotonic()
        self._task = self._stage = None


class _Left(ProgressColumn):
    """The remaining time of a stage, if known."""

    def render(self, task: Task) -> Text:
        """Show minutes and seconds."""
        return Text(_left(task.fields["stage"], time.monotonic()))


def _left(stage: Stage, now: float) -> str:
    """Say how much time is left; "" if that is not known."""
    left_s = stage.seconds_left(now)
    if left_s is None:
        return ""
    return f"{'at least ' if stage.is_lower_bound else ''}{clock(left_s)} left"


def _kind(record: RunRecord) -> Hashable:
    """Return what records have in common whose reasons differ only in figures."""
    return tuple(reason.alike for reason in record.reasons)


def clock(seconds: float) -> str:
    """Render a time as on a clock: 4:05, 1:04:05."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
