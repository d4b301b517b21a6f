"""Known pathologies that make servers slow for avoidable reasons, with advice for each.

They show in the figures. Those that single replies show (`wirelab.verify.servers.symptoms`) are
findings of verification.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import pandas as pd

from wirelab.analysis.cautions.caution import At, Caution, Severity
from wirelab.analysis.cautions.evidence import Evidence
from wirelab.study import Cell, ClosedLoad, Load
from wirelab.terminal import words

PLATEAU_US = (39_500.0, 44_900.0)
"""Linux delays acknowledgements by 40 ms; timers of 4 ms make that up to 44 ms."""
JUMP = 0.5
"""A plateau begins with a jump: the next lower quantile is below this share of its time."""
QUANTILES = ("p50", "p90", "p95", "p99")
AT_ONCE = 0.5
"""If the first byte arrives within this share of the time, the time was spent on the rest."""
TOO_MANY_CONNECTIONS = 0.2
"""Connections per transaction beyond those that the load needs."""
IDLE = 0.4
"""A single request that uses the CPU for a smaller share of its time does not wait for the CPU."""
SATURATED = 0.5
"""From this share of one CPU on, requests may wait for the CPU: one thread cannot use more."""
WAITING = 1.6
"""A request that takes this many times as long as a single one has waited."""
FEWER = 0.75
"""Requests in progress at a time, as a share of the clients."""

Runs = Mapping[Cell, pd.DataFrame]
Name = Callable[[Cell, str], At]
"""Returns a contender and its setting, with figures."""


@dataclass(frozen=True)
class Pathology(Caution):
    """The base of pathologies: the places where one was found, why it is slow, and the remedy."""

    SEVERITY: ClassVar[Severity] = "serious"
    WHY: ClassVar[str] = ""
    REMEDY: ClassVar[str] = ""
    places: tuple[At, ...]

    def _detail(self) -> str:
        places = words.first_few(list(map(str, self.places)))
        return f"{places}: {self.WHY}. What to do: {self.REMEDY}"


class DelayedAcknowledgements(Pathology):
    """Nagle's algorithm waits for an acknowledgement that the client's kernel delays."""

    TITLE = "Nagle's algorithm meets delayed acknowledgements: a plateau at 40–44 ms"
    WHY = (
        "the answer begins at once, and its rest waits for the client's kernel to acknowledge the"
        " first packet"
    )
    REMEDY = "set TCP_NODELAY, or write header and body together"


class UnclearPlateau(Pathology):
    """Times have the same plateau, but the answer does not begin at once."""

    SEVERITY = "minor"
    TITLE = "A plateau at 40–44 ms"
    WHY = (
        "the work itself may take this long; if not, a connection behind the server (to a proxy's"
        " backend, to a database) suffers from Nagle's algorithm and delayed acknowledgements"
    )
    REMEDY = "set TCP_NODELAY there"


class NoKeepAlive(Pathology):
    """The server closes connections that could be reused."""

    TITLE = "No keep-alive"
    WHY = (
        "the server closes connections that could be reused, so that every request includes"
        " connecting"
    )
    REMEDY = "enable keep-alive, or raise the number of requests that a connection may carry"


class FullHandshakes(Pathology):
    """TLS sessions are not resumed."""

    TITLE = "Full TLS handshakes per request"
    WHY = "certificates and keys are exchanged for every connection, and no session is resumed"
    REMEDY = "keep connections alive, and let the server resume sessions (tickets)"


class SmallPool(Pathology):
    """Requests wait for each other, and not for the CPU."""

    TITLE = "A pool is smaller than the concurrency"
    WHY = (
        "requests wait for a worker, a thread, a connection to a database or a lock, and not for"
        " the CPU"
    )
    REMEDY = "enlarge the pool, or send from fewer clients"


def pathologies(evidence: Evidence) -> Iterator[Caution]:
    """Find the known pathologies."""
    own = {cell: frame for cell, frame in evidence.values.runs.items() if not cell.twin}
    yield from find_pathologies(own, evidence.study.loads, evidence.at)


def find_pathologies(runs: Runs, loads: Mapping[str, Load], name: Name) -> Iterator[Caution]:
    """See `pathologies`; `runs` are those of all cells but twins."""
    yield from _plateaus(runs, name)
    yield from _connections(runs, loads, name)
    yield from _pools(runs, loads, name)


def _plateaus(runs: Runs, name: Name) -> Iterator[Caution]:
    sent_late: list[At] = []
    unclear: list[At] = []
    for cell, frame in runs.items():
        times = {each: float(frame[f"service_{each}_us"].median()) for each in QUANTILES}
        on = [each for each, time in times.items() if PLATEAU_US[0] <= time <= PLATEAU_US[1]]
        below_us = [time for time in times.values() if time < PLATEAU_US[0]]
        if not on or max(below_us, default=0.0) >= JUMP * PLATEAU_US[0]:
            continue
        first_byte_us = float(frame[f"first_byte_{on[0]}_us"].median())
        begins_at_once = first_byte_us < AT_ONCE * times[on[0]]
        if not begins_at_once and len(on) < 2:  # one figure can be a coincidence
            continue
        listed = sent_late if begins_at_once else unclear
        listed.append(name(cell, f"{', '.join(on)}: {words.duration(times[on[0]])}"))
    if sent_late:
        yield DelayedAcknowledgements(tuple(sent_late))
    if unclear:
        yield UnclearPlateau(tuple(unclear))


def _connections(runs: Runs, loads: Mapping[str, Load], name: Name) -> Iterator[Caution]:
    closed, full = [], []
    for cell, frame in runs.items():
        load = loads[cell.load]
        if not load.reuse_connections or "connections" not in frame:
            continue
        needed = load.clients if isinstance(load, ClosedLoad) else load.connections
        transactions = float(frame["transactions"].sum())
        blocks = len(frame)
        extra = float(frame["connections"].sum()) - blocks * needed
        if extra <= TOO_MANY_CONNECTIONS * transactions or extra <= blocks:
            continue
        count = int(frame["connections"].sum())
        of = f"{count} connections for {int(transactions)} transactions"
        closed.append(name(cell, of))
        whole = float((frame["tls_handshakes"] - frame["tls_resumed"]).sum())
        if whole > TOO_MANY_CONNECTIONS * transactions:
            full.append(name(cell, f"{int(whole)} for {int(transactions)} transactions"))
    if closed:
        yield NoKeepAlive(tuple(closed))
    if full:
        yield FullHandshakes(tuple(full))


def _pools(runs: Runs, loads: Mapping[str, Load], name: Name) -> Iterator[Caution]:
    """Distinguish requests that wait for each other from those that wait for the CPU."""
    waiting = []
    for cell, frame in runs.items():
        load = loads[cell.load]
        known = {"context_alone_us", "contender_cpu_us"} <= set(frame.columns)
        if not isinstance(load, ClosedLoad) or load.clients < 2 or not known:
            continue
        alone_us = float(frame["context_alone_us"].median())
        typical_us = float(frame["service_p50_us"].median())
        at_a_time = load.clients * alone_us / typical_us
        used_us = float((_cpu_us(frame) / frame["transactions"]).median())
        if used_us >= IDLE * alone_us or used_us * load.clients >= SATURATED * typical_us:
            continue
        if typical_us > WAITING * alone_us and at_a_time < FEWER * load.clients:
            requests = words.plural(max(1, round(at_a_time)), "request")
            figures = (
                f"{words.duration(alone_us)} alone, {words.duration(typical_us)} with"
                f" {words.plural(load.clients, 'client')}, of which {words.duration(used_us)} on"
                f" the CPU: about {requests} at a time"
            )
            waiting.append(name(cell, figures))
    if waiting:
        yield SmallPool(tuple(waiting))


def _cpu_us(frame: pd.DataFrame) -> pd.Series:
    """Return the CPU time of a contender and its store, by run."""
    used = frame["contender_cpu_us"]
    return used + frame["store_cpu_us"].fillna(0.0) if "store_cpu_us" in frame else used
