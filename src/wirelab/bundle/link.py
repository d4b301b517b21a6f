"""The records of an emulated network."""

from collections.abc import Mapping

from wirelab.record import Record


class LinkDirection(Record):
    """Packet counts for one direction of an emulated network."""

    packets: int
    """Packets offered to the emulator."""
    bytes: int
    delivered_packets: int
    delivered_bytes: int
    dropped_by_queue: int
    """Packets dropped because the link's queue was full, as declared."""
    lost: int
    """Packets dropped at random, as declared."""
    overrun: int
    """Packets dropped because the emulator held its maximum number of packets. This and the next
    two are failures of the emulator itself."""
    dropped_by_device: int
    """Packets that the emulator did not read in time."""
    refused: int
    """Packets that the kernel did not accept at the other end."""
    queue_high_water_bytes: int
    held_high_water_packets: int
    lateness_us: Mapping[str, float]
    """How much later than intended packets were delivered: p50, p99, max."""


class LinkRecord(Record):
    """How the network of a session was emulated."""

    network: str
    seconds: float
    cpu_seconds: float
    """CPU time of the emulator, including the kernel's work on its behalf."""
    ignored: int
    """Packets addressed to neither end."""
    real_time: bool
    """Whether the emulator ran with real-time priority."""
    congestion_control: str
    """The congestion control algorithm of the kernel's TCP."""
    down: LinkDirection
    up: LinkDirection
