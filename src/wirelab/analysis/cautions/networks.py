"""Cautions about emulated networks: deviations from what was declared."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wirelab.analysis.cautions.caution import Caution
from wirelab.analysis.cautions.evidence import Evidence
from wirelab.bundle import BlockRecord
from wirelab.study import Study
from wirelab.terminal import words

LATE_US = 1000.0
LATE_SHARE = 0.1
"""Lateness below this share of the declared delay, or below a millisecond, is not reported."""
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


def networks(evidence: Evidence) -> Iterator[Caution]:
    """Find late packets, and rates beyond the emulator."""
    bundle = evidence.bundle
    yield from find_deviations(evidence.study, evidence.blocks, bundle.environments)


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
