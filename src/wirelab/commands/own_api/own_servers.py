"""How `wirelab compare` and `wirelab capacity` begin, and what they announce about writes."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from wirelab.commands.logs import log_folder
from wirelab.commands.progress import ProgressBar
from wirelab.compare.git_trees import checked_out
from wirelab.compare.offers import FoundOffers, find_offers
from wirelab.compare.options import CapacityRequest, CompareRequest
from wirelab.compare.probe import shown_first
from wirelab.lab.processes.process import stopping_everything
from wirelab.terminal.console import note


@contextmanager
def queried_sides(
    request: CompareRequest | CapacityRequest, prefix: str
) -> Iterator[tuple[Path, FoundOffers]]:
    """Check out and query the sides; provide a temporary folder, and what they offer.

    At the end, everything that was started ends, and of the folder, whose name begins with
    `prefix`, only logs that a message names are kept.
    """
    for line in shown_first(request.sides):
        note(line)
    with ExitStack() as ends:
        scratch = ends.enter_context(log_folder(prefix)).path
        ends.enter_context(stopping_everything())
        with ProgressBar() as bar:
            build = request.options.build
            sides = ends.enter_context(checked_out(request.sides, build, scratch, bar))
            offered = find_offers(sides, request.terms, request.selection, scratch, bar)
        for line in offered.notes:
            note(line)
        yield scratch, offered


def announce_writes(operations: Sequence[str], reset: str | None) -> None:
    """Print which operations that change data will be sent, and what restores the data."""
    if operations:
        after = f"`{reset}` restores the data" if reset else "nothing is restored"
        note(f"will write: {', '.join(operations)}, to every server; {after}")
