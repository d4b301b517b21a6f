"""The maximum packet rate of the link emulator on this machine."""

import socket
import subprocess
import sys
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from wirelab.installation.programs import find_program
from wirelab.lab.errors import LinkError
from wirelab.lab.network import flood
from wirelab.lab.network.link import Link
from wirelab.lab.processes.cpu import format_cpus
from wirelab.study.network import Network, NetworkDirection

NOTHING = Network(source="no conditions", down=NetworkDirection(), up=NetworkDirection())
MTU = 1500
HEADERS = 28
"""The size of the headers of IPv4 and UDP."""
PATIENCE_S = 30.0
SAFE_SHARE = 0.8
"""Above this share of the ceiling, the emulator may limit the rate."""


@dataclass(frozen=True, slots=True)
class LinkCeiling:
    """The throughput of a link without conditions in one direction, at maximum load."""

    packets_per_s: float
    bytes_per_packet: int
    cpu_us_per_packet: float
    """CPU time of the emulator, including the kernel's work on its behalf."""
    dropped_share: float
    """Share of the packets sent that the emulator did not read in time."""

    @property
    def mbit_per_s(self) -> float:
        """The rate, including IP headers."""
        return self.packets_per_s * self.bytes_per_packet * 8 / 1e6

    def why_too_fast(self, network: Network) -> str:
        """Return which rates of a network may exceed the emulator's; "" if none does."""
        rates = {"down": network.down.rate_mbit_s, "up": network.up.rate_mbit_s}
        fast = {way: rate for way, rate in rates.items() if rate}
        beyond = [
            f"{rate:g} Mbit/s {way}"
            for way, rate in fast.items()
            if rate > SAFE_SHARE * self.mbit_per_s
        ]
        if not beyond:
            return ""
        return (
            f"{' and '.join(beyond)} may be too fast for the emulator: its maximum on this machine"
            f" was {self.mbit_per_s:.0f} Mbit/s"
        )


def measure_ceiling(
    folder: Path,
    *,
    cpus: tuple[int, ...] = (),
    client_cpus: Collection[int] = (),
    seconds: float = 0.5,
    packet_bytes: int = MTU,
) -> LinkCeiling:
    """Send as much as possible through a link without conditions for a time.

    `cpus`: those of the emulator; `client_cpus`: those of the sender. Raises `LinkError`.
    """
    with (
        Link.start("ceiling", NOTHING, folder, cpus=cpus) as link,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sink,
    ):
        # Nothing reads from it: packets that find its buffer full have passed the link as well.
        sink.bind((link.ready.server, 0))
        before = link.counters()
        guard: list[str] = [str(find_program("wirelab-guard"))]
        if client_cpus:
            guard += ["--cpus", format_cpus(client_cpus)]
        guard += ["--network", str(link.ready.namespace), "--", sys.executable, "-S"]
        to = [link.ready.server, str(sink.getsockname()[1])]
        done = subprocess.run(
            [*guard, flood.__file__, *to, str(seconds), str(packet_bytes - HEADERS)],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S + seconds,
            check=False,
        )
        if done.returncode != 0:
            raise LinkError(f"cannot send data over an emulated link: {done.stderr.strip()}")
        after = link.counters()
    way, sent = after["up"], int(done.stdout)
    packets = max(1, way["delivered_packets"] - before["up"]["delivered_packets"])
    return LinkCeiling(
        packets_per_s=packets / seconds,
        bytes_per_packet=packet_bytes,
        cpu_us_per_packet=1e6 * (after["cpu_seconds"] - before["cpu_seconds"]) / packets,
        dropped_share=max(0.0, 1 - packets / max(1, sent)),
    )
