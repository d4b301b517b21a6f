"""Measure what the link emulator costs and carries on this machine.

`python -m benches.link [--output FILE]`, as root. Prints a table, and writes all figures as JSON.
"""

import argparse
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benches.link.figures import (
    AddedDelay,
    Carried,
    RoundTrip,
    added_delay,
    carried,
    round_trip,
)
from benches.results import write_results
from wirelab.lab.host import read_host
from wirelab.lab.network.link import REMEDY, why_no_link
from wirelab.lab.network.link_ceiling import LinkCeiling, measure_ceiling
from wirelab.lab.processes.cpu import plan_cpus
from wirelab.lab.processes.process import stopping_everything
from wirelab.study.network import BUILT_IN

RESULTS = Path(__file__).parent / "results" / "link.json"
CEILING_S = 3.0
SIZES = (100, 1500)
"""Bytes of the packets that a ceiling is measured with."""


def main() -> int:
    """Measure everything, and say it."""
    parser = argparse.ArgumentParser(prog="benches.link")
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    if missing := why_no_link():
        print(f"no link here: {missing}; {REMEDY}", file=sys.stderr)
        return 1
    cpus = plan_cpus()
    with stopping_everything(), tempfile.TemporaryDirectory(prefix="wirelab-bench-") as place:
        folder = Path(place)
        delay = added_delay(folder, cpus)
        round_trips = [round_trip(name, it, folder, cpus) for name, it in BUILT_IN.items()]
        ceilings = [
            measure_ceiling(
                folder,
                cpus=cpus.system,
                client_cpus=cpus.engine,
                seconds=CEILING_S,
                packet_bytes=size,
            )
            for size in SIZES
        ]
        networks = [carried(name, it, folder, cpus) for name, it in BUILT_IN.items()]
    host = read_host(cpus)
    found: dict[str, Any] = {
        "machine": {"cpu": host.cpu.model, "cpus": host.cpu.logical, "kernel": host.kernel},
        "added_delay": asdict(delay),
        "round_trips": [asdict(it) for it in round_trips],
        "ceilings": [{**asdict(it), "mbit_per_s": it.mbit_per_s} for it in ceilings],
        "networks": [asdict(it) for it in networks],
    }
    write_results(options.output, found)
    show(delay, round_trips, ceilings, networks)
    return 0


def show(
    delay: AddedDelay,
    round_trips: list[RoundTrip],
    ceilings: list[LinkCeiling],
    networks: list[Carried],
) -> None:
    """Print the tables of the README."""
    print("| round trip of an ICMP echo | median | 99th percentile |")
    print("|---|--:|--:|")
    print(
        f"| kernel's loopback | {delay.loopback_p50_us:.0f} µs | {delay.loopback_p99_us:.0f} µs |"
    )
    print(f"| over a bare link | {delay.link_p50_us:.0f} µs | {delay.link_p99_us:.0f} µs |\n")
    print("| ICMP echo over | declared | minimum | median | maximum |")
    print("|---|--:|--:|--:|--:|")
    for trip in round_trips:
        print(
            f"| {trip.network} | {trip.declared_least_ms:g} to {trip.declared_most_ms:g} ms"
            f" | {trip.min_ms:.2f} ms | {trip.p50_ms:.2f} ms | {trip.max_ms:.2f} ms |"
        )
    print("\n| packets of | packets a second | Mbit/s | CPU a packet | dropped |")
    print("|---|--:|--:|--:|--:|")
    for it in ceilings:
        print(
            f"| {it.bytes_per_packet} B | {it.packets_per_s:,.0f} | {it.mbit_per_s:,.0f}"
            f" | {it.cpu_us_per_packet:.2f} µs | {it.dropped_share:.1%} |"
        )
    print("\n| download over | declared | reached | CPU a packet | late p50 / p99 / max | drops |")
    print("|---|--:|--:|--:|--:|--:|")
    for each in networks:
        late = f"{each.late_p50_us:.0f} / {each.late_p99_us:.0f} / {each.late_max_us:.0f} µs"
        drops = f"queue {each.dropped_by_queue}, lost {each.lost}, own {each.own_drops}"
        print(
            f"| {each.network} | {each.declared_mbit_s:g} Mbit/s | {each.reached_mbit_s:.1f}"
            f" | {each.cpu_us_per_packet:.1f} µs | {late} | {drops} |"
        )


if __name__ == "__main__":
    sys.exit(main())
