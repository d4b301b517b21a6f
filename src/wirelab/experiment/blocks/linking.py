"""The emulated network of a session: started and stopped with it, with counts of its packets."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from wirelab.bundle import LinkDirection, LinkRecord
from wirelab.bundle.run_reasons import NetworkNotKept
from wirelab.experiment.blocks.roster import Roster
from wirelab.experiment.preparation.builder import Builder
from wirelab.lab.network.link import Link

OWN_DROPS = 0.001
"""If the emulator itself dropped more than this share of packets, the network differed from what
was declared: that is a bias, not noise."""


@contextmanager
def emulated(
    builder: Builder, name: str, folder: Path, *, cpus: tuple[int, ...], seed: int
) -> Iterator[Link | None]:
    """Emulate a network that has been opened; None if it needs no emulation.

    Raises `LinkError` if it cannot be started.
    """
    network = builder.networks.get(name)
    if network is None:
        yield None
        return
    with Link.start(name, network, folder, cpus=cpus, seed=seed) as link:
        yield link


def link_record(link: Link) -> LinkRecord:
    """Read the emulator's packet counts so far. Raises `LinkError`."""
    counters = link.counters()
    return LinkRecord(
        network=link.name,
        seconds=counters["seconds"],
        cpu_seconds=counters["cpu_seconds"],
        ignored=counters["ignored"],
        real_time=link.ready.real_time,
        congestion_control=link.ready.congestion_control,
        down=LinkDirection.model_validate(counters["down"]),
        up=LinkDirection.model_validate(counters["up"]),
    )


def judge_link(link: Link | None, roster: Roster) -> LinkRecord | None:
    """Give up all runs over a link that was not as declared; return its packet counts.

    None without a link. Raises `LinkError`.
    """
    record = link_record(link) if link else None
    for reason in why_not_as_declared(record):
        for run in roster.left():
            roster.give_up(run, reason)
    return record


def why_not_as_declared(record: LinkRecord | None) -> tuple[NetworkNotKept, ...]:
    """Return why runs over a link are invalid; empty if they are valid."""
    if record is None:
        return ()
    ways: tuple[tuple[Literal["down", "up"], LinkDirection], ...]
    ways = ("down", record.down), ("up", record.up)
    return tuple(
        NetworkNotKept(network=record.network, way=way, dropped=own, packets=counts.packets)
        for way, counts in ways
        if (own := counts.overrun + counts.dropped_by_device + counts.refused)
        > OWN_DROPS * counts.packets
    )
