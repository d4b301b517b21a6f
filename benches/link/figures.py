"""The figures of the bench, and how each of them is measured."""

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from wirelab.installation.programs import find_program
from wirelab.lab.environments.environment import LOOPBACK
from wirelab.lab.network.link import Link
from wirelab.lab.network.link_ceiling import NOTHING
from wirelab.lab.processes.cpu import CpuPlan, format_cpus
from wirelab.study.network import Network

CLIENT = Path(__file__).parents[2] / "tests" / "link" / "client.py"
ECHOES, ECHOES_OF_A_NETWORK = 2000, 100
LOAD_S = 4.0
"""How long a download over a network lasts, at the network's rate."""
TCP_PAYLOAD_SHARE = 1448 / 1500
PATIENCE_S = 120


@dataclass(frozen=True, slots=True)
class AddedDelay:
    """Round trips of an ICMP echo in µs: over the kernel's loopback, and over a bare link.

    The emulator adds half of the difference in each direction.
    """

    loopback_p50_us: float
    loopback_p99_us: float
    link_p50_us: float
    link_p99_us: float


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """Round trips of an ICMP echo over a network, beside the delays and jitter declared for it."""

    network: str
    declared_least_ms: float
    declared_most_ms: float
    min_ms: float
    p50_ms: float
    max_ms: float


@dataclass(frozen=True, slots=True)
class Carried:
    """A download by TCP over a network: how near the declared rate, and how late packets were."""

    network: str
    declared_mbit_s: float
    reached_mbit_s: float
    """Bytes of IP that arrived, over the time of the download."""
    cpu_us_per_packet: float
    late_p50_us: float
    late_p99_us: float
    late_max_us: float
    dropped_by_queue: int
    lost: int
    own_drops: int


def added_delay(folder: Path, cpus: CpuPlan) -> AddedDelay:
    """Measure round trips without and with the emulator, one after the other."""
    plain = [1e3 * it for it in _at_client(None, cpus, "ping", ECHOES)]
    with Link.start("bare", NOTHING, folder, cpus=cpus.system) as link:
        linked = [1e3 * it for it in _at_client(link, cpus, "ping", ECHOES)]
    return AddedDelay(median(plain), _p99(plain), median(linked), _p99(linked))


def round_trip(name: str, network: Network, folder: Path, cpus: CpuPlan) -> RoundTrip:
    """Measure round trips over a network that carries nothing else."""
    with Link.start(name, network, folder, cpus=cpus.system) as link:
        took_ms = _at_client(link, cpus, "ping", ECHOES_OF_A_NETWORK)
    least_ms = network.down.delay_ms + network.up.delay_ms
    return RoundTrip(
        network=name,
        declared_least_ms=least_ms,
        declared_most_ms=least_ms + network.down.jitter_ms + network.up.jitter_ms,
        min_ms=min(took_ms),
        p50_ms=median(took_ms),
        max_ms=max(took_ms),
    )


def carried(name: str, network: Network, folder: Path, cpus: CpuPlan) -> Carried:
    """Download over a network for some seconds."""
    declared = network.down.rate_mbit_s or 0.0
    size = int(declared * 1e6 / 8 * LOAD_S * TCP_PAYLOAD_SHARE)
    with Link.start(name, network, folder, cpus=cpus.system) as link:
        with _serving(link.ready.server, size) as port:
            seconds, _ = _at_client(link, cpus, "drain", port)
        counters = link.counters()
    down, up = counters["down"], counters["up"]
    return Carried(
        network=name,
        declared_mbit_s=declared,
        reached_mbit_s=down["delivered_bytes"] * 8 / 1e6 / seconds,
        cpu_us_per_packet=1e6
        * counters["cpu_seconds"]
        / (down["delivered_packets"] + up["delivered_packets"]),
        late_p50_us=down["lateness_us"]["p50"],
        late_p99_us=down["lateness_us"]["p99"],
        late_max_us=down["lateness_us"]["max"],
        dropped_by_queue=down["dropped_by_queue"],
        lost=down["lost"],
        own_drops=sum(
            way[kind] for way in (down, up) for kind in ("overrun", "dropped_by_device", "refused")
        ),
    )


def _at_client(link: Link | None, cpus: CpuPlan, what: str, number: int) -> list[float]:
    host = LOOPBACK if link is None else link.ready.server
    guard = [str(find_program("wirelab-guard")), "--cpus", format_cpus(cpus.engine)]
    if link is not None:
        guard += ["--network", str(link.ready.namespace)]
    done = subprocess.run(
        [*guard, "--", sys.executable, "-S", str(CLIENT), what, host, str(number)],
        stdout=subprocess.PIPE,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )
    found: list[float] = json.loads(done.stdout)
    return found


@contextmanager
def _serving(host: str, size: int) -> Iterator[int]:
    """Send so many bytes to the one that connects."""
    with socket.create_server((host, 0)) as listener:
        listener.settimeout(PATIENCE_S)

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                chunk = b"x" * (1 << 16)
                for _ in range(size // len(chunk) + 1):
                    connection.sendall(chunk)

        thread = threading.Thread(target=serve)
        thread.start()
        yield listener.getsockname()[1]
        thread.join()


def _p99(values: list[float]) -> float:
    return sorted(values)[len(values) * 99 // 100]
