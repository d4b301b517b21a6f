"""The page's process: receives the study's events, and serves them to browsers."""

import asyncio
import json
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.resources import files
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from wirelab.experiment.events import BundleOpened, StudyEnded
from wirelab.lab.processes.cpu import plan_cpus
from wirelab.live.courses import StudyNames
from wirelab.live.messages import from_line
from wirelab.live.metrics import exposition
from wirelab.live.state import LiveState
from wirelab.live.view import describe, points
from wirelab.report.palette import Palette
from wirelab.web import Pages, application, report_response

AUTOGROUP = Path("/proc/self/autogroup")

PERIOD_S = 1.0
"""The interval between two updates of browsers."""

PATIENCE = 8
"""Maximum number of messages that wait for a browser; beyond it, the browser must reconnect."""


class Page:
    """The state of a study, the connected browsers, and the routes."""

    def __init__(self) -> None:
        self.state = LiveState()
        self.names: StudyNames | None = None
        self.pages = Pages("wirelab.live", sheet="live.css")
        self._opened: asyncio.Queue[Path] = asyncio.Queue()
        self._watching: set[asyncio.Queue[str | None]] = set()

    def application(self) -> Starlette:
        """Create the application; while it runs, it receives the study's events."""
        routes = [
            Route("/", self._page),
            Route("/events", self._events),
            Route("/metrics", self._metrics),
            Route("/report", self._report),
            Mount("/live", StaticFiles(directory=str(files("wirelab.live") / "static"))),
        ]
        return application(routes, self.pages, lifespan=self._lifespan)

    # -- events of the study -------------------------------------------------------------------

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._listen, args=(loop,), daemon=True).start()
        tasks = [asyncio.create_task(each) for each in (self._send_to_browsers(), self._open())]
        yield
        for task in tasks:
            task.cancel()

    def _listen(self, loop: asyncio.AbstractEventLoop) -> None:
        """Process every line of the study; the page ends with its input."""
        for line in sys.stdin.buffer:
            loop.call_soon_threadsafe(self._take, line)
        os.kill(os.getpid(), signal.SIGTERM)

    def _take(self, line: bytes) -> None:
        message = from_line(line)
        self.state.take(message.at, message.event)
        match message.event:
            case BundleOpened(path):
                self._opened.put_nowait(path)
            case StudyEnded():  # and soon this process, too, if there is nothing to read
                self._send("state", describe(self.state, self.names))

    async def _open(self) -> None:
        """Read what the bundle says of its study, as soon as its path is known."""
        while True:
            path = await self._opened.get()
            # After a defect here, or with a full disk, the page shows no comparisons.
            try:
                self.names = await asyncio.to_thread(StudyNames, path)
                self.pages.use(self.names.palette)
                self.state.order = list(self.names.labels)
            except Exception as fault:
                self.state.notes.append(f"the page cannot read the study: {fault}")

    # -- updates of browsers ---------------------------------------------------------------------

    async def _send_to_browsers(self) -> None:
        known, width = 0, self.state.history.width_s
        while True:
            await asyncio.sleep(PERIOD_S)
            history = self.state.history
            if history.width_s != width:
                width, known = history.width_s, 0
            first, known = max(0, known - 1), history.bins(self.state.now)
            if self._watching:
                self._send("state", describe(self.state, self.names))
                self._send("points", points(self.state, first))

    def _send(self, event: str, data: str) -> None:
        for queue in tuple(self._watching):
            try:
                queue.put_nowait(_message(event, data))
            except asyncio.QueueFull:
                self._watching.discard(queue)
                queue.get_nowait()
                queue.put_nowait(None)

    async def _events(self, _: Request) -> Response:
        return StreamingResponse(self._stream(), media_type="text/event-stream")

    async def _stream(self) -> AsyncIterator[str]:
        queue: asyncio.Queue[str | None] = asyncio.Queue(PATIENCE)
        yield _message("state", describe(self.state, self.names))
        yield _message("points", points(self.state, 0))
        self._watching.add(queue)
        try:
            while (message := await queue.get()) is not None:
                yield message
        finally:
            self._watching.discard(queue)

    async def _page(self, request: Request) -> Response:
        names = self.names
        labels = dict(names.labels) if names else {}
        palette = names.palette if names else Palette({}, {})
        styles = {
            name: {"label": label, "hue": palette[name].hue, "mark": palette[name].mark}
            for name, label in labels.items()
        }
        return self.pages.respond(
            request,
            "live.html",
            study=names.study if names else None,
            styles=json.dumps(styles),
            bundle=self.state.bundle,
            metric=names.metric_title if names else "",
            legend=names.wording.legend() if names else (),
        )

    async def _metrics(self, request: Request) -> Response:
        accept = request.headers.get("accept", "")
        body, media_type = exposition(self.state, self.names, accept)
        return Response(body, headers={"content-type": media_type})

    async def _report(self, _: Request) -> Response:
        if self.state.report is None:
            raise HTTPException(404, "there is no report yet: the study is running")
        return report_response(self.state.report.read_text(encoding="utf-8"))


def step_aside() -> None:
    """Run only on idle CPUs, and never on those of the system under test.

    The kernel shares CPUs between sessions first (sched(7), autogroups): the idle class orders only
    the processes of this session, and the nice value of its group makes it yield to others.
    """
    with suppress(OSError):  # a container may forbid either
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    with suppress(OSError):  # not every kernel has autogroups
        AUTOGROUP.write_text("19")
    plan = plan_cpus()
    if plan.is_disjoint:
        with suppress(OSError):
            os.sched_setaffinity(0, plan.engine)


def _message(event: str, data: str) -> str:
    return f"event: {event}\ndata: {data}\n\n"
