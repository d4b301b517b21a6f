"""`wirelab browse`: the bundles below a folder as pages for a browser on this machine."""

from pathlib import Path

from wirelab.browse.cache import Cache
from wirelab.browse.catalogue import Catalogue
from wirelab.browse.reader import Reader
from wirelab.browse.site import site
from wirelab.commands.reading import ReadingView
from wirelab.inputs.problems import Problems
from wirelab.terminal import words
from wirelab.terminal.console import note
from wirelab.terminal.exit_codes import ExitCode
from wirelab.web import address_of, bind_loopback, serve


def browse_command(folder: Path, *, port: int, problems: Problems) -> ExitCode:
    """Serve until Ctrl-C or a signal. `problems` are those of the command line."""
    if not folder.is_dir():
        hint = "give the folder with the bundles of `wirelab run`: wirelab browse FOLDER"
        problems.add(str(folder), "", "no folder", "a folder of bundles", hint)
    problems.raise_if_any()
    listening = bind_loopback(port, "--port PORT")
    cache = Cache.of_user()
    with ReadingView() as view, Reader(cache, on_progress=view.show) as reader:
        catalogue = Catalogue(folder, cache, reader)
        found = words.plural(len(catalogue.listing().entries), "bundle")
        text = f"{found} at {address_of(listening)} (Ctrl-C ends it)"
        serve(site(catalogue), listening, started=lambda: note(text))
    return ExitCode.OK
