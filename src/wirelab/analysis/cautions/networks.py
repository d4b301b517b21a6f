"""Cautions about networks: deviations from what was declared, and pacing by TCP."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wirelab.analysis.cautions.caution import Caution
from wirelab.analysis.cautions.evidence import Evidence
from wirelab.bundle import BlockRecord
from wirelab.lab.host import why_paced
from wirelab.study import Study
from wirelab.terminal import words

LATE_US = 1000.0
LATE_SHARE = 0.1
"""Lateness below this share of the declared delay, or below a millisecond, is not reported."""
LARGE_BYTES = 65_536
"""Answers below this size fit into what TCP sends without pacing."""
TOO_FAST = "ceiling"
"""The fact of a network that reports that its rate may exceed what the emulator can carry."""


@dataclass(frozen=True)
class NetworkTooFast(Caution):
    """The rate of a network may exceed what the emulator can carry; names and facts."""

    SEVERITY = "serious"
    TITLE = "A network may be faster than its emulator"
    networks: tuple[tuple[str, str], ...]

    def _detail(self) -> str:
        return words.listed(f"{name}: {fact}" for name, fact in self.networks)


@dataclass(frozen=True)
class PacketsLate(Caution):
    """Packets arrived later than declared."""

    TITLE = "Packets arrived later than the network declares"
    networks: tuple[tuple[str, float, int], ...]
    """Names, with the worst 99th percentile of lateness in µs, and the number of sessions."""

    def _detail(self) -> str:
        late = words.listed(
            f"{name} by {words.duration(worst)} ({words.plural(count, 'session')})"
            for name, worst, count in self.networks
        )
        return (
            f"99th percentile of their lateness: {late}; all contenders of a session share the"
            " emulator, in turns"
        )


@dataclass(frozen=True)
class Paced(Caution):
    """The machine's TCP delays large answers, which it also sends between server and store."""

    TITLE = "TCP delays large answers on this machine"
    why: str

    def _detail(self) -> str:
        return self.why


def networks(evidence: Evidence) -> Iterator[Caution]:
    """Find late packets, rates beyond the emulator, and pacing of large answers."""
    bundle = evidence.bundle
    yield from find_deviations(evidence.study, evidence.blocks, bundle.environments)
    received = "received_bytes_per_transaction"
    largest = max(
        (evidence.values.runs[cell][received].max() for cell in evidence.summaries), default=0
    )
    yield from find_pacing(bundle.host, largest)


def find_pacing(host: Mapping[str, Any], largest_bytes: float) -> Iterator[Caution]:
    """Find TCP that delays answers, if there are any as large as that."""
    if largest_bytes > LARGE_BYTES and (why := why_paced(host.get("tcp_congestion_control"))):
        yield Paced(why)


def find_deviations(
    study: Study,
    blocks: Sequence[BlockRecord],
    environments: Mapping[str, Mapping[str, str]],
) -> Iterator[Caution]:
    """See `networks`."""
    beyond = tuple(
        (name, facts[TOO_FAST])
        for name, facts in environments.items()
        if study.network(name) is not None and TOO_FAST in facts
    )
    if beyond:
        yield NetworkTooFast(beyond)
    if late := tuple((name, *worst) for name, worst in _late(study, blocks).items()):
        yield PacketsLate(late)


def _late(study: Study, blocks: Sequence[BlockRecord]) -> dict[str, tuple[float, int]]:
    """Return the worst 99th percentile, and the number of late sessions, by network."""
    found: dict[str, tuple[float, int]] = {}
    for link in (session.link for block in blocks for session in block.sessions):
        network = None if link is None else study.network(link.network)
        if link is None or network is None:
            continue
        excess = [
            of.lateness_us["p99"]
            for of, declared in ((link.down, network.down), (link.up, network.up))
            if of.lateness_us["p99"] > max(LATE_US, LATE_SHARE * 1000 * declared.delay_ms)
        ]
        if excess:
            worst, count = found.get(link.network, (0.0, 0))
            found[link.network] = max(worst, *excess), count + 1
    return found
