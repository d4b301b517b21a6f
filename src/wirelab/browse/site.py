"""The pages of `wirelab browse`: the list, a bundle's report, several bundles side by side."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from wirelab.analysis.development import development
from wirelab.analysis.wording import TIME, WORDINGS
from wirelab.browse.catalogue import Catalogue, Entry
from wirelab.browse.glance import glance_at
from wirelab.browse.histories import find_histories
from wirelab.browse.reader import Progress
from wirelab.browse.selection import PAGE, Choices, Selection
from wirelab.inputs.problems import ProblemsError
from wirelab.report.development import development_page
from wirelab.report.palette import Palette
from wirelab.terminal import words
from wirelab.terminal.untrusted import visible
from wirelab.web import Pages, application, report_response

WAIT = 202
"""The HTTP status of a page that is not ready yet."""

MOST_COMPARED = 12
"""Maximum number of compared bundles; more columns would not be readable."""


def site(catalogue: Catalogue) -> Starlette:
    """Create the application that shows a catalogue."""
    made = Site(catalogue, Pages("wirelab.browse", sheet="browse.css"))
    return application(
        [
            Route("/", made.listing),
            Route("/bundle/{id}", made.report),
            Route("/history/{id}", made.history),
            Route("/compare", made.comparison),
            Route("/entry/{id}", made.entry),
            Route("/progress", made.progress),
            Mount("/browse", StaticFiles(directory=str(files("wirelab.browse") / "static"))),
        ],
        made.pages,
    )


@dataclass(frozen=True, slots=True)
class Site:
    """The handlers. They run in threads, since they read files."""

    catalogue: Catalogue
    pages: Pages

    def listing(self, request: Request) -> Response:
        """Show all bundles, or those that match a search."""
        listing = self.catalogue.listing()
        selection = Selection.of(request.query_params)
        picked = selection.pick(listing.entries)
        first = PAGE * (selection.page - 1)
        shown = picked[first : first + PAGE]
        return self.pages.respond(
            request,
            "list.html",
            folder=visible(str(self.catalogue.folder.absolute())),
            listing=listing,
            histories=find_histories(self.catalogue.folder),
            selection=selection,
            choices=Choices.of(listing.entries),
            picked=picked,
            entries=shown,
            most_compared=MOST_COMPARED,
            glances={each.found.id: each.synopsis and glance_at(each.synopsis) for each in shown},
            pages=math.ceil(len(picked) / PAGE),
            reading=in_words(listing.progress),
            wordings=[
                wording
                for reported_as, wording in WORDINGS.items()
                if reported_as in {each.synopsis.reported_as for each in shown if each.synopsis}
            ]
            or [TIME],
        )

    def entry(self, request: Request) -> Response:
        """Return one bundle of the list, to replace its current row."""
        entry = self._entry(request.path_params["id"])
        glance = entry.synopsis and glance_at(entry.synopsis)
        return self.pages.respond(request, "fragment.html", entry=entry, glance=glance)

    def progress(self, request: Request) -> Response:  # noqa: ARG002
        """Return what is being read, and which bundles have not been read yet."""
        listing = self.catalogue.listing()
        unread = [
            each.found.id
            for each in listing.entries
            if each.is_unread and not each.found.is_written
        ]
        return JSONResponse({"text": in_words(listing.progress), "unread": unread})

    def report(self, request: Request) -> Response:
        """Show a bundle's report, rendered from its data by this program."""
        entry = self._entry(request.path_params["id"])
        page = self.catalogue.report(entry)
        if page is not None:
            return report_response(page)
        problems = self.catalogue.report_problems(entry)
        if problems:
            advice = "A study may still be writing it, or files are missing or damaged."
            return self._message(
                request, f"{entry.found.name} cannot be read", advice, problems=problems
            )
        return self._wait(request, "Rendering the report", [entry])

    def history(self, request: Request) -> Response:
        """Show how the versions of a server developed, drawn from the file of its history."""
        wanted = request.path_params["id"]
        found = find_histories(self.catalogue.folder)
        history = next((each for each in found if each.id == wanted), None)
        if history is None:
            raise HTTPException(404, "There is no such history; it may have been moved or deleted.")
        try:
            return report_response(history.page(home="/"))
        except ProblemsError as wrong:
            advice = "Lines of the file are damaged, or another version of wirelab wrote them."
            problems = list(map(str, wrong.problems))
            heading = f"{history.name} cannot be read"
            return self._message(request, heading, advice, problems=problems)

    def comparison(self, request: Request) -> Response:
        """Show several bundles side by side."""
        ids = list(dict.fromkeys(request.query_params.getlist("b")))
        if len(ids) < 2:
            advice = "Go back and tick two or more bundles of one study."
            return self._message(request, "Nothing to compare", advice)
        if len(ids) > MOST_COMPARED:
            advice = f"Go back and tick at most {MOST_COMPARED} bundles."
            return self._message(request, "Too many bundles", advice)
        entries = [self._entry(each) for each in ids]
        for entry in entries:
            if entry.problems:
                advice = "Go back and leave it out."
                heading = f"{entry.found.name} cannot be read"
                return self._message(request, heading, advice, problems=entry.problems)
            if entry.found.is_written:
                advice = "A study is writing to it. Compare it when the study has ended."
                return self._message(request, f"{entry.found.name} is not complete", advice)
        unread = [entry for entry in entries if entry.is_unread]
        if unread:
            self.catalogue.want(unread)
            return self._wait(request, "Reading the bundles", unread)
        return self._side_by_side(request, entries)

    def _side_by_side(self, request: Request, entries: Sequence[Entry]) -> Response:
        ordered = sorted(entries, key=lambda entry: entry.created_utc)
        synopses = [each.synopsis for each in ordered if each.synopsis is not None]
        try:
            developed = development(synopses)
        except ProblemsError as wrong:
            advice = "Tick bundles of one study, with the same metric and baseline."
            heading = "These bundles cannot be compared"
            return self._message(request, heading, advice, problems=list(map(str, wrong.problems)))
        links = [f"/bundle/{entry.found.id}" for entry in ordered]
        palette = Palette.of_several(synopses)
        return report_response(development_page(developed, palette, home="/", links=links))

    def _entry(self, name: str) -> Entry:
        entry = self.catalogue.listing().entry(name)
        if entry is None:
            raise HTTPException(404, "There is no such bundle; it may have been moved or deleted.")
        return entry

    def _wait(self, request: Request, heading: str, entries: Sequence[Entry]) -> Response:
        return self.pages.respond(
            request,
            "wait.html",
            status=WAIT,
            heading=heading,
            names=[entry.found.name for entry in entries],
            reading=in_words(self.catalogue.listing().progress),
        )

    def _message(
        self, request: Request, heading: str, advice: str, *, problems: Sequence[str] = ()
    ) -> Response:
        return self.pages.respond(
            request, "message.html", status=400, heading=heading, advice=advice, problems=problems
        )


def in_words(progress: Progress) -> str:
    """Describe the progress of reading; "" if there is nothing to do."""
    if progress.is_paused:
        return (
            "A study is measuring in this folder. The remaining bundles are read when it has ended,"
            " to leave it the CPU time; a bundle that you open is read at once."
        )
    if not progress.total:
        return ""
    text = f"{progress.done} of {words.plural(progress.total, 'bundle')} read"
    if progress.now:
        text += f", now {progress.now}"
    if progress.seconds_left is not None:
        text += f"; about {_roughly(progress.seconds_left)} left"
    return f"{text}."


def _roughly(seconds: float) -> str:
    if seconds < 100:
        return f"{max(1, round(seconds))} s"
    return words.plural(round(seconds / 60), "minute")
