"""Send first requests to the sides, to check that they answer, and how fast."""

import os
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from wirelab.compare.sides import ComparedSide
from wirelab.compare.terms import Terms
from wirelab.engine.job import Endpoint
from wirelab.lab.credentials import redact
from wirelab.lab.errors import ContenderError, log_of
from wirelab.lab.network.address import Address
from wirelab.lab.network.ports import free_port, is_taken
from wirelab.lab.processes.process import start_guarded, stopping_everything
from wirelab.protocol.clients.base import Client, NoReplyError
from wirelab.protocol.clients.client import connect_to
from wirelab.protocol.http import excerpt
from wirelab.protocol.message import Refusal, WireReply, WireRequest
from wirelab.protocol.template import literal
from wirelab.protocol.websocket import WebsocketCodec, WebsocketRequest
from wirelab.verify.servers.obstacles import obstacle_of, what_to_do

T = TypeVar("T")
START_S = 30.0
LOOKS = 5
PORT_HINT = (
    "the command must listen on {port}, which is also in the environment as PORT, and stay in the"
    " foreground"
)
PATH_HINT = (
    "give a path that every side answers with 200, in its address or with --path; for operations,"
    " give a description such as --openapi"
)

SERVER_ERROR = 500
LOG_HINT = "the server failed: its log may say why"


def look_at_all(sides: Sequence[ComparedSide], look: Callable[[ComparedSide], T]) -> list[T]:
    """Return what `look` returns for each side.

    Raises one `ContenderError` for all sides that fail.
    """
    looks, failed = [], []
    for side in sides:
        try:
            looks.append(look(side))
        except ContenderError as error:
            failed.append(error)
    if failed:
        hints = dict.fromkeys(error.hint for error in failed if error.hint)
        found_wrong = dict.fromkeys(error.what for error in failed)
        raise ContenderError("\n".join(found_wrong), "; ".join(hints))
    return looks


def endpoint_of(side: ComparedSide, terms: Terms, needed: str = "http1") -> Endpoint:
    """Return the endpoint of a side with an address; `needed` is the transport of its requests."""
    address = side.address
    assert address is not None
    return terms.access.endpoint(side.name, needed, address)


@contextmanager
def running_side(
    side: ComparedSide, terms: Terms, logs: Path, path: str = ""
) -> Iterator[ComparedSide]:
    """Yield the side with an address; a side with a command is started, and stopped at the end.

    `path` is the path of the address of a side with a command.
    """
    if side.address is not None:
        yield side
        return
    port = free_port()
    command = side.command.replace("{port}", str(port)).replace("{host}", "127.0.0.1")
    log_path = logs / f"first-{side.name}.log"
    with stopping_everything():
        process = start_guarded(
            ["sh", "-c", command],
            role=side.name,
            log_path=log_path,
            cwd=side.folder,
            environment=_environment(port),
        )
        try:
            deadline = time.monotonic() + START_S
            while not is_taken(port):
                if (code := process.poll()) is not None or time.monotonic() > deadline:
                    ended = "did not listen" if code is None else f"ended with exit code {code}"
                    what = f"{side.title} {ended} on port {port}: {side.command}"
                    hint = PORT_HINT if code is None else ""
                    raise ContenderError(what, hint, log_of(process))
                time.sleep(0.05)
            address = Address(terms.scheme or "http", "127.0.0.1", port, path)
            yield replace(side, address=address)
        finally:
            process.stop()


def _environment(port: int) -> Mapping[str, str]:
    return {**os.environ, "PORT": str(port)}


def look_at_url(side: ComparedSide, terms: Terms, path: str) -> tuple[int, float]:
    """GET the path of a side; return the status and the approximate duration in seconds.

    Raises `ContenderError` with the reason if there is no answer.
    """
    request = WireRequest("GET", path or "/", (("accept", "*/*"),))
    endpoint = endpoint_of(side, terms)
    with connect_to(endpoint, terms.timeout_s) as client:
        reply, seconds = _timed(side, endpoint, client, request)
    status = reply.status or 0
    if not 200 <= status < 300:
        if why := obstacle_of(reply):
            raise ContenderError(f"{side.title}: {why}")
        answers = f"it answers {status} to GET {path or '/'}: {redact(excerpt(reply.body))}"
        raise ContenderError(
            f"{side.title}: {answers}", PATH_HINT if status < SERVER_ERROR else LOG_HINT
        )
    return status, seconds


def look_at_message(side: ComparedSide, terms: Terms, message: str) -> float:
    """Send a message to a WebSocket; return about how many seconds the answer takes.

    Raises `ContenderError` if there is none, or the message is refused.
    """
    template = WebsocketRequest(message=literal(message), content="any")
    codec = WebsocketCodec("", "snake")
    endpoint = endpoint_of(side, terms, "websocket")
    with connect_to(endpoint, terms.timeout_s) as client:
        reply, seconds = _timed(side, endpoint, client, codec.encode_request(template, {}))
    outcome = codec.decode_reply(template, reply)
    if isinstance(outcome, Refusal):
        hint = "give a message that every side answers: --data"
        raise ContenderError(f"{side.title} refuses the message: {redact(outcome.detail)}", hint)
    return seconds


def _timed(
    side: ComparedSide, endpoint: Endpoint, client: Client, request: WireRequest
) -> tuple[WireReply, float]:
    """Send a request several times; return the last reply, and the median of the seconds."""
    took = []
    for _ in range(LOOKS):
        began = time.monotonic()
        reply = _send(side, endpoint, client, request)
        took.append(time.monotonic() - began)
    return reply, statistics.median(took)


def _send(
    side: ComparedSide, endpoint: Endpoint, client: Client, request: WireRequest
) -> WireReply:
    try:
        return client.send(request)
    except NoReplyError as error:
        where = side.address or side.title
        hint = what_to_do(error, endpoint)
        raise ContenderError(f"{side.title} does not answer at {where}: {error}", hint) from None


def shown_first(sides: Sequence[ComparedSide]) -> list[str]:
    """Name the addresses that are not on this machine, to announce them before any request."""
    return [
        f"{side.name} is at {side.address}, which is not this machine"
        for side in sides
        if side.address is not None and not side.address.is_loopback
    ]
