"""Emulated networks: deviations from what was declared."""

from collections.abc import Iterator, Mapping, Sequence

from wirelab.analysis.model import Caution
from wirelab.bundle import BlockRecord
from wirelab.study import Study
from wirelab.terminal import words

LATE_US = 1000.0
LATE_SHARE = 0.1
"""Lateness below this share of the declared delay, or below a millisecond, is not reported."""
TOO_FAST = "ceiling"
"""The fact of a network that reports that its rate may exceed what the emulator can carry."""


def network_cautions(
    study: Study,
    blocks: Sequence[BlockRecord],
    environments: Mapping[str, Mapping[str, str]],
) -> Iterator[Caution]:
    """Warn about late packets, and about rates beyond the emulator."""
    beyond = [
        f"{name}: {facts[TOO_FAST]}"
        for name, facts in environments.items()
        if study.network(name) is not None and TOO_FAST in facts
    ]
    if beyond:
        yield Caution("serious", "A network may be faster than its emulator", words.listed(beyond))
    late = [
        f"{name} by {words.duration(worst)} ({words.plural(count, 'session')})"
        for name, (worst, count) in _late(study, blocks).items()
    ]
    if late:
        yield Caution(
            "minor",
            "Packets arrived later than the network declares",
            f"99th percentile of their lateness: {words.listed(late)}; all contenders of a"
            " session share the emulator, in turns",
        )


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
