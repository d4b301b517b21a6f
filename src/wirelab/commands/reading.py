"""The progress of reading bundles, for terminals and logs."""

from types import TracebackType
from typing import Self

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from wirelab.browse.reader import Progress as Reading
from wirelab.commands.progress import REST, clock
from wirelab.terminal.console import note, stderr
from wirelab.terminal.untrusted import visible


class ReadingView:
    """Shows progress on standard error; without a terminal, one line for each bundle."""

    def __init__(self) -> None:
        self._progress = Progress(
            TextColumn("reading"),
            BarColumn(bar_width=16),
            MofNCompleteColumn(),
            TextColumn("{task.fields[left]}"),
            TextColumn("{task.description}", markup=False, table_column=REST),
            console=stderr,
            expand=True,
            transient=True,
            disable=not stderr.is_terminal,
        )
        self._task = self._progress.add_task("", total=None, visible=False, left="")

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def show(self, reading: Reading) -> None:
        """Show that another bundle has been read."""
        has_more = reading.done < reading.total
        known = has_more and reading.seconds_left is not None
        left = f"{clock(reading.seconds_left or 0.0)} left" if known else ""
        self._progress.update(
            self._task,
            completed=reading.done,
            total=reading.total,
            description=visible(reading.now),
            visible=has_more,
            left=left,
        )
        if not stderr.is_terminal:
            note(f"read {reading.done} of {reading.total}{f' ({left})' if left else ''}")
