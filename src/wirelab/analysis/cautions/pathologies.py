"""Known pathologies that make servers slow for avoidable reasons.

Each is detected from evidence in the bundle, and comes with advice. Those that single replies show
(`wirelab.verify.symptoms`) are findings of verification; the others show in the figures.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import pandas as pd

from wirelab.analysis.model import Caution
from wirelab.bundle import Finding
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
NEAR_CEILING, BUSY = 0.5, 0.6

SERIOUS = {"HTTP/1.0", "A development server"}
ADVICE = {
    "HTTP/1.0": "speak HTTP/1.1 or HTTP/2",
    "A development server": "measure the production server, started as in production",
    "Python compiled without optimisation": "run wirelab with the distribution's Python, or with"
    " one that was configured with --enable-optimizations",
    "Tiny bodies are compressed": "compress from about 1 kB on",
    "N+1 statements": "ask for all rows at once, by a join, `= ANY(…)` or a data loader",
}

Runs = Mapping[Cell, pd.DataFrame]


def find_pathologies(
    runs: Runs, findings: Sequence[Finding], loads: Mapping[str, Load], name: Callable[[Cell], str]
) -> Iterator[Caution]:
    """Yield the detected pathologies; `name` returns the contender and the place of a cell."""
    own = {cell: frame for cell, frame in runs.items() if not cell.twin}
    yield from _symptoms(findings)
    yield from _plateaus(own, name)
    yield from _connections(own, loads, name)
    yield from _pools(own, loads, name)
    yield from _ceilings(own, name)


def _symptoms(findings: Iterable[Finding]) -> Iterator[Caution]:
    found: dict[str, dict[str, list[str]]] = {}
    for each in findings:
        if each.symptom:
            found.setdefault(each.symptom, {}).setdefault(each.reason, []).append(each.where)
    for symptom, reasons in found.items():
        evidence = "; ".join(
            f"{words.listed(dict.fromkeys(where))}: {reason}" for reason, where in reasons.items()
        )
        advice = ADVICE.get(symptom, "")
        detail = f"{evidence}. What to do: {advice}" if advice else evidence
        yield Caution("serious" if symptom in SERIOUS else "minor", symptom, detail)


def _plateaus(runs: Runs, name: Callable[[Cell], str]) -> Iterator[Caution]:
    sent_late: list[str] = []
    unclear: list[str] = []
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
        listed.append(f"{name(cell)} ({', '.join(on)}: {words.duration(times[on[0]])})")
    if sent_late:
        yield Caution(
            "serious",
            "Nagle's algorithm meets delayed acknowledgements: a plateau at 40–44 ms",
            f"{words.first_few(sent_late)}:"
            " the answer begins at once, and its rest waits for the client's"
            " kernel to acknowledge the first packet. What to do: set TCP_NODELAY, or write header"
            " and body together",
        )
    if unclear:
        yield Caution(
            "minor",
            "A plateau at 40–44 ms",
            f"{words.first_few(unclear)}:"
            " the work itself may take this long; if not, a connection behind the"
            " server (to a proxy's backend, to a database) suffers from Nagle's algorithm and"
            " delayed acknowledgements. What to do: set TCP_NODELAY there",
        )


def _connections(
    runs: Runs, loads: Mapping[str, Load], name: Callable[[Cell], str]
) -> Iterator[Caution]:
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
        closed.append(f"{name(cell)} ({of})")
        whole = float((frame["tls_handshakes"] - frame["tls_resumed"]).sum())
        if whole > TOO_MANY_CONNECTIONS * transactions:
            full.append(f"{name(cell)} ({int(whole)} for {int(transactions)} transactions)")
    if closed:
        yield Caution(
            "serious",
            "No keep-alive",
            f"{words.first_few(closed)}:"
            " the server closes connections that could be reused, so that"
            " every request includes connecting. What to do: enable keep-alive, or raise"
            " the number of requests that a connection may carry",
        )
    if full:
        yield Caution(
            "serious",
            "Full TLS handshakes per request",
            f"{words.first_few(full)}:"
            " certificates and keys are exchanged for every connection, and no session is"
            " resumed. What to do: keep connections alive, and let the server resume sessions"
            " (tickets)",
        )


def _pools(runs: Runs, loads: Mapping[str, Load], name: Callable[[Cell], str]) -> Iterator[Caution]:
    """Distinguish requests that wait for each other from those that wait for the CPU."""
    found = []
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
            found.append(
                f"{name(cell)} ({words.duration(alone_us)} alone, {words.duration(typical_us)} with"
                f" {words.plural(load.clients, 'client')}, of which {words.duration(used_us)} on"
                " the CPU: about"
                f" {words.plural(max(1, round(at_a_time)), 'request')} at a time)"
            )
    if found:
        yield Caution(
            "serious",
            "A pool is smaller than the concurrency",
            f"{words.first_few(found)}:"
            " requests wait for a worker, a thread, a connection to a database or a"
            " lock, and not for the CPU. What to do: enlarge the pool, or send from fewer clients",
        )


def _cpu_us(frame: pd.DataFrame) -> pd.Series:
    """Return the CPU time of a contender and its store, by run."""
    used = frame["contender_cpu_us"]
    return used + frame["store_cpu_us"].fillna(0.0) if "store_cpu_us" in frame else used


def _ceilings(runs: Runs, name: Callable[[Cell], str]) -> Iterator[Caution]:
    """Report cells near the load generator's ceiling, and busy ones where that is unknown."""
    near: list[str] = []
    unknown: list[str] = []
    for cell, frame in runs.items():
        busy = float(frame["engine_busy_share"].max())
        reached = frame.get("context_ceiling_share", pd.Series(dtype=float)).astype(float).max()
        if reached >= NEAR_CEILING:
            near.append(f"{name(cell)} ({words.percent(reached)} of its ceiling)")
        elif busy >= BUSY:
            found = unknown if pd.isna(reached) else near
            found.append(f"{name(cell)} (busy for {words.percent(busy)} of the time)")
    if near:
        yield Caution(
            "minor",
            "The load generator was near its ceiling",
            f"{words.first_few(near)}:"
            " part of these times may be the load generator's, and differences between"
            " servers look smaller. What to do: send from fewer clients or at a lower rate",
        )
    if unknown:
        yield Caution(
            "minor",
            "The load generator was busy, and its ceiling is unknown",
            f"{words.first_few(unknown)}:"
            " part of these times may be the load generator's. What to do: measure its ceiling"
            " with `wirelab qualify` before the study",
        )
