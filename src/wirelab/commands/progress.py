"""The progress of a command: a bar on a terminal, otherwise lines for steps and long blocks."""

import sys
import time
from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from contextlib import ExitStack, redirect_stdout
from typing import Self

from rich.console import Console
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
from wirelab.bundle.run_reasons import in_words
from wirelab.experiment.events import (
    ActivityStarted,
    BlockEstimated,
    BlockFinished,
    BlockStarted,
    BundleOpened,
    ComparisonsUpdated,
    Event,
    Note,
    Observer,
    StageStarted,
    StepStarted,
)
from wirelab.experiment.stage_progress import StageProgress
from wirelab.planning.schedule import Run
from wirelab.terminal import words
from wirelab.terminal.console import note, stderr

LONGEST_REASON = 600
REMINDER_S = 10.0
"""Without a terminal, a long step is printed again after this time."""
REST = Column(ratio=1, no_wrap=True, overflow="ellipsis")
"""The width that remains for text beside the columns of fixed width."""


class ProgressBar(Observer):
    """Shows the current step, the progress and the remaining time on standard error.

    Meanwhile, what the code of a domain or a study prints is shown there, too: standard output is
    for the result.

    `pause_s`: without a terminal, the minimum time between two lines; for short steps. `console`:
    where it is shown; `clock` returns the time in s.
    """

    def __init__(
        self,
        *,
        pause_s: float = 0.0,
        console: Console = stderr,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._is_terminal = console.is_terminal
        self._progress = Progress(
            TextColumn("{task.fields[stage].title:<14}", markup=False),
            BarColumn(bar_width=16),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            _Left(clock),
            TextColumn("{task.description}", markup=False, table_column=REST),
            console=console,
            disable=not console.is_terminal,
            expand=True,
        )
        self._ends = ExitStack()
        self._task: TaskID | None = None
        self._faults: Counter[Hashable] = Counter()
        self._stage: StageProgress | None = None
        self._expected_s: float | None = None
        self._at_least = False
        self._decided = ""
        self._pause_s = pause_s
        self._titles: Mapping[str, str] = {}
        self._last_line = clock()

    def __enter__(self) -> Self:
        self._ends.enter_context(redirect_stdout(sys.stderr))
        self._progress.start()
        self._ends.callback(self._progress.stop)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._finish_stage()
        self._ends.close()
        again = sum(self._faults.values()) - len(self._faults)
        if again > 0:
            note(
                f"{words.plural(again, 'more run')} did not count for the same reasons;"
                " the report lists all"
            )

    def on(self, event: Event) -> None:
        """Show what an event changes."""
        match event:
            case BundleOpened():
                self._expected_s, self._at_least = event.expected_s, event.at_least
                self._titles = event.titles
            case StageStarted(title, steps):
                self._begin_stage(title, steps)
            case BlockFinished(record):
                self._finish_block(record)
            case ComparisonsUpdated():
                self._decide(event)
            case Note(text):
                note(text)
            case _ if self._stage is not None:
                self._on_progress(self._stage, event)

    def _on_progress(self, stage: StageProgress, event: Event) -> None:
        """Show what happens in a stage."""
        match event:
            case StepStarted(text, expected_s):
                stage.next(text, self._clock(), expected_s)
                self._show(stage, text, pause_s=self._pause_s)
            case BlockStarted(block, attempt):
                again = ", repeated" if attempt > 1 else ""
                step = f"block {block.number} · {self._titles.get(block.group, block.group)}{again}"
                if self._decided:
                    step = f"{step} · {self._decided}"
                stage.begin_block(block.id, step, self._expected_s, at_least=self._at_least)
                self._show(stage, step, pause_s=self._pause_s)
            case BlockEstimated(seconds, once_s):
                stage.expect(seconds, self._clock(), once_s)
            case ActivityStarted(text, is_long):  # a long one has a line in any case
                pause_s = self._pause_s if is_long else REMINDER_S
                self._show(stage, f"{stage.step}: {text}", pause_s=pause_s)

    def remind(self) -> None:
        """Print a long step again; a terminal shows it all the time."""
        if self._stage is not None and not self._is_terminal:
            self._show(self._stage, self._stage.step, pause_s=REMINDER_S)

    def _begin_stage(self, title: str, steps: int) -> None:
        """Begin a stage, and keep the line of the previous one."""
        self._finish_stage()
        self._stage = StageProgress(title, steps, self._clock())
        if self._is_terminal:
            self._task = self._progress.add_task("", total=steps, stage=self._stage)

    def _finish_block(self, record: BlockRecord) -> None:
        """Count the block; print a line for a run that does not count because of a fault."""
        for run in record.runs:
            # A later run is skipped for a reason that was stated, or that verification stated.
            if run.status == "invalid" or (run.status == "skipped" and self._knows(run)):
                self._count_fault(run)
        if self._stage is not None:
            self._stage.finish_block(record.block.id, self._clock())
            if self._task is not None:
                self._progress.update(self._task, completed=self._stage.done)

    def _decide(self, event: ComparisonsUpdated) -> None:
        """Show what is decided, and what is expected; the next block is a line of its own."""
        self._decided = event.text
        if self._stage is not None:
            self._stage.decide(event.decided, event.questions, event.seconds_left, self._clock())
            if self._task is not None:
                self._progress.update(
                    self._task, completed=self._stage.done, total=self._stage.steps
                )

    def _knows(self, record: RunRecord) -> bool:
        return _kind(record) in self._faults

    def _count_fault(self, record: RunRecord) -> None:
        """Print the first fault of each kind."""
        kind = _kind(record)
        self._faults[kind] += 1
        if self._faults[kind] == 1:
            reason = words.shortened(in_words(record.reasons), LONGEST_REASON)
            note(f"{self._named(record.run)} does not count: {reason}")

    def _named(self, run: Run) -> str:
        title = self._titles.get(run.cell.workload)
        if title is None:
            return f"run {run.id}"
        return f"the run of {run.cell.registration} at “{title}” in block {run.block}"

    def _show(self, stage: StageProgress, what: str, *, pause_s: float) -> None:
        """Show what is done; without a terminal, only if no line was printed for `pause_s`."""
        if self._task is not None:
            self._progress.update(self._task, description=what, completed=stage.done)
            return
        now = self._clock()
        if now - self._last_line < pause_s:
            return
        self._last_line = now
        left = _left(stage, now)
        steps = f" {stage.done + 1}/{stage.steps}" if not stage.are_decided else ""
        note(f"{stage.title}{steps}: {what}{f' ({left})' if left else ''}")

    def _finish_stage(self) -> None:
        if self._task is not None and self._stage is not None:
            total = self._progress.tasks[self._task].total
            # A stage that is left early stays where it is: not all of its blocks are done.
            done = self._stage.done if self._stage.has_blocks else total
            self._progress.update(self._task, completed=done, description="")
        if self._stage is not None:
            self._stage.ended = self._clock()
        self._task = self._stage = None


class _Left(ProgressColumn):
    """The remaining time of a stage, if known."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__()
        self._clock = clock

    def render(self, task: Task) -> Text:
        """Show minutes and seconds."""
        return Text(_left(task.fields["stage"], self._clock()))


def _left(stage: StageProgress, now: float) -> str:
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
