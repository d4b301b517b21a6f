"""An emulated network between engine and contenders, packet by packet: see `wirelab-link`.

Contenders run beside their stores, and listen on the server's address of the link. The engine runs
in a separate network namespace, from which only that address is reachable, and every packet between
the two passes the emulator. Namespace and devices belong to the emulator's process, and disappear
when it ends.
"""

import json
import os
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wirelab.errors import Failure, MissingProgramError
from wirelab.installation.programs import find_program
from wirelab.lab.errors import LinkError, log_of
from wirelab.lab.processes.capabilities import Capability, lacking
from wirelab.lab.processes.ending import how_ended
from wirelab.lab.processes.process import GuardedProcess, start_guarded
from wirelab.study.network import Network, NetworkDirection

PROGRAM = "wirelab-link"
DEVICE = Path("/dev/net/tun")
READY_S = 10.0
ANSWER_S = 5.0
POLL_S = 0.005
REMEDY = (
    "run wirelab as root (in a container: with the capabilities NET_ADMIN and SYS_ADMIN and the"
    " device /dev/net/tun), or leave out the networks with `--only loopback`"
)


@dataclass(frozen=True, slots=True)
class Ready:
    """The emulator's message when the link is ready."""

    server: str
    client: str
    namespace: Path
    real_time: bool
    congestion_control: str


class Link:
    """A running emulated network. Use it as a context manager, which ends it."""

    def __init__(self, name: str, process: GuardedProcess, events: Path) -> None:
        self.name = name
        self._process = process
        self._events = events
        self._ready: Ready | None = None

    @classmethod
    def start(
        cls,
        name: str,
        network: Network,
        folder: Path,
        *,
        cpus: tuple[int, ...] = (),
        seed: int = 1,
    ) -> "Link":
        """Start the emulator of a network and wait until the link is ready.

        It writes link.jsonl (its events) and link.log to the folder. `seed`: that of random loss
        and jitter. Raises `LinkError` with the remedy.
        """
        if missing := why_no_link():
            raise LinkError(f"the network {name} cannot be emulated: {missing}", REMEDY)
        events = folder / "link.jsonl"
        events.unlink(missing_ok=True)
        process = start_guarded(
            [
                find_program(PROGRAM),
                *("--down", written(network.down), "--up", written(network.up)),
                *("--seed", str(seed), "--real-time", "--events", events.absolute()),
            ],
            role="link",
            log_path=folder / "link.log",
            cpus=cpus,
        )
        link = cls(name, process, events)
        try:
            link._ready = _ready(link._await("ready", 0, READY_S))
        except BaseException:
            link.stop()
            raise
        return link

    @property
    def ready(self) -> Ready:
        """The addresses of its ends."""
        assert self._ready is not None, "the emulator is ready after start"
        return self._ready

    @property
    def pid(self) -> int:
        """The root process of the emulator."""
        return self._process.pid

    def why_ended(self) -> Failure | None:
        """Return how it has ended by itself; None while it runs."""
        code = self._process.poll()
        if code is None:
            return None
        what = f"the emulator of the network {self.name} ended"
        return how_ended(what, code, log_of(self._process))

    def counters(self) -> Mapping[str, Any]:
        """Request the packet counts so far. Raises `LinkError` if it has ended."""
        known = len(self._events_named("counters"))
        self._process.signal(signal.SIGUSR1)
        return self._await("counters", known, ANSWER_S)

    def stop(self) -> None:
        """End the emulator, which removes the devices and the namespace."""
        self._process.stop()

    def __enter__(self) -> "Link":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _await(self, event: str, known: int, patience_s: float) -> Mapping[str, Any]:
        """Wait for a new event of a kind."""
        deadline = time.monotonic() + patience_s
        while len(events := self._events_named(event)) <= known:
            if reason := self.why_ended():
                raise LinkError.from_failure(reason)
            if time.monotonic() > deadline:
                what = f"the emulator of the network {self.name} does not respond"
                raise LinkError(what, log=log_of(self._process))
            time.sleep(POLL_S)
        return events[-1]

    def _events_named(self, event: str) -> list[Mapping[str, Any]]:
        """Return the events of a kind; an incomplete last line is ignored."""
        if not self._events.is_file():
            return []
        lines = self._events.read_text().split("\n")[:-1]
        return [found for line in lines if (found := json.loads(line))["event"] == event]


def why_no_link() -> str:
    """Return why no network can be emulated here; "" if it can."""
    try:
        find_program(PROGRAM)
    except MissingProgramError as error:
        return str(error)
    if not os.access(DEVICE, os.R_OK | os.W_OK):
        return f"{DEVICE} does not exist, or is not accessible"
    if lacking(Capability.NET_ADMIN, Capability.SYS_ADMIN):
        return "network namespaces and devices need root (CAP_NET_ADMIN and CAP_SYS_ADMIN)"
    return ""


def written(direction: NetworkDirection) -> str:
    """Write a direction in the notation of `wirelab-link`."""
    parts = [
        f"delay={direction.delay_ms:g}ms",
        f"jitter={direction.jitter_ms:g}ms",
        f"loss={direction.loss_percent:g}%",
    ]
    if direction.rate_mbit_s is not None:
        parts += [f"rate={direction.rate_mbit_s:g}Mbit", f"queue={direction.queue_kb:g}KB"]
    return ",".join(parts)


def _ready(event: Mapping[str, Any]) -> Ready:
    return Ready(
        server=event["server"],
        client=event["client"],
        namespace=Path(event["namespace"]),
        real_time=event["real_time"],
        congestion_control=event["congestion_control"],
    )
