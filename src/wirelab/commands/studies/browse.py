"""`wirelab browse`: the bundles below a folder as pages for a browser on this machine."""

from pathlib import Path
from types import TracebackType
from typing import Self

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from wirelab.browse.cache import Cache
from wirelab.browse.catalogue import Catalogue
from wirelab.browse.reader import BundleReader
from wirelab.browse.reader import Progress as Reading
from wirelab.browse.site import site
from wirelab.commands.progress import REST, clock
from wirelab.inputs.problems import add_problem
from wirelab.terminal import words
from wirelab.terminal.console import note, stderr
from wirelab.terminal.exit_codes import ExitCode
from wirelab.terminal.untrusted import visible
from wirelab.web import address_of, bind_loopback, serve


def browse_command(folder: Path, *, port: int) -> ExitCode:
    """Serve until Ctrl-C or a signal."""
    if not folder.is_dir():
        hint = "give the folder with the bundles of `wirelab run`: wirelab browse FOLDER"
        add_problem(str(folder), "", "no folder", "a folder of bundles", hint)
    listening = bind_loopback(port, "--port PORT")
    cache = Cache.of_user()
    with ReadingView() as view, BundleReader(cache, on_progress=view.show) as reader:
        catalogue = Catalogue(folder, cache, reader)
        counted = words.plural(len(catalogue.listing().entries), "bundle")
        text = f"{counted} at {address_of(listening)} (Ctrl-C ends it)"
        serve(site(catalogue), listening, started=lambda: note(text))
    return ExitCode.OK


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
